import type { GatewayChain } from '../gatewayChain.ts'
import { changePercent, decimalOrZero } from '../rest/wireNumber.ts'
import type { DayTrading } from './rowWindows.ts'

/** A token in a batch of prices, and the two numbers that thresholds look at. */
export type PriceEntry = {
  tvlUsd: number
  volume24hUsd: number
  /** JSON members without the braces and without the id, which each caller writes in its own way. */
  members: string
}

export function priceEntry({ reads }: GatewayChain, tokenId: number, day: DayTrading): PriceEntry {
  const worth = reads.tokenWorth(tokenId)
  const tvl = decimalOrZero(reads.tokenTvlUsd(tokenId))
  const dayChange = changePercent(worth.dayOpenUsd, worth.priceUsd)
  const members =
    `"current_price_usd":"${decimalOrZero(worth.priceUsd)}"` +
    `,"price_change_1d":"${decimalOrZero(dayChange)}","price_change_24h":"${day.change}"` +
    `,"tvl":"${tvl}","fdv":"${decimalOrZero(worth.fdvUsd)}"` +
    `,"market_cap":"${decimalOrZero(worth.marketCapUsd)}","tx_volume_u_24h":"${day.volume}"` +
    `,"holders":${worth.holders},"updated_at":${worth.updatedAtS}`
  return { tvlUsd: Number(tvl), volume24hUsd: day.volumeUsd, members }
}
