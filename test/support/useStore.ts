import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { BlockWriterOptions } from '../../packages/server/src/store/blockWriter.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { silentLogger, type TestConnection } from './postgres.ts'
import { startTestPostgres, type TestPostgres } from './testPostgres.ts'

/** `chainId` is the id of the chain `local`, which has no block yet. */
export type OpenedStore = { connection: TestConnection; store: Store; chainId: number }

/**
 * Gives each test of a file a new store in a new database. The returned function opens the chain's
 * writer.
 */
export function useStore(onOpened: (opened: OpenedStore) => void) {
  let postgres: TestPostgres
  let opened: OpenedStore

  beforeAll(async () => {
    postgres = await startTestPostgres()
  })
  afterAll(() => postgres.stop())

  beforeEach(async () => {
    const connection = await postgres.createDatabaseWithTables()
    const store = await openStore({ connection, logger: silentLogger })
    opened = { connection, store, chainId: await store.ensureChain('local') }
    onOpened(opened)
    return () => store.close()
  })

  return (options: Partial<BlockWriterOptions> = {}) =>
    opened.store.openWriter({ chainId: opened.chainId, chain: 'local', ...options })
}
