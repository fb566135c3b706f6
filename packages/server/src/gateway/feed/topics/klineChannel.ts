import { type Interval, pushInterval } from '@chaintape/protocol'
import { BoundedMap } from '../../../lib/boundedMap.ts'
import { decimalOfE8, decimalOfRaw } from '../../../lib/decimal.ts'
import { type Kline, klineIntervalNames, type Ohlc } from '../../../model/klines/kline.ts'
import type { UsdNativePrice } from '../../../model/price.ts'
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
import { PushChannel } from '../channel.ts'
import type { PairDay, PublishScope } from '../publishScope.ts'
import { type Push, TextPush } from '../push.ts'

// Reorg corrections are counted for this many klines per channel. A reorg spans few klines.
const revisionsMax = 64

/** Subscribers to the klines of one pair and one interval. */
export class KlineChannel extends PushChannel {
  /** The kline that was pushed last; null if none was, or if it was retracted. */
  lastPushed: Kline | null = null
  /** Number of reorg corrections by kline start. Only corrected klines have an entry. */
  #revisions: Map<number, number> | null = null

  revisionOf(startS: number): number {
    return this.#revisions?.get(startS) ?? 0
  }

  addRevision(startS: number): number {
    const count = this.revisionOf(startS) + 1
    this.#revisions ??= new BoundedMap(revisionsMax)
    this.#revisions.set(startS, count)
    return count
  }

  clear(): void {
    this.lastPushed = null
    this.#revisions = null
  }
}

/** Kline subscribers of one pair, in one channel per interval. */
export type PairChannels = {
  /** Kline channels by interval index; null without subscribers. */
  readonly channels: (KlineChannel | null)[]
  /** The pair's price after the last published entry, to notice moves without a trade. */
  price: Readonly<UsdNativePrice>
  /** Whether an open kline without trades was pushed. */
  hasKlineWithoutTrades: boolean
}

export const noPrice: Readonly<UsdNativePrice> = { usd: 0, native: 0 }

export type KlineToPush = { pairId: number; interval: number; kline: Kline }

export function sendOpenKline(scope: PublishScope, channel: KlineChannel, open: KlineToPush): void {
  if (channel.hasWithoutRevisions) channel.sendWithoutRevisions(klinePush(scope, open, null))
  if (!channel.hasRevisions) return
  const revision = channel.revisionOf(open.kline.startS)
  channel.sendWithRevisions(klinePush(scope, open, { revision, isFinal: false }))
}

/**
 * Corrects the last pushed kline after a revert. A kline that the reverted block had opened is
 * retracted.
 */
export function reviseKline(
  scope: PublishScope,
  channel: KlineChannel,
  { pairId, interval, now }: { pairId: number; interval: number; now: Kline | null },
): void {
  const { lastPushed } = channel
  if (lastPushed === null) return
  const revision = channel.addRevision(lastPushed.startS)
  if (now !== null && now.startS >= lastPushed.startS) return
  retractKline(scope, channel, { pairId, interval, kline: lastPushed }, revision)
  channel.lastPushed = now
}

/** Retracts an open kline that no longer exists, for subscribers with revisions. */
export function retractKline(
  scope: PublishScope,
  channel: KlineChannel,
  gone: KlineToPush,
  revision = channel.revisionOf(gone.kline.startS),
): void {
  channel.lastPushed = null
  if (!channel.hasRevisions) return
  const mark = { revision, isFinal: false, isRetracted: true }
  channel.sendWithRevisions(klinePush(scope, gone, mark))
}

/** Push of one kline. For a slow client, the newest push of a bucket replaces older ones. */
export function klinePush(
  scope: PublishScope,
  { pairId, interval, kline: pushed }: KlineToPush,
  mark: KlineMark | null,
): Push {
  const facts = scope.market.facts.get(pairId)
  const name: Interval = klineIntervalNames[interval]!
  const dayFields = scope.pairText(klineDayFields, pairId)
  return new TextPush({
    result: klineResult({ facts, interval: pushInterval(name), kline: pushed, dayFields, mark }),
    place: scope.place,
    sentMs: scope.sentMs,
    conflateKey: `kline:${facts.address}-${scope.market.name}:${name}:${pushed.startS}`,
  })
}

/** Whether a kline was pushed with a price that nobody traded at. */
export function hasUntradedPrice({ usd, native }: Kline, ended: Kline): boolean {
  return !isSamePrices(usd, ended.usd) || !isSamePrices(native, ended.native)
}

function isSamePrices(a: Ohlc, b: Ohlc): boolean {
  return a.close === b.close && a.high === b.high && a.low === b.low
}

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
