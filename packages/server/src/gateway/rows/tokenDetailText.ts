import type { GatewayChain } from '../gatewayChain.ts'
import { detailPair } from './detailPair.ts'
import type { RecordOf } from './pairTokens.ts'

const pairsShownMax = 5

export type TokenDetailParts = {
  /** JSON of the token's row. */
  tokenJson: string
  nowS: number
  recordOf: RecordOf
}

/** The whole answer of token detail: the row of the token and its first pairs, the main pair first, then by TVL. */
export function tokenDetailText(
  chain: GatewayChain,
  tokenId: number,
  { tokenJson, nowS, recordOf }: TokenDetailParts,
): string {
  const { pairIds } = chain.reads.tokenState(tokenId)
  const pairs = pairIds
    .slice(0, pairsShownMax)
    .map((pairId) => detailPair(chain, pairId, nowS, recordOf))
  return detailText(tokenJson, JSON.stringify(pairs), 'SUCCESS')
}

/** What is said of a token that nobody has traded here. */
export const tokenNotFoundText = detailText('{}', '[]', 'SUCCESS: token not found')

/** Audits are not followed: none is claimed. */
function detailText(token: string, pairs: string, msg: string): string {
  const data = `{"is_audited":false,"token":${token},"pairs":${pairs}}`
  return `{"status":1,"msg":${JSON.stringify(msg)},"data_type":1,"data":${data}}`
}
