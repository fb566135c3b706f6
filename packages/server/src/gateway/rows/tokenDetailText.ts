import type { GatewayChain } from '../gatewayChain.ts'
import { detailPair } from './detailPair.ts'
import type { Made } from './rowCache.ts'
import type { RowDay, RowWindows } from './rowWindows.ts'
import { tokenRow } from './tokenRow.ts'
import type { WindowCache } from './windowCache.ts'

const pairsShownMax = 5

export type TokenDetailWindows = {
  tokenWindows: WindowCache<RowWindows>
  pairDay: WindowCache<RowDay>
}

/** The whole answer of token detail: the row of the token and its first pairs, the main pair first, then by TVL. */
export function tokenDetailText(
  chain: GatewayChain,
  tokenId: number,
  nowS: number,
  { tokenWindows, pairDay }: TokenDetailWindows,
): Made<string> {
  const { pairIds, tvlUsd } = chain.reads.tokenPairs(tokenId)
  const windows = tokenWindows(chain, tokenId, nowS)
  let { validUntilS } = windows
  let pairs = ''
  for (let at = 0; at < pairIds.length && at < pairsShownMax; at += 1) {
    const pairId = pairIds[at]!
    const day = pairDay(chain, pairId, nowS)
    if (day.validUntilS < validUntilS) validUntilS = day.validUntilS
    pairs += `${at === 0 ? '' : ','}${detailPair(chain, pairId, day.value)}`
  }
  const token = tokenRow(chain, tokenId, windows.value, tvlUsd)
  return { value: detailText(token, pairs, 'SUCCESS'), validUntilS }
}

/** What is said of a token that nobody has traded here. */
export const tokenNotFoundText = detailText('{}', '', 'SUCCESS: token not found')

/** Audits are not followed: none is claimed. */
function detailText(token: string, pairs: string, msg: string): string {
  return `{"status":1,"msg":"${msg}","data_type":1,"data":{"is_audited":false,"token":${token},"pairs":[${pairs}]}}`
}
