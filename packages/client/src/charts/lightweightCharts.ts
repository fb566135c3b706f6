import type { IntervalName } from '@chaintape/protocol'
import { intervalNamed } from '../intervalNamed.ts'
import type { Tape } from '../stream/createTape.ts'
import { type Bar, barOf, followBars, type PriceUnit } from './bar.ts'

/** The used part of a lightweight-charts 5 series: candles, bars or a histogram. */
export type SeriesLike = {
  // biome-ignore lint/suspicious/noExplicitAny: each kind of series has points of its own
  setData(points: any[]): void
  // biome-ignore lint/suspicious/noExplicitAny: the same
  update(point: any, historicalUpdate?: boolean): void
}

export type DrawOptions = {
  pairId: string
  interval: IntervalName
  /** A series of candles or bars. */
  series: SeriesLike
  /** A histogram of the volume. */
  volume?: SeriesLike
  /** @default usd */
  unit?: PriceUnit
  /** Klines drawn at first, and with each `loadOlder`. @default 500 */
  limit?: number
  /** Color of a histogram's column. @default half-transparent green or red */
  colorOf?: (bar: Bar) => string
  onError?: (error: unknown) => void
}

export type DrawnKlines = {
  /** Draws klines before the first one, for scrolling to the left; resolves with their number. */
  loadOlder(): Promise<number>
  close(): void
}

const colorDefault = ({ open, close }: Bar) => (close < open ? '#ef535080' : '#26a69a80')

/**
 * Draws the klines of a pair and keeps them up to date, reorgs included. Resolves once the first
 * are drawn.
 */
export async function drawKlines(tape: Tape, options: DrawOptions): Promise<DrawnKlines> {
  const { pairId, series, volume, unit = 'usd', limit = 500 } = options
  const interval = intervalNamed(options.interval)
  const { colorOf = colorDefault, onError = () => undefined } = options
  const category = unit === 'usd' ? 'u' : 'm'
  let bars: Bar[] = []
  let isClosed = false
  let loading: Promise<void> | null = null

  const pointOf = ({ timeS, open, high, low, close }: Bar) => ({
    time: timeS,
    open,
    high,
    low,
    close,
  })
  const columnOf = (bar: Bar) => ({ time: bar.timeS, value: bar.volume, color: colorOf(bar) })
  const read = async (toTime?: number): Promise<Bar[]> => {
    const params = { interval, limit, category, to_time: toTime } as const
    return (await tape.rest.pairKlines(pairId, params)).points.map(barOf)
  }

  function drawAll(): void {
    series.setData(bars.map(pointOf))
    volume?.setData(bars.map(columnOf))
  }

  /** Reads everything again. Calls while it runs share it. */
  function load(): Promise<void> {
    loading ??= read()
      .then((read) => {
        if (isClosed) return
        bars = read
        drawAll()
      })
      .finally(() => {
        loading = null
      })
    return loading
  }

  function onBar(bar: Bar): void {
    const last = bars.at(-1)
    // Corrects a drawn bar or appends a new one.
    const at = last === undefined || bar.timeS > last.timeS ? bars.length : placeOf(bars, bar.timeS)
    const isDrawn = at === bars.length || bars[at]?.timeS === bar.timeS
    // Older than all bars, or between two: not useful, or only if all are drawn again.
    if (!isDrawn) return
    bars[at] = bar
    const isOlder = at < bars.length - 1
    series.update(pointOf(bar), isOlder)
    volume?.update(columnOf(bar), isOlder)
  }

  const stop = followBars(tape, {
    pairId,
    interval,
    unit,
    // Bars that arrive during a load are part of its result, or arrive again with the next block.
    onBar: (bar) => (loading === null ? onBar(bar) : void loading.then(() => onBar(bar), onError)),
    onReset: () => void (isClosed || load().catch(onError)),
  })
  try {
    await load()
  } catch (error) {
    stop()
    throw error
  }
  return {
    async loadOlder() {
      const [first] = bars
      if (first === undefined) return 0
      const older = (await read(first.timeS - 1)).filter(({ timeS }) => timeS < bars[0]!.timeS)
      if (isClosed || older.length === 0) return 0
      bars = [...older, ...bars]
      drawAll()
      return older.length
    },
    close() {
      isClosed = true
      stop()
    },
  }
}

/** Index of the newest bar up to a time; -1 if none exists. */
function placeOf(bars: readonly Bar[], timeS: number): number {
  for (let at = bars.length - 1; at >= 0; at -= 1) if (bars[at]!.timeS <= timeS) return at
  return -1
}
