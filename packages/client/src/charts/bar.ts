import type { IntervalName } from '@chaintape/protocol'
import type { Tape } from '../stream/createTape.ts'

/** A bar for charts: floats, which are for drawing. Times are unix seconds. */
export type Bar = {
  timeS: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}

type Texts = {
  open: string
  high: string
  low: string
  close: string
  volume: string
  time: number
}

export function barOf({ open, high, low, close, volume, time }: Texts): Bar {
  return {
    timeS: time,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
    volume: Number(volume),
  }
}

/** Prices in USD or in the chain's native coin. */
export type PriceUnit = 'usd' | 'native'

export type BarUpdates = {
  pairId: string
  interval: IntervalName
  unit: PriceUnit
  onBar(bar: Bar): void
  /** Drawn bars may be wrong: some were reverted or could not be read. */
  onReset(): void
}

/** Reports bars as blocks change them; returns the function that ends it. */
export function followBars(
  tape: Tape,
  { pairId, interval, unit, onBar, onReset }: BarUpdates,
): () => void {
  const stream = tape.klines(pairId, interval, { revisions: true })
  const ignore = tape.on((event) => {
    const isOver = event.type === 'gap' || event.type === 'rewound'
    if (isOver && event.stream === stream.name) onReset()
  })
  stream
    .each(({ kline, retracted }) => {
      if (retracted) onReset()
      else onBar(barOf(unit === 'usd' ? kline.usd : kline.eth))
    })
    .catch(() => onReset())
  return () => {
    ignore()
    stream.end()
  }
}
