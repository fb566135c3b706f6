import type { PairMarket, TokenWorth } from '../../engine/marketReads.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { GatewayChain } from '../gatewayChain.ts'

/** What a token says of itself. */
export type RecordOf = (chain: GatewayChain, tokenId: number) => TokenRecord

export const readRecord: RecordOf = ({ reads }, tokenId) => reads.tokenRecord(tokenId)

export type PairTokens = {
  is0Target: boolean
  /** What the target is worth. */
  worth: TokenWorth
  token0: TokenRecord
  token1: TokenRecord
}

export function pairTokens({ reads }: GatewayChain, pair: PairMarket): PairTokens {
  const { token0Id, token1Id } = pair.record
  const is0Target = pair.targetTokenId === token0Id
  const token0 = reads.tokenRecord(token0Id)
  const token1 = reads.tokenRecord(token1Id)
  const worth = reads.tokenWorth(pair.targetTokenId)
  return { is0Target, worth, token0, token1 }
}
