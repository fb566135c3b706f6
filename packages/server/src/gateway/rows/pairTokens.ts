import type { PairState, TokenState } from '../../engine/marketReads.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { GatewayChain } from '../gatewayChain.ts'

/** What a token says of itself. */
export type RecordOf = (chain: GatewayChain, tokenId: number) => TokenRecord

export const readRecord: RecordOf = ({ reads }, tokenId) => reads.tokenState(tokenId).record

export type PairTokens = {
  is0Target: boolean
  target: TokenState
  token0: TokenRecord
  token1: TokenRecord
}

/**
 * The tokens of a pair. The state of a quote token walks a thousand pairs and every pair wants its symbol: `recordOf`
 * may remember it.
 */
export function pairTokens(chain: GatewayChain, pair: PairState, recordOf: RecordOf): PairTokens {
  const { token0Id, token1Id } = pair.record
  const target = chain.reads.tokenState(pair.targetTokenId)
  const is0Target = pair.targetTokenId === token0Id
  return {
    is0Target,
    target,
    token0: is0Target ? target.record : recordOf(chain, token0Id),
    token1: is0Target ? recordOf(chain, token1Id) : target.record,
  }
}
