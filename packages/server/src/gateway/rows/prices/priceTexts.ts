import { windowNames } from '../../../engine/marketReads.ts'
import { decimalOfE8 } from '../../../lib/decimal.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { priceDayText, priceNowText } from '../../ground/rowTexts.ts'
import { dayEndS, type Expiring } from '../rowWindows.ts'
import { tokenUsdReason } from '../usdReason.ts'
import { changePercent, decimalOrZero, unknownMark, usdOfE8 } from '../wireNumber.ts'

/**
 * Encodes a token's members of a price batch, and returns the two numbers that thresholds compare.
 */
export type PriceTexts = {
  /**
   * Encodes members that only trades and the passing of time change, each with a trailing comma.
   */
  day(
    chain: GatewayChain,
    tokenId: number,
    nowS: number,
  ): Expiring<{ text: string; volumeUsd: number }>
  /**
   * Encodes members that any block may change, with the closing brace. Valid until the next block,
   * and no longer than the day.
   */
  worth(chain: GatewayChain, tokenId: number, nowS: number): { text: string; tvlUsd: number }
}

const dayWindow = windowNames.indexOf('24h')

export const priceTexts: PriceTexts = {
  day({ reads }, tokenId, nowS) {
    const day = reads.tokenTrading(tokenId, dayWindow, nowS)
    const volumeE8 = day.buyVolumeUsdE8 + day.sellVolumeUsdE8
    const text = priceDayText({
      price_change_24h: decimalOrZero(day.changePercent),
      tx_volume_u_24h: decimalOfE8(volumeE8),
    })
    const validUntilS = Math.min(day.changesAtS, dayEndS(nowS))
    return { value: { text, volumeUsd: usdOfE8(volumeE8) }, validUntilS }
  },
  worth({ reads }, tokenId, nowS) {
    const worth = reads.tokenWorth(tokenId)
    const { usd: tvlUsd, isKnown } = reads.tokenTvl(tokenId)
    const dayChange = changePercent(reads.tokenDayOpenUsd(tokenId, nowS), worth.priceUsd)
    const text = priceNowText({
      current_price_usd: decimalOrZero(worth.priceUsd),
      price_change_1d: decimalOrZero(dayChange),
      tvl: decimalOrZero(tvlUsd),
      tvl_known: unknownMark(isKnown),
      fdv: decimalOrZero(worth.fdvUsd),
      market_cap: decimalOrZero(worth.marketCapUsd),
      market_cap_known: unknownMark(worth.isSupplyKnown),
      fdv_known: unknownMark(worth.isSupplyKnown),
      holders: `${worth.holders}`,
      updated_at: `${worth.updatedAtS}`,
      usd_reason: tokenUsdReason(worth.priceUsd !== null, worth),
    })
    return { text, tvlUsd: Number.isFinite(tvlUsd) ? tvlUsd : 0 }
  },
}
