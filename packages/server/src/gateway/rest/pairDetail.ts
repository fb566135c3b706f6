import { strict as assert } from 'node:assert'
import {
  type MarketWindow,
  type PairState,
  type TokenState,
  windowNames,
} from '../../engine/marketReads.ts'
import { decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'
import { type Clock, type GatewayChains, nowSOf } from '../gatewayChain.ts'
import { parsePairId } from '../requestInputs.ts'
import { allWindowFields, type WindowFields } from './allWindowFields.ts'
import { changePercent, decimalOrZero, ratioOf } from './wireNumber.ts'

export type PairDetail = ReturnType<typeof pairRow>

/** GET /v2/pairs/{pair-id}; null when the pair is not known. */
export function pairDetail(chains: GatewayChains, id: string, clock: Clock): PairDetail | null {
  const { chain, address } = parsePairId(chains, id)
  const { reads, profile } = chain
  const pairId = reads.findPair(address)
  if (pairId === undefined) return null
  const pair = reads.pairState(pairId)
  const nowS = nowSOf(chain, clock)
  return pairRow({
    chainName: profile.name,
    pair,
    token0: reads.tokenState(pair.record.token0Id),
    token1: reads.tokenState(pair.record.token1Id),
    windows: windowNames.map((_, i) => reads.pairWindow(pairId, i, nowS)),
  })
}

type PairRowParts = {
  chainName: string
  pair: PairState
  token0: TokenState
  token1: TokenState
  /** In the order of `windowNames`. */
  windows: readonly MarketWindow[]
}

function pairRow({ chainName, pair, token0, token1, windows }: PairRowParts) {
  const { record } = pair
  const is0Target = pair.targetTokenId === record.token0Id
  const target = is0Target ? token0 : token1
  const day = windows.at(-1)
  assert(day !== undefined, 'the longest window is 24 hours')
  const priceUsd = is0Target ? pair.price0Usd : pair.price1Usd
  return {
    pair: record.address,
    chain: chainName,
    amm: record.amm,
    target_token: target.record.address,
    token0_address: token0.record.address,
    token0_symbol: token0.record.symbol,
    token0_decimal: token0.record.decimals,
    token1_address: token1.record.address,
    token1_symbol: token1.record.symbol,
    token1_decimal: token1.record.decimals,
    token0_price_usd: decimalOrZero(pair.price0Usd),
    token0_price_eth: decimalOrZero(pair.price0Native),
    token1_price_usd: decimalOrZero(pair.price1Usd),
    token1_price_eth: decimalOrZero(pair.price1Native),
    reserve0: decimalOfRaw(pair.reserve0, token0.record.decimals),
    reserve1: decimalOfRaw(pair.reserve1, token1.record.decimals),
    init_reserve0: decimalOfRaw(pair.initReserve0, token0.record.decimals),
    init_reserve1: decimalOfRaw(pair.initReserve1, token1.record.decimals),
    reserve_change: decimalOrZero(reserveChangePercent(pair, is0Target)),
    tvl: decimalOrZero(pair.tvlUsd),
    market_cap: decimalOrZero(target.marketCapUsd),
    fdv: decimalOrZero(target.fdvUsd),
    open_price: decimalOrZero(pair.dayOpenUsd),
    high_u: decimalOrZero(day.highUsd),
    low_u: decimalOrZero(day.lowUsd),
    price_ath_u: decimalOrZero(pair.athUsd),
    price_change_1d: decimalOrZero(changePercent(pair.dayOpenUsd, priceUsd)),
    tx_amount: decimalOfRaw(day.amountRaw, target.record.decimals),
    created_at: record.createdAtS,
    first_trade_at: pair.firstTradeAtS,
    first_trade_block_number: pair.firstTradeBlock,
    last_trade_at: pair.lastTradeAtS,
    updated_at: pair.updatedAtS,
    ...tagFields(pair, target),
    is_main_pair: target.mainPairId === record.id,
    is_trusted: record.isTrusted,
    ...allWindowFields(windows, windowFields),
  }
}

/** `tag` is the launch platform of the pair's token, `dynamic_tag` adds how far the launch is. */
function tagFields({ record }: PairState, { launch }: TokenState) {
  const tag = record.platform ?? launch?.platform ?? ''
  return { tag, dynamic_tag: launch === null ? tag : `${launch.platform}_${launch.state}` }
}

/** Percent the quote side grew or shrank since the pool's first reserves. */
function reserveChangePercent(pair: PairState, is0Target: boolean): number {
  const now = is0Target ? pair.reserve1 : pair.reserve0
  const first = is0Target ? pair.initReserve1 : pair.initReserve0
  return ratioOf(now - first, first) * 100
}

function windowFields(name: string, window: MarketWindow): WindowFields {
  return {
    [`price_change_${name}`]: decimalOrZero(window.changePercent),
    [`volume_u_${name}`]: decimalOfE8(window.buyVolumeUsdE8 + window.sellVolumeUsdE8),
    [`buy_volume_u_${name}`]: decimalOfE8(window.buyVolumeUsdE8),
    [`sell_volume_u_${name}`]: decimalOfE8(window.sellVolumeUsdE8),
    [`organic_volume_u_${name}`]: decimalOfE8(window.organicVolumeUsdE8),
    [`tx_${name}_count`]: window.buyCount + window.sellCount,
    [`buys_tx_${name}_count`]: window.buyCount,
    [`sells_tx_${name}_count`]: window.sellCount,
    [`makers_${name}`]: window.makers,
    [`buyers_${name}`]: window.buyers,
    [`sellers_${name}`]: window.sellers,
  }
}
