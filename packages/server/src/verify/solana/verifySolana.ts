import { setTimeout as delay } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import { compareStore } from '../compare/compareStore.ts'
import type { ServedTrade } from '../compare/compareTrades.ts'
import { NodeUnreachableError, OtherChainError, VenuesNotCoveredError } from '../errors.ts'
import type { MarketProfile } from '../marketProfile.ts'
import { readStore, type StoredMarket } from '../readStore.ts'
import { countsOf, type VerifiedStore } from '../verifiedStore.ts'
import { readSolanaChain, type SolanaChain } from './readSolanaChain.ts'
import { recomputeSolana } from './recomputeSolana.ts'
import { solanaPrograms } from './solanaPools.ts'

export type VerifySolanaOptions = {
  /** What is stored under this name is held against the chain behind the URL. */
  storeName: string
  rpcUrl: string
  connection: ClientConfig
  profile: MarketProfile
  /** Addresses of programs that own the vaults of many pools. */
  sharedOwners: readonly string[]
}

/** What is stored may end on a branch that the chain has just left: the service follows within moments. */
const readsMax = 5
const readEveryMs = 2_000

/**
 * Recomputes a market from raw blocks, by what the programs' instructions, transfers and events say and by formulas of its
 * own, and compares what a service has stored of it. Nothing of the stages that made the store is used. Nodes do not keep
 * every block: what is older than theirs is not looked at.
 */
export async function verifySolana(options: VerifySolanaOptions): Promise<VerifiedStore> {
  const { profile, sharedOwners } = options
  const covered: readonly string[] = Object.keys(solanaPrograms)
  const others = profile.venues.map(({ venue }) => venue).filter((name) => !covered.includes(name))
  if (others.length > 0) throw new VenuesNotCoveredError({ venues: others })
  const { stored, chain } = await readBoth(options)
  const firstSlot = chain.blocks[0]!.slot
  const isWhole = [...stored.trades.values()].every((trades) => trades[0]!.blockNumber >= firstSlot)
  const { recomputed, differences, checked } = recomputeSolana(chain, {
    profile,
    sharedOwners,
    isWhole,
  })
  return {
    head: stored.cursor,
    ...countsOf(recomputed),
    views: checked,
    viewsName: 'swaps by the maths of their programs',
    chainDifferences: differences,
    storeDifferences: compareStore(recomputed, { ...stored, trades: rankedTrades(stored) }),
  }
}

async function readBoth(
  options: VerifySolanaOptions,
): Promise<{ stored: StoredMarket; chain: SolanaChain }> {
  const { rpcUrl, connection, storeName } = options
  for (let reads = 1; ; reads++) {
    const stored = await readStore(connection, storeName)
    const { number, hash } = stored.cursor
    const range = { rpcUrl, head: stored.cursor, firstSlot: 0 }
    const chain = await readSolanaChain(range).catch((cause: unknown) => {
      throw new NodeUnreachableError({ rpcUrl, cause })
    })
    if (chain !== null) return { stored, chain }
    if (reads === readsMax) throw new OtherChainError({ rpcUrl, number, hash, found: null })
    await delay(readEveryMs)
  }
}

/** Numbered within block and pair, as the recomputed ones are: what else happens in a block has numbers of the service's own. */
function rankedTrades({ trades }: StoredMarket): Map<number, readonly ServedTrade[]> {
  return new Map(
    Array.from(trades, ([pairId, list]) => {
      let [blockNumber, rank] = [-1, 0]
      const ranked = list.map((trade) => {
        rank = trade.blockNumber === blockNumber ? rank + 1 : 0
        blockNumber = trade.blockNumber
        return { ...trade, logIndex: rank }
      })
      return [pairId, ranked]
    }),
  )
}
