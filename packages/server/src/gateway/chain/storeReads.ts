import type { Store } from '../../store/openStore.ts'
import { RequestError } from '../ground/errors.ts'
import type { GatewayChain } from './gatewayChain.ts'
import type { RecentBlock } from './recentBlock.ts'

/** Store queries used by operations. Each query may fail while the database is down. */
export type StoreReads = Pick<
  Store,
  | 'loadSwaps'
  | 'loadLiquidity'
  | 'loadKlines'
  | 'topHolders'
  | 'loadBalances'
  | 'loadWalletSwaps'
  | 'loadHistoryStart'
  | 'loadPositions'
  | 'loadTokenPositions'
  | 'loadSmartWallets'
  | 'loadWalletVolumes'
>

/** Awaits a store query. Failures become the request error `unavailable`. */
export async function awaitStore<result>(read: Promise<result>): Promise<result> {
  try {
    return await read
  } catch (cause) {
    if (cause instanceof RequestError) throw cause
    const error = new RequestError('unavailable', 'The database does not answer now; try again.')
    error.cause = cause
    throw error
  }
}

// A reorg below the stored blocks is rare during one read. Several in a row mean that the chain is
// unusable now.
const triesMax = 5

/**
 * Reads history from the store and from memory, without gaps or duplicates.
 * `load` gets the newest block number to take from the store; `join` adds the blocks above it. The
 * market does not change while `join` runs, so `join` may also read the engine.
 */
export async function readConsistent<rows, result>(
  { recent, profile }: GatewayChain,
  load: (blockMax: number) => Promise<rows>,
  join: (rows: rows, blocks: readonly RecentBlock[]) => result,
): Promise<result> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const view = recent.openView()
    try {
      const rows = await awaitStore(load(view.cutNumber))
      const blocks = view.blocks()
      if (blocks !== null) return join(rows, blocks)
    } finally {
      view.close()
    }
  }
  throw new RequestError(
    'unavailable',
    `The chain ${profile.name} is in a reorg; try again.`,
    'chain',
  )
}
