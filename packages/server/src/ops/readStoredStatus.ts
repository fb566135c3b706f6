import { hasNoDatabase, openDatabase } from '../app/openDatabase.ts'
import type { Config } from '../config/schema/schema.ts'
import type { Logger } from '../lib/logger.ts'
import { openStoreAsIs } from '../store/openStore.ts'
import type { StoredChain } from '../store/read/chains.ts'

export type StoredStatus = { chains: readonly StoredChain[] }

/** Returns the position of each stored chain; null: nothing is stored. Never creates a database. */
export async function readStoredStatus(
  config: Config,
  { logger }: { logger: Logger },
): Promise<StoredStatus | null> {
  if (hasNoDatabase(config)) return null
  const database = await openDatabase(config, { logger, isVisit: true })
  try {
    const store = await openStoreAsIs({ connection: database.connection, logger })
    try {
      return { chains: await store.listChains() }
    } finally {
      await store.close()
    }
  } finally {
    await database.stop()
  }
}
