import type { ClientConfig } from 'pg'
import type { MarketProfile } from './marketProfile.ts'
import type { Recomputed } from './recompute.ts'

/** What is stored of a chain under a name, and the node that it is held against. */
export type StoredChain = { profile: MarketProfile; storeName: string; rpcUrl: string }

/** Holds one against the other, by the check of the chain's kind. */
export type VerifyChain = (connection: ClientConfig) => Promise<VerifiedStore>

/** What was recomputed, and every difference as a sentence. */
export type VerifiedStore = {
  head: { number: number; hash: string }
  pairs: number
  trades: number
  tokens: number
  balances: number
  /**
   * What the recomputed market was held against first: answers of contracts, or where there are none to ask, swaps by the
   * programs' maths.
   */
  views: number
  /** What these are, in words. */
  viewsName: string
  /** Of the recomputed market from these: then it says nothing about the store. */
  chainDifferences: readonly string[]
  storeDifferences: readonly string[]
}

/** How much was recomputed. */
export function countsOf({ pairs, tokens }: Recomputed) {
  const held = [...tokens.values()].map(({ holders }) => holders.size)
  const traded = [...pairs.values()].map(({ trades }) => trades.length)
  const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)
  return {
    pairs: pairs.size,
    trades: sumOf(traded),
    tokens: tokens.size,
    balances: sumOf(held),
  }
}
