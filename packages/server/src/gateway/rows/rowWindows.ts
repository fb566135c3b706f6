import { strict as assert } from 'node:assert'
import type { Fields } from '@chaintape/protocol/descriptions'
import { type MarketWindow, type WindowTrading, windowNames } from '../../engine/marketReads.ts'
import { decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'
import { decimalOrZero } from './wireNumber.ts'

/** Encoders of one trading window, by figure. */
export const windowEncoders = {
  priceChange: ({ changePercent }: MarketWindow) => decimalOrZero(changePercent),
  volume: (window: MarketWindow) => decimalOfE8(window.buyVolumeUsdE8 + window.sellVolumeUsdE8),
  buyVolume: ({ buyVolumeUsdE8 }: MarketWindow) => decimalOfE8(buyVolumeUsdE8),
  sellVolume: ({ sellVolumeUsdE8 }: MarketWindow) => decimalOfE8(sellVolumeUsdE8),
  organicVolume: ({ organicVolumeUsdE8 }: MarketWindow) => decimalOfE8(organicVolumeUsdE8),
  count: ({ buyCount, sellCount }: MarketWindow) => String(buyCount + sellCount),
  buyCount: ({ buyCount }: MarketWindow) => String(buyCount),
  sellCount: ({ sellCount }: MarketWindow) => String(sellCount),
  makers: ({ makers }: MarketWindow) => String(makers),
  buyers: ({ buyers }: MarketWindow) => String(buyers),
  sellers: ({ sellers }: MarketWindow) => String(sellers),
} as const

/** Encodes the members of all windows of a row, each with a leading comma. */
type WindowEncoder = {
  of(windows: readonly MarketWindow[]): string
  /** The encoded members of a row whose windows have no trade. */
  empty: string
}

const emptyWindow: MarketWindow = {
  buyVolumeUsdE8: 0n,
  sellVolumeUsdE8: 0n,
  organicVolumeUsdE8: 0n,
  amountRaw: 0n,
  buyCount: 0,
  sellCount: 0,
  makers: 0,
  buyers: 0,
  sellers: 0,
  highUsd: null,
  lowUsd: null,
  changePercent: null,
  changesAtS: Number.POSITIVE_INFINITY,
}

/**
 * Creates the encoder of a row's windows. A star in a field's name is replaced by the window's
 * name. The 66 names are built once: building them per row would cost more than reading the market.
 */
export function createWindowEncoder<const fields extends Fields>(
  fields: fields,
  textOf: { readonly [name in keyof fields]: (window: MarketWindow) => string },
): WindowEncoder {
  const texts = Object.keys(fields).map((name) => textOf[name as keyof fields])
  // The closing quote of a decimal is written before the next name.
  const quotes = Object.values(fields).map(({ shape }) => (shape.is === 'decimal' ? '"' : ''))
  const starts = windowNames.map((window) =>
    Object.keys(fields).map((name, at) => {
      const quoteBefore = at === 0 ? '' : quotes[at - 1]!
      return `${quoteBefore},"${name.replace('*', window)}":${quotes[at]!}`
    }),
  )
  const end = quotes.at(-1)!
  function of(windows: readonly MarketWindow[]): string {
    let text = ''
    for (let at = 0; at < windows.length; at += 1) {
      const window = windows[at]!
      const startsOf = starts[at]!
      for (let field = 0; field < texts.length; field += 1)
        text += startsOf[field]! + texts[field]!(window)
      text += end
    }
    return text
  }
  return { of, empty: of(windowNames.map(() => emptyWindow)) }
}

const hourWindow = windowNames.indexOf('1h')
const dayWindow = windowNames.indexOf('24h')

/** A computed value, and the unix seconds at which the passing of time changes it. */
export type Expiring<value> = { value: value; validUntilS: number }

/** Summary of the last hour and day in rows, as encoded texts. */
export type DaySummary = {
  hourChange: string
  change: string
  volume: string
  count: number
  /** Amount traded, in the target token. */
  amount: string
}

/** Encoded members of the day and of all windows, each with a leading comma. */
type RowWindows = { day: string; windows: string }

type ReadTrading = (window: number) => WindowTrading

/**
 * Encodes the members of the last day, each with a leading comma. `decimals` are those of the
 * target token.
 */
export function encodeDaySummary(
  read: ReadTrading,
  decimals: number,
  dayText: (day: DaySummary) => string,
): Expiring<string> {
  const hour = read(hourWindow)
  const day = read(dayWindow)
  return {
    value: dayText(rowDayOf(hour, day, decimals)),
    validUntilS: Math.min(hour.changesAtS, day.changesAtS),
  }
}

/**
 * Encodes the members of the day and those of all windows, as two texts: they are written to a
 * buffer, and joining them would cost a copy.
 */
export function encodeRowWindows(
  read: (window: number) => MarketWindow,
  decimals: number,
  dayText: (day: DaySummary) => string,
  windowText: WindowEncoder,
): Expiring<RowWindows> {
  const day = read(dayWindow)
  // Shortcut for idle tokens: most tokens of a large market do not trade, so most cache misses are
  // idle tokens.
  if (isEmpty(day)) {
    const value = { day: dayText(rowDayOf(day, day, decimals)), windows: windowText.empty }
    return { value, validUntilS: Number.POSITIVE_INFINITY }
  }
  const windows = windowNames.map((_, window) => (window === dayWindow ? day : read(window)))
  const hour = windows[hourWindow]
  assert(hour !== undefined, 'it is a window')
  const validUntilS = Math.min(...windows.map(({ changesAtS }) => changesAtS))
  const value = { day: dayText(rowDayOf(hour, day, decimals)), windows: windowText.of(windows) }
  return { value, validUntilS }
}

/**
 * True when the longest window has no trade and no trade is about to leave it: then all windows are
 * empty and equal.
 */
function isEmpty({ buyCount, sellCount, changesAtS }: MarketWindow): boolean {
  return buyCount + sellCount === 0 && changesAtS === Number.POSITIVE_INFINITY
}

function rowDayOf(hour: WindowTrading, day: WindowTrading, decimals: number): DaySummary {
  return {
    hourChange: decimalOrZero(hour.changePercent),
    change: decimalOrZero(day.changePercent),
    volume: decimalOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8),
    count: day.buyCount + day.sellCount,
    amount: decimalOfRaw(day.amountRaw, decimals),
  }
}

const daySeconds = 86_400

/** Returns the next 00:00 UTC, at which values "since 00:00 UTC" change even without a block. */
export function dayEndS(nowS: number): number {
  return (Math.floor(nowS / daySeconds) + 1) * daySeconds
}
