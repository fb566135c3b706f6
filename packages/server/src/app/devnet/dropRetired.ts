import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Store } from '../../store/openStore.ts'
import { type SavedDevnet, saveDevnet } from './savedDevnet.ts'

export type DropRetiredOptions = {
  dataDir: string
  saved: SavedDevnet
  /** Of the chain that is there now. */
  engine: Pick<Engine, 'head'>
  store: Pick<Store, 'findChain' | 'dropChain'>
  logger: Logger
  signal: AbortSignal
}

const headPollMs = 100

/** Removes local chains that have a successor from the store, once that is served. What is left is for the next start. */
export async function dropRetired(options: DropRetiredOptions): Promise<void> {
  const { dataDir, saved, engine, store, logger, signal } = options
  while (engine.head() === null && !signal.aborted)
    await delay(headPollMs, undefined, { signal }).catch(() => undefined)
  let { retired } = saved
  try {
    for (const storeName of retired) {
      if (signal.aborted) return
      const chainId = await store.findChain(storeName)
      const isGone = chainId === null || (await store.dropChain(chainId, { signal }))
      if (!isGone) return
      logger.info({ msg: 'Removed a local chain that has a successor', storeName })
      retired = retired.filter((other) => other !== storeName)
      await saveDevnet(dataDir, { ...saved, retired })
    }
  } catch (error) {
    logger.warn({ msg: 'Failed to remove a local chain from the store', err: error })
  }
}
