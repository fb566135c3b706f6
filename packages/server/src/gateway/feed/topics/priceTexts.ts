import type { PairState, TokenTvl, WindowTrading } from '../../../engine/marketReads.ts'
import { decimalOfE8, decimalOfRaw } from '../../../lib/decimal.ts'
import type { PairFacts } from '../../chain/pairFacts.ts'
import { priceResultText, pushedPriceText } from '../../ground/rowTexts.ts'
import { poolUsdReason } from '../../rows/usdReason.ts'
import { decimalOrZero, unknownMark } from '../../rows/wireNumber.ts'
import { timeMsText } from '../tradeTexts.ts'

/** USD price of a token, now and before its last change. */
export type PriceChange = { now: number | null; before: number | null }

/** Values of a price entry, for a pair's target token or for a token with that main pair. */
export type PriceSubject = {
  addressJson: string
  decimals: number
  step: PriceChange
  /** Change of the price in percent since 00:00 UTC. */
  changeToday: number
  /** Trading of the pair or token in the last 24 hours. */
  window: WindowTrading
  makers: number
  tvl: TokenTvl
  isMainPair: boolean
  /** Time of the pair's last trade; undefined: only the second is known. */
  timeMs?: number | undefined
}

/** One price of a `price` push as JSON. `state` is of the pair that the entry names. */
export function priceEntryText(facts: PairFacts, state: PairState, subject: PriceSubject): string {
  const { addressJson, changeToday, window, timeMs } = subject
  const { now, before } = subject.step
  const change = decimalOrZero(changeToday)
  const known = unknownMark(state.areReservesKnown)
  return pushedPriceText({
    chain: facts.chainJson,
    change,
    direction: directionOf(now ?? 0, before ?? 0),
    is_main_pair: `${subject.isMainPair}`,
    last_price: decimalOrZero(before),
    makers_24h: `${subject.makers}`,
    pair: facts.addressJson,
    price_change: change,
    price_change_24h: decimalOrZero(window.changePercent),
    reserve0: decimalOfRaw(state.reserve0, facts.token0.decimals),
    reserve0_known: known,
    reserve1: decimalOfRaw(state.reserve1, facts.token1.decimals),
    reserve1_known: known,
    target_token: facts.target.addressJson,
    time: `${state.updatedAtS}`,
    time_ms: timeMsText(timeMs),
    token: addressJson,
    tvl: decimalOrZero(subject.tvl.usd),
    tvl_known: unknownMark(subject.tvl.isKnown),
    tx_amount_24h: decimalOfRaw(window.amountRaw, subject.decimals),
    tx_count_24h: `${window.buyCount + window.sellCount}`,
    uprice: decimalOrZero(now),
    volume_24_u: decimalOfE8(window.buyVolumeUsdE8 + window.sellVolumeUsdE8),
    usd_reason: poolUsdReason(facts.isTrusted),
  })
}

export function priceResult(entries: readonly string[]): string {
  return priceResultText({ prices: `[${entries.join(',')}]` })
}

function directionOf(now: number, before: number): 'up' | 'down' | 'flat' {
  if (now === before) return 'flat'
  return now > before ? 'up' : 'down'
}
