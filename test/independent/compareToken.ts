import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import { createDifferences } from './differences.ts'
import type { RecomputedToken } from './recompute.ts'

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
  const { record, supply } = reads.tokenState(tokenId)
  differences.same('decimals', token.decimals, record.decimals)
  differences.same('total supply', token.supply, supply?.total ?? null)
  differences.same('holder count', token.holders.size, supply?.holders ?? null)
  differences.same('completeness', 'true', String(supply?.isComplete))
  const holders = await readHolders(token.address)
  for (const wallet of new Set([...token.holders.keys(), ...holders.keys()])) {
    const expected = token.holders.get(wallet) ?? 0n
    differences.same(`balance of ${wallet}`, expected, holders.get(wallet) ?? 0n)
  }
  return differences.sentences
}
