import { strict as assert } from 'node:assert'
import { type MarketWindow, type WindowTrading, windowNames } from '../../engine/marketReads.ts'
import { decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'
import { decimalOrZero } from '../rest/wireNumber.ts'

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
  high: string
  low: string
}

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

/** Members of the day, then those of every window, each after a comma. */
export function makeRowWindows(
  read: (window: number) => MarketWindow,
  decimals: number,
  dayText: (day: RowDay) => string,
  windowText: (windows: readonly MarketWindow[]) => string,
): Made<string> {
  const windows = windowNames.map((_, window) => read(window))
  const hour = windows[hourWindow]
  const day = windows[dayWindow]
  assert(hour !== undefined && day !== undefined, 'these are windows')
  const validUntilS = Math.min(...windows.map(({ changesAtS }) => changesAtS))
  return { value: dayText(rowDayOf(hour, day, decimals)) + windowText(windows), validUntilS }
}

function rowDayOf(hour: WindowTrading, day: WindowTrading, decimals: number): RowDay {
  return {
    hourChange: decimalOrZero(hour.changePercent),
    change: decimalOrZero(day.changePercent),
    volume: decimalOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8),
    count: day.buyCount + day.sellCount,
    amount: decimalOfRaw(day.amountRaw, decimals),
    high: decimalOrZero(day.highUsd),
    low: decimalOrZero(day.lowUsd),
  }
}
