import { decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'
import type { Kline, Ohlc } from '../../model/kline.ts'
import { poolReason, usdReasonMember } from '../usdReason.ts'
import { jsonDecimal } from './jsonText.ts'
import type { PairDay } from './pairDay.ts'
import type { PairFacts } from './pairFacts.ts'

/** The last 24 hours as every kline of the pair carries them. */
export function klineDayFields(
  { target, isTrusted }: PairFacts,
  { window, changeToday }: PairDay,
): string {
  return `"amount_24h":"${decimalOfRaw(window.amountRaw, target.decimals)}","change":${jsonDecimal(changeToday)},"change_v2":${jsonDecimal(window.changePercent)},"count_24h":"${window.buyCount + window.sellCount}","high_24h":${jsonDecimal(window.highUsd)},"low_24h":${jsonDecimal(window.lowUsd)},"swap":"","volume_24h":"${decimalOfE8(window.buyVolumeUsdE8 + window.sellVolumeUsdE8)}"${usdReasonMember(poolReason(isTrusted))}`
}

export type KlineParts = {
  facts: PairFacts
  /** As pushes name it. */
  interval: string
  kline: Kline
  dayFields: string
  /** Members before the others, each with its comma. */
  mark: string
}

/** Of a `kline` or `multi_kline` subscription. */
export function klineResult({ facts, interval, kline, dayFields, mark }: KlineParts): string {
  const { startS } = kline
  const nativeVolume = decimalOfRaw(kline.volumeNativeRaw, facts.nativeDecimals)
  return `{${mark}"id":${facts.idJson},"interval":"${interval}","kline":{"eth":{${ohlcFields(kline.native)},"time":${startS},"volume":"${nativeVolume}"},"usd":{${ohlcFields(kline.usd)},${dayFields},"time":${startS},"volume":"${decimalOfE8(kline.volumeUsdE8)}"}},"topic":"kline"}`
}

function ohlcFields({ open, high, low, close }: Ohlc): string {
  return `"close":${jsonDecimal(close)},"high":${jsonDecimal(high)},"low":${jsonDecimal(low)},"open":${jsonDecimal(open)}`
}

/** For those who asked for revisions: how often a reorg changed this kline, and whether it has ended. */
export function revisionMark(revision: number, isFinal: boolean): string {
  return `"revision":${revision},"final":${isFinal},`
}
