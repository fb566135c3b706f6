import type { Interval, Klines } from '@chaintape/protocol'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useStream, useTapeEvents } from '../data/tape.ts'
import { pointsAtOnce, type Unit } from '../lib/firstKlines.ts'
import { createPacedTask } from '../lib/store.ts'
import { type ChartPoint, type Drawing, openDrawing } from './drawing.ts'

type Asked = { interval: Interval; category: Unit; limit: number; to_time?: number }

/** Requests klines up to a time. */
export type LoadKlines = (params: Asked) => Promise<Klines>

// Interval at which pushed klines are drawn.
const everyMs = 100

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

// Time for which a reorg notice is shown.
const noticeMs = 20_000

/** A text that is shown for a while. */
function useNotice(): [text: string, say: (text: string) => void] {
  const [text, setText] = useState('')
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const say = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setText(''), noticeMs)
  }
  return [text, say]
}

export type LiveDrawing = {
  /** Notice about the chart. */
  note: string
  /** The newest point. */
  last: ChartPoint | null
  /** The point under the pointer. */
  pointed: ChartPoint | null
}

/** Draws pushed points at intervals. `last` is the newest drawn point. */
function useNewest(drawing: RefObject<Drawing | null>) {
  const [last, setLast] = useState<ChartPoint | null>(null)
  // Points that are not drawn yet, one for each kline, with the chart they belong to.
  const [waiting] = useState(() => new Map<number, [ChartPoint, Drawing | null]>())
  const draw = useMemo(
    () =>
      createPacedTask(() => {
        for (const [point, into] of waiting.values())
          if (into === drawing.current) into?.update(point)
        waiting.clear()
        setLast(drawing.current?.last() ?? null)
      }, everyMs),
    [],
  )
  const push = (point: ChartPoint) => {
    waiting.set(point.time, [point, drawing.current])
    draw()
  }
  return { last, push, draw }
}

type Wanted = {
  interval: Interval
  unit: Unit
  load: LoadKlines
  /**
   * True if the drawn klines are the pair's; false for a token's own, which include its main
   * pair's. Undefined: not known yet.
   */
  isOfPair: boolean | undefined
}

// Where pushes only say that something has changed, it is asked for so often.
const askedEveryMs = 5_000

/** Asks for the newest klines, some of the time however often it is called. */
function useAsking(
  drawing: RefObject<Drawing | null>,
  askNewest: () => Promise<Klines>,
  push: (point: ChartPoint) => void,
): () => void {
  const newest = useRef({ askNewest, push })
  newest.current = { askNewest, push }
  return useMemo(
    () =>
      createPacedTask(async () => {
        const into = drawing.current
        // The next push asks again.
        const klines = await newest.current.askNewest().catch(() => null)
        if (drawing.current !== into) return
        for (const point of klines?.points ?? []) newest.current.push(pointOf(point))
      }, askedEveryMs),
    [],
  )
}

/** Draws klines and pushed updates into an element. After a reorg it redraws, with a notice. */
export function useLiveDrawing(
  box: RefObject<HTMLDivElement | null>,
  { interval, unit, load, isOfPair }: Wanted,
): LiveDrawing {
  const drawing = useRef<Drawing | null>(null)
  const [pairId, setPairId] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const [notice, say] = useNotice()
  // The kline and its revision that were drawn last.
  const said = useRef('')
  const [round, setRound] = useState(0)
  const [pointed, setPointed] = useState<ChartPoint | null>(null)
  const { last, push, draw } = useNewest(drawing)

  const ask = (toTime?: number) =>
    load({
      interval,
      category: unit,
      limit: pointsAtOnce,
      ...(toTime === undefined ? {} : { to_time: toTime }),
    })
  const askNewest = useAsking(drawing, () => load({ interval, category: unit, limit: 2 }), push)
  const asked = useRef<Promise<Klines> | null>(null)
  useLayoutEffect(() => {
    // The request starts before the chart opens, which takes longer than the answer.
    asked.current = ask()
    asked.current.catch(() => undefined)
  }, [interval, unit, round])
  useEffect(() => {
    const opened = openDrawing(box.current!, { hasSeconds: interval === 's1' || interval === 'k1' })
    drawing.current = opened
    setNote('Loading…')
    // Pushes follow the answer; the snapshot has what happened in between.
    setPairId(null)
    asked.current!.then(
      (klines) => {
        if (drawing.current !== opened) return
        opened.show(klines.points.map(pointOf))
        opened.onPoint(setPointed)
        draw()
        setPairId(klines.pair_id || null)
        setNote(klines.points.length === 0 ? 'No trades yet.' : '')
        opened.onOlder(async (firstS) => (await ask(firstS - 1)).points.map(pointOf))
      },
      (fault) => setNote(fault.message),
    )
    return () => {
      opened.close()
      drawing.current = null
      setPointed(null)
    }
  }, [interval, unit, round])

  const redraw = (why: string) => {
    say(why)
    setRound((count) => count + 1)
  }
  useTapeEvents((event) => {
    if (event.type === 'switched' && event.stream.includes(pairId ?? '\n'))
      redraw('The main pair has changed.')
  })
  useStream(
    isOfPair === undefined ? null : pairId && `${pairId} ${interval} ${round}`,
    (tape) => tape.klines(pairId!, interval, { revisions: true, snapshot: true }),
    ({ kline, retracted, revision = 0, final }) => {
      // The drawn kline may have been reverted.
      if (retracted) redraw('A reorg reverted a kline.')
      else {
        const corrected = `${kline.usd.time} ${revision}`
        if (revision > 0 && !final && said.current !== corrected) say('Corrected after a reorg.')
        said.current = corrected
        setNote('')
        if (isOfPair) push(pointOf(unit === 'u' ? kline.usd : kline.eth))
        else askNewest()
      }
    },
  )

  return { note: note || notice, last, pointed }
}
