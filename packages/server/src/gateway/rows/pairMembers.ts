import type { PairMarket, TokenValue } from '../../engine/marketReads.ts'
import { decimalOfRaw } from '../../lib/decimal.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { pairNamesText } from '../ground/rowTexts.ts'
import { decimalOrZero, unknownMark } from './wireNumber.ts'

/** Reads a token's record: name, symbol, decimals and address. */
export type ReadTokenRecord = (chain: GatewayChain, tokenId: number) => TokenRecord

export const readTokenRecord: ReadTokenRecord = ({ reads }, tokenId) => reads.tokenRecord(tokenId)

type PairTokens = {
  is0Target: boolean
  /** Price, market cap and other worth of the target token. */
  worth: TokenValue
  token0: TokenRecord
  token1: TokenRecord
}

export function readPairTokens({ reads }: GatewayChain, pair: PairMarket): PairTokens {
  const { token0Id, token1Id } = pair.record
  const is0Target = pair.targetTokenId === token0Id
  const token0 = reads.tokenRecord(token0Id)
  const token1 = reads.tokenRecord(token1Id)
  const worth = reads.tokenWorth(pair.targetTokenId)
  return { is0Target, worth, token0, token1 }
}

/** Encodes the names at the start of every pair row, with the opening brace. */
export function pairNamesJson({ reads, profile }: GatewayChain, pairId: number): string {
  const { address, amm, token0Id, token1Id } = reads.pairRecord(pairId)
  const token0 = reads.tokenRecord(token0Id)
  const token1 = reads.tokenRecord(token1Id)
  const target = reads.targetTokenOf(pairId) === token0Id ? token0 : token1
  return pairNamesText({
    pair_id: `"${address}-${profile.name}"`,
    pair: `"${address}"`,
    chain: `"${profile.name}"`,
    amm: JSON.stringify(amm),
    target_token: `"${target.address}"`,
    token0_address: `"${token0.address}"`,
    token0_symbol: JSON.stringify(token0.symbol),
    token0_decimal: `${token0.decimals}`,
    token1_address: `"${token1.address}"`,
    token1_symbol: JSON.stringify(token1.symbol),
    token1_decimal: `${token1.decimals}`,
  })
}

/**
 * Encodes prices and reserves of a pair, and the mark for unknown reserves and TVL. Do not spread
 * the result into another object: an object that starts as a copy costs several times as much as
 * one written out.
 */
export function pairFigures(pair: PairMarket, { token0, token1 }: PairTokens) {
  return {
    token0_price_usd: decimalOrZero(pair.price0Usd),
    token0_price_eth: decimalOrZero(pair.price0Native),
    token1_price_usd: decimalOrZero(pair.price1Usd),
    token1_price_eth: decimalOrZero(pair.price1Native),
    reserve0: decimalOfRaw(pair.reserve0, token0.decimals),
    reserve1: decimalOfRaw(pair.reserve1, token1.decimals),
    known: unknownMark(pair.areReservesKnown),
  }
}
