import { windowsS } from '../../../engine/marketReads.ts'
import { decimalOfE8 } from '../../../lib/decimal.ts'
import type { GatewayChain } from '../../gatewayChain.ts'
import { decimalOrZero } from '../../rest/wireNumber.ts'
import { trendingResultText, trendingTokenText } from '../../rowTexts.ts'
import type { TokenFacts } from '../pairFacts.ts'

const dayWindow = windowsS.length - 1

export type RankedToken = {
  facts: TokenFacts
  /** From 1. */
  rank: number
  /** Null: was not among the ranks before. */
  rankBefore: number | null
}

/** All ranks of a chain, each with the rank before. */
export function trendingResult(
  chain: GatewayChain,
  ranked: readonly RankedToken[],
  nowS: number,
): string {
  const tokens = ranked.map((token) => rankText(chain, token, nowS)).join(',')
  return trendingResultText({ chain: JSON.stringify(chain.profile.name), tokens: `[${tokens}]` })
}

function rankText({ reads }: GatewayChain, token: RankedToken, nowS: number): string {
  const { facts, rank, rankBefore } = token
  const { price, mainPairId } = reads.tokenFacts(facts.id)
  const day = reads.tokenWindow(facts.id, dayWindow, nowS)
  const mainPair = mainPairId === null ? '' : reads.pairRecord(mainPairId).address
  return trendingTokenText({
    current_price_usd: decimalOrZero(price?.usd ?? null),
    main_pair: JSON.stringify(mainPair),
    name: facts.nameJson,
    price_change_24h: decimalOrZero(day.changePercent),
    rank: `${rank}`,
    rank_before: `${rankBefore}`,
    symbol: facts.symbolJson,
    token: facts.addressJson,
    tx_count_24h: `${day.buyCount + day.sellCount}`,
    tx_volume_u_24h: decimalOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8),
  })
}
