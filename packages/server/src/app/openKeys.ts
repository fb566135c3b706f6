import type { Config } from '../config/schema.ts'
import { createApiKey, hashApiKey } from '../gateway/apiKey.ts'
import type { Logger } from '../lib/logger.ts'
import { openStore } from '../store/openStore.ts'
import { openDatabase } from './openDatabase.ts'

/** The keys in the store, whether the service runs or not. */
export async function openKeys(config: Config, { logger }: { logger: Logger }) {
  const database = await openDatabase(config, { logger })
  const store = await openStore({ connection: database.connection, logger })
  const nowS = () => Math.floor(Date.now() / 1_000)
  return {
    async create({ name, plan, expiresAtS }: NewApiKey) {
      const key = createApiKey()
      const hash = hashApiKey(key)
      const { id } = await store.insertKey({ hash, name, plan, createdAtS: nowS(), expiresAtS })
      return { id, key }
    },
    list: () => store.listKeys(),
    revoke: (id: number) => store.revokeKey(id, nowS()),
    async close() {
      await store.close()
      await database.stop()
    },
  }
}

type NewApiKey = { name: string; plan: string; expiresAtS: number | null }
