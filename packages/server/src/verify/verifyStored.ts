import type { ClientConfig } from 'pg'
import { checkChainViews } from './checkChainViews.ts'
import { compareStore } from './compareStore.ts'
import { NodeUnreachableError, OtherChainError, VenuesNotCoveredError } from './errors.ts'
import type { MarketProfile } from './marketProfile.ts'
import { readBlockHash, readChain } from './readChain.ts'
import { readStore } from './readStore.ts'
import { recompute } from './recompute.ts'

export type VerifyStoredOptions = {
  /** What is stored under this name is held against the chain behind the URL. */
  storeName: string
  rpcUrl: string
  connection: ClientConfig
  profile: MarketProfile
  multicall3: string
}

/** What was recomputed, and every difference as a sentence. */
export type VerifiedStore = {
  head: { number: number; hash: string }
  pairs: number
  trades: number
  tokens: number
  balances: number
  /** Answers of contracts that the recomputed market was held against first. */
  views: number
  /** Of the recomputed market from these: then it says nothing about the store. */
  chainDifferences: readonly string[]
  storeDifferences: readonly string[]
}

const coveredVenues = ['uniswapV2', 'uniswapV3']

/**
 * Recomputes a market from the chain's logs alone, with formulas of its own, and compares what a service has stored of it:
 * trades, klines, supplies and balances. Nothing of the stages that made the store is used.
 */
export async function verifyStored(options: VerifyStoredOptions): Promise<VerifiedStore> {
  const { rpcUrl, multicall3, profile, storeName } = options
  const others = profile.venues.map(({ venue }) => venue).filter((name) => !isCovered(name))
  if (others.length > 0) throw new VenuesNotCoveredError({ venues: others })
  const stored = await readStore(options.connection, storeName)
  const { number, hash } = stored.cursor
  const found = await readBlockHash(rpcUrl, number).catch((cause: unknown) => {
    throw new NodeUnreachableError({ rpcUrl, cause })
  })
  if (found !== hash) throw new OtherChainError({ rpcUrl, number, hash, found })
  const recomputed = recompute(await readChain({ rpcUrl, headNumber: number, multicall3 }), profile)
  const views = await checkChainViews({ recomputed, rpcUrl, multicall3 })
  const pairs = [...recomputed.pairs.values()]
  const tokens = [...recomputed.tokens.values()]
  return {
    head: { number, hash },
    pairs: pairs.length,
    trades: pairs.reduce((sum, pair) => sum + pair.trades.length, 0),
    tokens: tokens.length,
    balances: tokens.reduce((sum, token) => sum + token.holders.size, 0),
    views: views.viewCount,
    chainDifferences: views.differences,
    storeDifferences: compareStore(recomputed, stored),
  }
}

function isCovered(venue: string): boolean {
  return coveredVenues.includes(venue)
}
