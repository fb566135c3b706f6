import { RequestError } from '../ground/errors.ts'
import type { GatewayChain } from './gatewayChain.ts'
import type { RecentBlock } from './recentBlock.ts'
import { awaitStore } from './storeReads.ts'

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
