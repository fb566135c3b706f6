import { decimalOfE8, decimalOfRaw } from '../../../lib/decimal.ts'
import type { Kline, Ohlc } from '../../../model/klines/kline.ts'
import type { PairFacts } from '../../chain/pairFacts.ts'
import {
  klineDayText,
  klineEthText,
  klineResultText,
  klineUnitsText,
  klineUsdEndText,
  klineUsdStartText,
} from '../../ground/rowTexts.ts'
import { poolUsdReason } from '../../rows/usdReason.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import type { PairDay } from '../publishScope.ts'

/** The 24-hour fields that every kline of a pair carries, as JSON text after a comma. */
export function klineDayFields(
  { target, isTrusted }: PairFacts,
  { window, changeToday }: PairDay,
): string {
  return klineDayText({
    amount_24h: decimalOfRaw(window.amountRaw, target.decimals),
    change: decimalOrZero(changeToday),
    change_v2: decimalOrZero(window.changePercent),
    count_24h: `${window.buyCount + window.sellCount}`,
    high_24h: decimalOrZero(window.highUsd),
    low_24h: decimalOrZero(window.lowUsd),
    volume_24h: decimalOfE8(window.buyVolumeUsdE8 + window.sellVolumeUsdE8),
    usd_reason: poolUsdReason(isTrusted),
  })
}

/**
 * Fields for subscribers with revisions: the number of reorg corrections, and whether the kline has
 * ended or is retracted.
 */
export type KlineMark = { revision: number; isFinal: boolean; isRetracted?: boolean }

type KlineParts = {
  facts: PairFacts
  /** Name of the kline interval in pushes. */
  interval: string
  kline: Kline
  dayFields: string
  mark: KlineMark | null
}

/** Result object of a `kline` or `multi_kline` push. */
export function klineResult({ facts, interval, kline, dayFields, mark }: KlineParts): string {
  const { native, usd, volumeNativeRaw, volumeUsdE8 } = kline
  const time = `${kline.startS}`
  const eth = klineEthText({
    close: decimalOrZero(native.close),
    high: decimalOrZero(native.high),
    low: decimalOrZero(native.low),
    open: decimalOrZero(native.open),
    time,
    volume: decimalOfRaw(volumeNativeRaw, facts.nativeDecimals),
  })
  const usdEnd = klineUsdEndText({ time, volume: decimalOfE8(volumeUsdE8) })
  return klineResultText({
    retracted: mark?.isRetracted === true ? 'true' : null,
    revision: mark === null ? null : `${mark.revision}`,
    final: mark === null ? null : `${mark.isFinal}`,
    id: facts.idJson,
    interval,
    kline: klineUnitsText({ eth, usd: `${usdStart(usd)}${dayFields}${usdEnd}` }),
  })
}

function usdStart({ open, high, low, close }: Ohlc): string {
  return klineUsdStartText({
    close: decimalOrZero(close),
    high: decimalOrZero(high),
    low: decimalOrZero(low),
    open: decimalOrZero(open),
  })
}
