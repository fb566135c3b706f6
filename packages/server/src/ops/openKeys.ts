import { openDatabase, requireDatabase } from '../app/openDatabase.ts'
import { keyPlansOf } from '../app/roles/keys.ts'
import type { Config } from '../config/schema/schema.ts'
import type { Clock } from '../gateway/chain/gatewayChain.ts'
import { createKeyAdmin, type KeyAdmin } from '../gateway/keys/keyAdmin.ts'
import type { Logger } from '../lib/logger.ts'
import { openKeyStore } from '../store/keys/openKeyStore.ts'
import { prepareEmptySchema } from '../store/schema.ts'

/** Administration of the stored keys. Works with and without a running service. */
export type Keys = KeyAdmin & { close(): Promise<void> }

/** A key as `list` returns it. */
export type ListedKey = Awaited<ReturnType<Keys['list']>>[number]

/** A key without usage and without its secret. */
export type KeyInfo = Omit<ListedKey, 'requestCount' | 'creditsUsed'>

export async function openKeys(config: Config, logger: Logger, clock: Clock): Promise<Keys> {
  requireDatabase(config)
  const database = await openDatabase(config, { logger, isVisit: true })
  try {
    await prepareEmptySchema(database.connection, logger)
    const store = openKeyStore(database.connection, logger)
    const admin = createKeyAdmin({ store, plans: keyPlansOf(config), clock })
    return {
      ...admin,
      async close() {
        await store.close()
        await database.stop()
      },
    }
  } catch (error) {
    await database.stop()
    throw error
  }
}
