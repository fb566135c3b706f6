import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import type { Store } from '../../store/openStore.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import { ChainStoppedError } from '../errors.ts'
import type { HistoryBackfill } from './historyBackfill.ts'

export type ChainReplacementOptions = {
  store: Pick<Store, 'adoptChain'>
  live(name: string): ChainRuntime | undefined
  open(setup: ChainSetup): Promise<ChainRuntime>
  start(runtime: ChainRuntime, setup: ChainSetup): Promise<void>
  close(name: string): Promise<void>
  onFatal(error: AppError): void
}

/**
 * Replaces a stored chain with its finished backfill. The chain stops at a block, the backfill
 * continues up to the same block, the two swap names in one transaction, and the chain is reopened
 * as at a restart. Followers of the chain continue with the next block, and the market is served
 * throughout.
 * If interrupted at any point, the store holds either the old chain or the new one, complete.
 */
export function createChainReplacement(options: ChainReplacementOptions) {
  const { store, open, start, close, onFatal } = options

  async function isJoined(setup: ChainSetup, live: ChainRuntime, past: HistoryBackfill) {
    const head = live.engine.head()
    if (head === null || !(await past.stopAt(head))) return false
    return await store.adoptChain({ storeName: setup.storeName, hash: head.hash })
  }

  return async (setup: ChainSetup, past: HistoryBackfill): Promise<boolean> => {
    const { name: chain } = setup.profile
    const live = options.live(chain)
    if (live === undefined) return false
    await close(chain)
    try {
      return await isJoined(setup, live, past)
    } finally {
      await open(setup)
        .then((runtime) => start(runtime, setup))
        .catch((cause: unknown) => onFatal(new ChainStoppedError({ chain, cause })))
    }
  }
}
