import type { MarketReads, TokenState } from '../../packages/server/src/engine/marketReads.ts'
import {
  createDifferences,
  type Differences,
  priceErrorMax,
} from '../../packages/server/src/verify/compare/differences.ts'
import {
  multiply,
  rational,
  rationalOf,
  scaleByTen,
} from '../../packages/server/src/verify/rational.ts'
import type { RecomputedToken } from '../../packages/server/src/verify/recompute.ts'

/** What the service says every wallet holds of a token; those that hold nothing may be in it or not. */
export type ReadHolders = (tokenAddress: string) => Promise<ReadonlyMap<string, bigint>>

export async function compareToken(
  token: RecomputedToken,
  reads: MarketReads,
  readHolders: ReadHolders,
): Promise<string[]> {
  const differences = createDifferences(`Token ${token.address}`)
  const tokenId = reads.findToken(token.address)
  if (tokenId === undefined) return [`Token ${token.address} is not known to the service.`]
  const state = reads.tokenState(tokenId)
  const { record, supply } = state
  differences.same('decimals', token.decimals, record.decimals)
  differences.same('total supply', token.supply, supply?.total ?? null)
  for (const part of ['burnt', 'locked', 'other'] as const)
    differences.same(part, token.parts[part], supply?.[part] ?? null)
  compareWorth(differences, token, state)
  differences.same('holder count', token.holders.size, supply?.holders ?? null)
  differences.same('completeness', 'true', String(supply?.isComplete))
  const holders = await readHolders(token.address)
  for (const wallet of new Set([...token.holders.keys(), ...holders.keys()])) {
    const expected = token.holders.get(wallet) ?? 0n
    differences.same(`balance of ${wallet}`, expected, holders.get(wallet) ?? 0n)
  }
  return differences.sentences
}

/** What all of it is worth, at the price the service says. */
function compareWorth(differences: Differences, token: RecomputedToken, state: TokenState): void {
  const price = rationalOf(state.price?.usd ?? 0)
  const { burnt, locked, other } = token.parts
  const worth = (amount: bigint) => multiply(scaleByTen(rational(amount), -token.decimals), price)
  const issued = token.supply - burnt - other
  differences.near('fdvUsd', worth(issued), state.fdvUsd, priceErrorMax)
  differences.near('marketCapUsd', worth(issued - locked), state.marketCapUsd, priceErrorMax)
}
