import { strict as assert } from 'node:assert'
import { type PairState, type TokenState, windowNames } from '../../engine/marketReads.ts'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { changePercent, decimalOrZero, ratioOf } from '../rest/wireNumber.ts'
import { pairTokens, type RecordOf, readRecord } from './pairTokens.ts'
import { createWindowText } from './windowText.ts'

const windowText = createWindowText({
  priceChange: (window) => `price_change_${window}`,
  volume: (window) => `volume_u_${window}`,
  buyVolume: (window) => `buy_volume_u_${window}`,
  sellVolume: (window) => `sell_volume_u_${window}`,
  organicVolume: (window) => `organic_volume_u_${window}`,
  count: (window) => `tx_${window}_count`,
  buyCount: (window) => `buys_tx_${window}_count`,
  sellCount: (window) => `sells_tx_${window}_count`,
  makers: (window) => `makers_${window}`,
  buyers: (window) => `buyers_${window}`,
  sellers: (window) => `sellers_${window}`,
})

/** JSON of a pair as its detail shows it. */
export function pairRow(
  chain: GatewayChain,
  pairId: number,
  nowS: number,
  recordOf: RecordOf = readRecord,
): string {
  const { reads, profile } = chain
  const pair = reads.pairState(pairId)
  const windows = windowNames.map((_, i) => reads.pairWindow(pairId, i, nowS))
  const { record } = pair
  const { is0Target, target, token0, token1 } = pairTokens(chain, pair, recordOf)
  const day = windows.at(-1)
  assert(day !== undefined, 'the longest window is 24 hours')
  const priceUsd = is0Target ? pair.price0Usd : pair.price1Usd
  const lasting = {
    pair: record.address,
    chain: profile.name,
    amm: record.amm,
    target_token: target.record.address,
    token0_address: token0.address,
    token0_symbol: token0.symbol,
    token0_decimal: token0.decimals,
    token1_address: token1.address,
    token1_symbol: token1.symbol,
    token1_decimal: token1.decimals,
    token0_price_usd: decimalOrZero(pair.price0Usd),
    token0_price_eth: decimalOrZero(pair.price0Native),
    token1_price_usd: decimalOrZero(pair.price1Usd),
    token1_price_eth: decimalOrZero(pair.price1Native),
    reserve0: decimalOfRaw(pair.reserve0, token0.decimals),
    reserve1: decimalOfRaw(pair.reserve1, token1.decimals),
    init_reserve0: decimalOfRaw(pair.initReserve0, token0.decimals),
    init_reserve1: decimalOfRaw(pair.initReserve1, token1.decimals),
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
  }
  return `${JSON.stringify(lasting).slice(0, -1)}${windowText(windows)}}`
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
