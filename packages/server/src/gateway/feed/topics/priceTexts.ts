import { decimalOfE8, decimalOfRaw } from '../../../lib/decimal.ts'
import { poolReason } from '../../rows/usdReason.ts'
import { decimalOrZero, unknownMark } from '../../rows/wireNumber.ts'
import { priceResultText, pushedPriceText } from '../../rowTexts.ts'
import type { PairDay } from '../entryScope.ts'
import type { PairFacts } from '../pairFacts.ts'
import { timeMsText } from '../tradeTexts.ts'

/** USD of the token, now and before the newest change. */
export type PriceStep = { now: number | null; before: number | null }

/** What an entry says of the pair's target, or of the token whose main pair it is. */
export type PriceSubject = {
  addressJson: string
  step: PriceStep
  /** Percent since 00:00 UTC. */
  changeToday: number
  /** Percent; null without a price. */
  change24h: number | null
  isMainPair: boolean
  /** When the pair was last traded; undefined: only its second is known. */
  timeMs?: number | undefined
}

/** The pair's target by the pair's own prices. */
export function targetSubject(
  { target }: PairFacts,
  { window, changeToday }: PairDay,
  step: PriceStep,
  isMainPair: boolean,
  timeMs?: number,
): PriceSubject {
  const { addressJson } = target
  return { addressJson, step, changeToday, change24h: window.changePercent, isMainPair, timeMs }
}

export function priceEntry(
  facts: PairFacts,
  { state, window, makers }: PairDay,
  subject: PriceSubject,
): string {
  const { addressJson, changeToday, change24h, isMainPair, timeMs } = subject
  const { now, before } = subject.step
  const change = decimalOrZero(changeToday)
  const known = unknownMark(state.areReservesKnown)
  return pushedPriceText({
    chain: facts.chainJson,
    change,
    direction: directionOf(now ?? 0, before ?? 0),
    is_main_pair: `${isMainPair}`,
    last_price: decimalOrZero(before),
    makers_24h: `${makers()}`,
    pair: facts.addressJson,
    price_change: change,
    price_change_24h: decimalOrZero(change24h),
    reserve0: decimalOfRaw(state.reserve0, facts.token0.decimals),
    reserve0_known: known,
    reserve1: decimalOfRaw(state.reserve1, facts.token1.decimals),
    reserve1_known: known,
    target_token: facts.target.addressJson,
    time: `${state.updatedAtS}`,
    time_ms: timeMsText(timeMs),
    token: addressJson,
    tvl: decimalOrZero(state.tvlUsd),
    tvl_known: known,
    tx_amount_24h: decimalOfRaw(window.amountRaw, facts.target.decimals),
    tx_count_24h: `${window.buyCount + window.sellCount}`,
    uprice: decimalOrZero(now),
    volume_24_u: decimalOfE8(window.buyVolumeUsdE8 + window.sellVolumeUsdE8),
    usd_reason: poolReason(facts.isTrusted),
  })
}

export function priceResult(entries: readonly string[]): string {
  return priceResultText({ prices: `[${entries.join(',')}]` })
}

function directionOf(now: number, before: number): 'up' | 'down' | 'flat' {
  if (now === before) return 'flat'
  return now > before ? 'up' : 'down'
}
