import type { Interval, Klines } from '@chaintape/protocol'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useStream, useTapeEvents } from '../data/tape.ts'
import { pointsAtOnce, type Unit } from '../lib/firstKlines.ts'
import { createPacedTask } from '../lib/store.ts'
import { type ChartPoint, type Drawing, openDrawing } from './drawing.ts'

type Asked = { interval: Interval; category: Unit; limit: number; to_time?: number }

/** Asks for klines up to a time. */
export type LoadKlines = (params: Asked) => Promise<Klines>

// However many klines are pushed, they are drawn so often.
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

// So long it is said that a reorg changed what is drawn.
const noticeMs = 20_000

/** What is said for a while. */
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
  /** What is to be said of it. */
  note: string
  /** The newest point. */
  last: ChartPoint | null
  /** The one that is pointed at. */
  pointed: ChartPoint | null
}

/** Draws what is pushed some of the time, however much it is; `last` is the newest point that is drawn. */
function useNewest(drawing: RefObject<Drawing | null>) {
  const [last, setLast] = useState<ChartPoint | null>(null)
  // Not drawn yet, one for each kline, and what they are to be drawn into.
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
  /** Whether klines of the pair are what is drawn: those of a token that its main pair counts in are not. Undefined: not known yet. */
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

/** Draws klines into an element, and what is pushed. What a reorg changes is drawn again, and said. */
export function useLiveDrawing(
  box: RefObject<HTMLDivElement | null>,
  { interval, unit, load, isOfPair }: Wanted,
): LiveDrawing {
  const drawing = useRef<Drawing | null>(null)
  const [pairId, setPairId] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const [notice, say] = useNotice()
  // The kline and the revision of it that were drawn last.
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
    // The question is on its way while the chart is opened, which takes longer than the answer.
    asked.current = ask()
    asked.current.catch(() => undefined)
  }, [interval, unit, round])
  useEffect(() => {
    const opened = openDrawing(box.current!, { hasSeconds: interval === 's1' || interval === 'k1' })
    drawing.current = opened
    setNote('Loading…')
    // What is pushed goes behind what is answered; the snapshot has what happened in between.
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
      redraw('Another pair prices it now.')
  })
  useStream(
    isOfPair === undefined ? null : pairId && `${pairId} ${interval} ${round}`,
    (tape) => tape.klines(pairId!, interval, { revisions: true, snapshot: true }),
    ({ kline, retracted, revision = 0, final }) => {
      // What is drawn may be a kline that is gone.
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
