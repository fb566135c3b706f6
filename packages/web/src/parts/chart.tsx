import type { Interval, Klines } from '@chaintape/protocol'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useStream, useTapeEvents } from '../data/tape.ts'
import { priceText } from '../lib/format.ts'
import { setQuery, useRoute } from '../lib/route.ts'
import { type ChartPoint, type Drawing, openDrawing } from './drawing.ts'

const intervals = [
  ['s1', '1s'],
  ['k1', '1m'],
  ['k5', '5m'],
  ['k15', '15m'],
  ['k30', '30m'],
  ['k60', '1h'],
  ['k240', '4h'],
  ['k1440', '1D'],
  ['k10080', '1W'],
] as const satisfies readonly (readonly [interval: Interval, label: string])[]

type Unit = 'u' | 'm'

type ChartProps = {
  label: string
  /** Symbol of the native coin. */
  native: string
  /** Asks for klines up to a time. */
  load(params: {
    interval: Interval
    category: Unit
    limit: number
    to_time?: number
  }): Promise<Klines>
}

const pointsAtOnce = 500

const pointOf = (
  point: Record<'open' | 'high' | 'low' | 'close' | 'volume', string> & { time: number },
): ChartPoint => ({
  time: point.time,
  open: Number(point.open),
  high: Number(point.high),
  low: Number(point.low),
  close: Number(point.close),
  volume: Number(point.volume),
})

/** Klines with volume, live. What a reorg changes is drawn again, and said. */
export function Chart({ label, native, load }: ChartProps) {
  const route = useRoute()
  const interval = (route?.query.get('interval') ?? 'k1') as Interval
  const unit: Unit = route?.query.get('unit') === 'native' ? 'm' : 'u'
  const box = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing | null>(null)
  const [pairId, setPairId] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const [round, setRound] = useState(0)

  useEffect(() => {
    const opened = openDrawing(box.current!, { hasSeconds: interval === 's1' || interval === 'k1' })
    drawing.current = opened
    const ask = (toTime?: number) =>
      load({
        ...{ interval, category: unit },
        ...{ limit: pointsAtOnce, ...(toTime === undefined ? {} : { to_time: toTime }) },
      })
    setNote('Loading…')
    ask().then(
      (klines) => {
        if (drawing.current !== opened) return
        opened.show(klines.points.map(pointOf))
        setPairId(klines.pair_id || null)
        setNote(klines.points.length === 0 ? 'No trades yet.' : '')
        opened.onOlder(async (firstS) => (await ask(firstS - 1)).points.map(pointOf))
      },
      (fault) => setNote(fault.message),
    )
    return () => {
      opened.close()
      drawing.current = null
    }
  }, [interval, unit, round])

  const redraw = (why: string) => {
    setNote(why)
    setRound((count) => count + 1)
  }
  useTapeEvents((event) => {
    if (event.type === 'switched' && event.stream.includes(pairId ?? '\n'))
      redraw('Another pair prices it now.')
  })
  useStream(
    pairId && `${pairId} ${interval} ${round}`,
    (tape) => tape.klines(pairId!, interval, { revisions: true, snapshot: true }),
    ({ kline, retracted, revision = 0, final }) => {
      // What is drawn may be a kline that is gone.
      if (retracted) redraw('A reorg reverted a kline.')
      else {
        setNote(revision > 0 && !final ? 'Corrected after a reorg.' : '')
        drawing.current?.update(pointOf(unit === 'u' ? kline.usd : kline.eth))
      }
    },
  )

  return (
    <section class="chart panel" aria-label={label}>
      <div class="toolbar">
        <fieldset class="segments">
          <legend class="hidden">Interval</legend>
          {intervals.map(([value, text]) => (
            <button
              key={value}
              type="button"
              aria-pressed={value === interval}
              onClick={() => setQuery({ interval: value === 'k1' ? null : value })}
            >
              {text}
            </button>
          ))}
        </fieldset>
        <output class="soft chart-note">{note}</output>
        <fieldset class="segments">
          <legend class="hidden">Unit</legend>
          {[['u', 'USD'] as const, ['m', native] as const].map(([value, text]) => (
            <button
              key={value}
              type="button"
              aria-pressed={value === unit}
              onClick={() => setQuery({ unit: value === 'u' ? null : 'native' })}
            >
              {text}
            </button>
          ))}
        </fieldset>
      </div>
      <div
        class="drawing"
        ref={box}
        role="img"
        aria-label={`${label}, ${priceText(drawing.current?.lastClose())}`}
      />
    </section>
  )
}
