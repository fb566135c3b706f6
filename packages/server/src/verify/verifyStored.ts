import type { ClientConfig } from 'pg'
import { BaseError } from 'viem'
import { compareStore } from './compare/compareStore.ts'
import { NodeUnreachableError, OtherChainError, VenuesNotCoveredError } from './errors.ts'
import { checkChainViews } from './evm/checkChainViews.ts'
import { readBlockHash, readChain } from './evm/readChain.ts'
import type { MarketProfile } from './marketProfile.ts'
import { readStore } from './readStore.ts'
import { recompute } from './recompute.ts'
import { countsOf, type VerifiedStore } from './verifiedStore.ts'

export type VerifyStoredOptions = {
  /** What is stored under this name is held against the chain behind the URL. */
  storeName: string
  rpcUrl: string
  connection: ClientConfig
  profile: MarketProfile
  multicall3: string
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
  const orFault = (error: unknown): never => {
    throw error instanceof BaseError ? new NodeUnreachableError({ rpcUrl, cause: error }) : error
  }
  const found = await readBlockHash(rpcUrl, number).catch(orFault)
  if (found !== hash) throw new OtherChainError({ rpcUrl, number, hash, found })
  const chain = await readChain({ rpcUrl, headNumber: number, multicall3 }).catch(orFault)
  const recomputed = recompute(chain, profile)
  const views = await checkChainViews({ recomputed, rpcUrl, multicall3 }).catch(orFault)
  return {
    head: { number, hash },
    ...countsOf(recomputed),
    views: views.viewCount,
    viewsName: 'answers of the contracts',
    chainDifferences: views.differences,
    storeDifferences: compareStore(recomputed, stored),
  }
}

function isCovered(venue: string): boolean {
  return coveredVenues.includes(venue)
}
