import { windowNames } from '../../engine/marketReads.ts'
import { decimalOfE8 } from '../../lib/decimal.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { decimalOrZero } from '../rest/wireNumber.ts'
import { dayChangePercent } from './tokenRow.ts'

/** A token in a batch of prices, and the two numbers that thresholds look at. */
export type PriceEntry = {
  tvlUsd: number
  volume24hUsd: number
  /** JSON members without the braces and without the id, which each caller writes in its own way. */
  members: string
}

const dayWindow = windowNames.indexOf('24h')

export function priceEntry({ reads }: GatewayChain, tokenId: number, nowS: number): PriceEntry {
  const state = reads.tokenState(tokenId)
  const day = reads.tokenWindow(tokenId, dayWindow, nowS)
  const tvl = decimalOrZero(state.tvlUsd)
  const volume24h = decimalOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8)
  const members = JSON.stringify({
    current_price_usd: decimalOrZero(state.price?.usd ?? null),
    price_change_1d: decimalOrZero(dayChangePercent(reads, state)),
    price_change_24h: decimalOrZero(day.changePercent),
    tvl,
    fdv: decimalOrZero(state.fdvUsd),
    market_cap: decimalOrZero(state.marketCapUsd),
    tx_volume_u_24h: volume24h,
    holders: state.supply?.holders ?? 0,
    updated_at: state.updatedAtS,
  })
  return { tvlUsd: Number(tvl), volume24hUsd: Number(volume24h), members: members.slice(1, -1) }
}
