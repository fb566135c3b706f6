import { strict as assert } from 'node:assert'
import { type MarketWindow, type WindowTrading, windowNames } from '../../engine/marketReads.ts'
import { decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'
import type { WindowText } from './windowText.ts'
import { decimalOrZero } from './wireNumber.ts'

const hourWindow = windowNames.indexOf('1h')
const dayWindow = windowNames.indexOf('24h')

/** A value, and when the passing of time alone will change it. */
export type Made<value> = { value: value; validUntilS: number }

/** What rows say of the last hour and the last day, as texts. */
export type RowDay = {
  hourChange: string
  change: string
  volume: string
  count: number
  /** Of the target token. */
  amount: string
}

/** Members as texts, each after a comma. */
type RowWindows = { day: string; windows: string }

type ReadTrading = (window: number) => WindowTrading

/** Members of the day, each after a comma. `decimals` are those of the target token. */
export function makeRowDay(
  read: ReadTrading,
  decimals: number,
  dayText: (day: RowDay) => string,
): Made<string> {
  const hour = read(hourWindow)
  const day = read(dayWindow)
  return {
    value: dayText(rowDayOf(hour, day, decimals)),
    validUntilS: Math.min(hour.changesAtS, day.changesAtS),
  }
}

/** Members of the day, and those of every window as a text of their own: they are written as they are, not joined. */
export function makeRowWindows(
  read: (window: number) => MarketWindow,
  decimals: number,
  dayText: (day: RowDay) => string,
  windowText: WindowText,
): Made<RowWindows> {
  const day = read(dayWindow)
  // Most tokens of a large market rest, and of what is found most is made for the first time.
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

/** No trade is in the longest window and none is to leave it: there is none in any, and all of them say the same. */
function isEmpty({ buyCount, sellCount, changesAtS }: MarketWindow): boolean {
  return buyCount + sellCount === 0 && changesAtS === Number.POSITIVE_INFINITY
}

function rowDayOf(hour: WindowTrading, day: WindowTrading, decimals: number): RowDay {
  return {
    hourChange: decimalOrZero(hour.changePercent),
    change: decimalOrZero(day.changePercent),
    volume: decimalOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8),
    count: day.buyCount + day.sellCount,
    amount: decimalOfRaw(day.amountRaw, decimals),
  }
}

const daySeconds = 86_400

/** The next 00:00 UTC: what is said of today holds until then, whether a block comes or not. */
export function dayEndS(nowS: number): number {
  return (Math.floor(nowS / daySeconds) + 1) * daySeconds
}
