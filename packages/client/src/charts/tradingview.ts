import { type Interval, intervals, type UdfSymbol } from '@chaintape/protocol'
import type { Tape } from '../stream/createTape.ts'
import { followBars } from './bar.ts'

/** A symbol as the charting library knows it. */
export type ChartSymbol = UdfSymbol & { monthly_multipliers: string[] }

/** Times are unix milliseconds. */
export type ChartBar = {
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}

export type ChartPeriod = {
  from: number
  to: number
  countBack?: number
  firstDataRequest?: boolean
}

type OnError = (reason: string) => void

/** The datafeed of TradingView's charting library: the value of its option `datafeed`. */
export type ChartDatafeed = {
  onReady(callback: (configuration: object) => void): void
  searchSymbols(
    input: string,
    exchange: string,
    symbolType: string,
    onResult: (found: object[]) => void,
  ): void
  resolveSymbol(name: string, onResolved: (symbol: ChartSymbol) => void, onError: OnError): void
  getBars(
    symbol: { ticker?: string },
    resolution: string,
    period: ChartPeriod,
    onBars: (bars: ChartBar[], meta: { noData: boolean; nextTime?: number }) => void,
    onError: OnError,
  ): void
  subscribeBars(
    symbol: { ticker?: string },
    resolution: string,
    onTick: (bar: ChartBar) => void,
    listenerId: string,
    onReset: () => void,
  ): void
  unsubscribeBars(listenerId: string): void
  getServerTime(callback: (timeS: number) => void): void
}

// The library builds longer intervals from these.
const daily: Readonly<Record<string, Interval>> = {
  '1D': 'k1440',
  D: 'k1440',
  '1W': 'k10080',
  W: 'k10080',
}
const named: Readonly<Record<string, Interval>> = { ...daily, '1S': 's1', S: 's1' }

function intervalOf(resolution: string): Interval | undefined {
  const name = named[resolution] ?? `k${resolution}`
  return Object.hasOwn(intervals, name) ? (name as Interval) : undefined
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * Symbols are pairs, `<address>-<chain>`. History comes from /udf, new bars from the tape's socket.
 */
export function createDatafeed(tape: Tape): ChartDatafeed {
  const { rest } = tape
  const endings = new Map<string, () => void>()
  const newest = new Map<string, number>()

  return {
    onReady(callback) {
      // The library waits for this call and accepts no error.
      void rest.udfConfig().then(callback, () => callback({ supports_search: true }))
    },
    searchSymbols(query, exchange, type, onResult) {
      const given = Object.entries({ query, exchange, type }).filter(([, text]) => text !== '')
      rest.udfSearch(Object.fromEntries(given)).then(
        (found) => onResult([...found]),
        () => onResult([]),
      )
    },
    resolveSymbol(name, onResolved, onError) {
      rest.udfSymbols({ symbol: name }).then(
        (symbol) => {
          if ('s' in symbol) onError(symbol.errmsg)
          else onResolved(chartSymbolOf(symbol))
        },
        (error: unknown) => onError(reasonOf(error)),
      )
    },
    getBars({ ticker = '' }, resolution, { from, to, countBack }, onBars, onError) {
      const params = {
        symbol: ticker,
        resolution: resolution as '1',
        from,
        to,
        countback: countBack,
      }
      rest.udfHistory(params).then(
        (bars) => {
          if (bars.s === 'error') return onError(bars.errmsg)
          if (bars.s === 'no_data') {
            const { nextTime } = bars
            return onBars([], { noData: true, ...(nextTime === undefined ? {} : { nextTime }) })
          }
          const rows = bars.t.map((timeS, at) => ({
            time: timeS * 1_000,
            open: bars.o[at]!,
            high: bars.h[at]!,
            low: bars.l[at]!,
            close: bars.c[at]!,
            volume: bars.v[at]!,
          }))
          const key = `${ticker} ${resolution}`
          newest.set(key, Math.max(newest.get(key) ?? 0, rows.at(-1)?.time ?? 0))
          onBars(rows, { noData: rows.length === 0 })
        },
        (error: unknown) => onError(reasonOf(error)),
      )
    },
    subscribeBars({ ticker = '' }, resolution, onTick, listenerId, onReset) {
      const interval = intervalOf(resolution)
      if (interval === undefined) return
      let lastMs = newest.get(`${ticker} ${resolution}`) ?? 0
      const stop = followBars(tape, {
        pairId: ticker,
        interval,
        unit: 'usd',
        onReset,
        onBar({ timeS, ...bar }) {
          const time = timeS * 1_000
          // The library only takes the last bar and later ones; after a correction of an older bar
          // it reads again.
          if (time < lastMs) return onReset()
          lastMs = time
          onTick({ time, ...bar })
        },
      })
      endings.set(listenerId, stop)
    },
    unsubscribeBars(listenerId) {
      endings.get(listenerId)?.()
      endings.delete(listenerId)
    },
    getServerTime(callback) {
      void rest.udfTime().then(callback, () => undefined)
    },
  }
}

/** Announces only the intervals that are pushed: the library builds the others from them. */
function chartSymbolOf(symbol: UdfSymbol): ChartSymbol {
  const minutes = symbol.intraday_multipliers.filter((text) => intervalOf(text) !== undefined)
  return { ...symbol, intraday_multipliers: minutes, monthly_multipliers: [] }
}
