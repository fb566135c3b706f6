import type { GatewayChain } from '../gatewayChain.ts'
import { detailPair } from './detailPair.ts'
import type { Made } from './rowCache.ts'
import type { RowDay } from './rowWindows.ts'
import type { WindowCache } from './windowCache.ts'

const pairsShownMax = 5

export type TokenDetailParts = {
  /** JSON of the token's row. */
  token: Made<string>
  nowS: number
  pairDay: WindowCache<RowDay>
}

/** The whole answer of token detail: the row of the token and its first pairs, the main pair first, then by TVL. */
export function tokenDetailText(
  chain: GatewayChain,
  tokenId: number,
  { token, nowS, pairDay }: TokenDetailParts,
): Made<string> {
  const { pairIds } = chain.reads.tokenPairs(tokenId)
  let { validUntilS } = token
  const pairs = pairIds.slice(0, pairsShownMax).map((pairId) => {
    const day = pairDay(chain, pairId, nowS)
    validUntilS = Math.min(validUntilS, day.validUntilS)
    return detailPair(chain, pairId, day.value)
  })
  return { value: detailText(token.value, JSON.stringify(pairs), 'SUCCESS'), validUntilS }
}

/** What is said of a token that nobody has traded here. */
export const tokenNotFoundText = detailText('{}', '[]', 'SUCCESS: token not found')

/** Audits are not followed: none is claimed. */
function detailText(token: string, pairs: string, msg: string): string {
  const data = `{"is_audited":false,"token":${token},"pairs":${pairs}}`
  return `{"status":1,"msg":${JSON.stringify(msg)},"data_type":1,"data":${data}}`
}
