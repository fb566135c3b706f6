import { decimalOfRaw } from '../../lib/decimal.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { changePercent, decimalOrZero } from '../rest/wireNumber.ts'
import { pairTokens } from './pairTokens.ts'
import type { RowDay } from './rowWindows.ts'

const ppm = 1_000_000

/** A pair as it stands beside its token: the day in a few fields, where pair detail has every window. */
export function detailPair(chain: GatewayChain, pairId: number, day: RowDay) {
  const { reads, profile } = chain
  const pair = reads.pairState(pairId)
  const { record } = pair
  const { is0Target, target, worth, token0, token1 } = pairTokens(chain, pair)
  const priceUsd = is0Target ? pair.price0Usd : pair.price1Usd
  const dayChange = decimalOrZero(changePercent(pair.dayOpenUsd, priceUsd))
  return {
    pair: record.address,
    chain: profile.name,
    amm: record.amm,
    target_token: target.address,
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
    // Anybody can make a pool with any numbers in it: only what a known factory confirms counts.
    tvl: record.isTrusted ? decimalOrZero(pair.tvlUsd) : '0',
    price_change: dayChange,
    price_change_1d: dayChange,
    price_change_1h: day.hourChange,
    price_change_24h: day.change,
    volume_u: day.volume,
    tx_amount: decimalOfRaw(day.amountRaw, target.decimals),
    tx_count: day.count,
    high_u: day.high,
    low_u: day.low,
    market_cap: decimalOrZero(worth.marketCapUsd),
    fdv: decimalOrZero(worth.fdvUsd),
    fee: record.feePpm === null ? '' : decimalOrZero(record.feePpm / ppm),
    // Of the pool's own shares, which the market does not follow.
    total_supply: '',
    is_fake: !record.isTrusted,
    is_main_pair: worth.mainPairId === record.id,
    created_at: record.createdAtS,
    updated_at: pair.updatedAtS,
  }
}
