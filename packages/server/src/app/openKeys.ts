import type { Config } from '../config/schema.ts'
import { createApiKey, hashApiKey } from '../gateway/keys/apiKey.ts'
import type { Logger } from '../lib/logger.ts'
import { openStore } from '../store/openStore.ts'
import type { KeyRecord } from '../store/read/keys.ts'
import { openDatabase } from './openDatabase.ts'

export type KeyPlan = 'free' | 'normal' | 'pro' | 'unlimited'

export type NewApiKey = { name: string; plan: KeyPlan; expiresAtS: number | null }

/** A key without anything secret. */
export type KeyInfo = Omit<KeyRecord, 'hash'>

/** The keys in the store, whether the service runs or not. */
export type Keys = {
  /** `key` is shown now and never again. */
  create(key: NewApiKey): Promise<{ id: number; key: string }>
  list(): Promise<readonly KeyInfo[]>
  /** False when there is no such key, or it was revoked before. */
  revoke(id: number): Promise<boolean>
  close(): Promise<void>
}

export async function openKeys(config: Config, { logger }: { logger: Logger }): Promise<Keys> {
  const database = await openDatabase(config, { logger })
  const store = await openStore({ connection: database.connection, logger })
  const nowS = () => Math.floor(Date.now() / 1_000)
  return {
    async create({ name, plan, expiresAtS }) {
      const key = createApiKey()
      const hash = hashApiKey(key)
      const { id } = await store.insertKey({ hash, name, plan, createdAtS: nowS(), expiresAtS })
      return { id, key }
    },
    list: async () => (await store.listKeys()).map(({ hash: _, ...key }) => key),
    revoke: (id) => store.revokeKey(id, nowS()),
    async close() {
      await store.close()
      await database.stop()
    },
  }
}
