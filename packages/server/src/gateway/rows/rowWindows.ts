import { strict as assert } from 'node:assert'
import { type MarketWindow, type WindowTrading, windowNames } from '../../engine/marketReads.ts'
import { decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'
import { decimalOrZero } from '../rest/wireNumber.ts'
import type { Made } from './rowCache.ts'

const hourWindow = windowNames.indexOf('1h')
const dayWindow = windowNames.indexOf('24h')

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

/** The same with the members of every window, each after a comma. */
export type RowWindows = { day: RowDay; text: string }

type ReadTrading = (window: number) => WindowTrading

/** `decimals` are those of the target token. */
export function makeRowDay(read: ReadTrading, decimals: number): Made<RowDay> {
  const hour = read(hourWindow)
  const day = read(dayWindow)
  return {
    value: rowDayOf(hour, day, decimals),
    validUntilS: Math.min(hour.changesAtS, day.changesAtS),
  }
}

export function makeRowWindows(
  read: (window: number) => MarketWindow,
  decimals: number,
  windowText: (windows: readonly MarketWindow[]) => string,
): Made<RowWindows> {
  const windows = windowNames.map((_, window) => read(window))
  const hour = windows[hourWindow]
  const day = windows[dayWindow]
  assert(hour !== undefined && day !== undefined, 'these are windows')
  // Through bytes: a text of hundreds of parts would be put together again for every row.
  const text = Buffer.from(windowText(windows)).toString()
  const validUntilS = Math.min(...windows.map(({ changesAtS }) => changesAtS))
  return { value: { day: rowDayOf(hour, day, decimals), text }, validUntilS }
}

/** What is asked of a day where nothing else is shown. */
export type DayTrading = { change: string; volume: string; volumeUsd: number; count: number }

export function makeDayTrading(read: ReadTrading): Made<DayTrading> {
  const day = read(dayWindow)
  const volume = decimalOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8)
  const change = decimalOrZero(day.changePercent)
  const count = day.buyCount + day.sellCount
  return {
    value: { change, volume, volumeUsd: Number(volume), count },
    validUntilS: day.changesAtS,
  }
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
