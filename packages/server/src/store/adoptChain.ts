import type { Client } from 'pg'
import { tryLock } from './advisoryLock.ts'
import { clientConfigOf, describeConnection, type StoreConnection } from './connection.ts'
import { databaseFault, WriterLockedError } from './errors.ts'
import { StoreClient } from './storeClient.ts'

export type AdoptChainOptions = {
  connection: StoreConnection
  /** Name of the chain that is replaced. */
  storeName: string
  /**
   * Hash of the block at which both the served chain and its replacement must end, so that
   * followers of the chain miss nothing. @default no condition
   */
  hash?: string | undefined
}

// A plus sign is not allowed in chain names, so no other chain has this suffix.
const behindSuffix = '+history'
const replacedSuffix = '+replaced'

/** Name of a chain's backfill in the store, while it is read beside the chain. */
export function backfillNameOf(storeName: string): string {
  return `${storeName}${behindSuffix}`
}

/** Prefix of the names of replaced chains. */
export function replacedPrefixOf(storeName: string): string {
  return `${storeName}${replacedSuffix}`
}

/** Is it a served chain rather than a backfill or a replaced one? */
export function isServedName(storeName: string): boolean {
  return !storeName.includes('+')
}

// Closed writers end their sessions within milliseconds.
const writerWaitMs = 5_000

/**
 * Gives a backfilled chain the served chain's name, in one transaction: opening the chain finds
 * either of them whole. Neither may have a writer. False if they do not end with the given block;
 * then nothing changes.
 */
export async function adoptChain(options: AdoptChainOptions): Promise<boolean> {
  const { connection, storeName, hash } = options
  const client = new StoreClient(clientConfigOf(connection, 'chaintape adopt'))
  client.on('error', () => undefined)
  try {
    await client.connect()
    const replaced = await lockChain(client, storeName)
    const behind = await lockChain(client, backfillNameOf(storeName))
    await client.query('BEGIN')
    const { rowCount } = await client.query(
      'SELECT FROM cursors WHERE chain IN ($1, $2) AND hash = coalesce($3, hash)',
      [replaced, behind, hash ?? null],
    )
    if (rowCount !== 2) return false
    const rename = 'UPDATE chains SET name = $2 WHERE id = $1'
    await client.query(rename, [replaced, `${replacedPrefixOf(storeName)}${replaced}`])
    await client.query(rename, [behind, storeName])
    await client.query('COMMIT')
    return true
  } catch (error) {
    throw databaseFault(error, describeConnection(connection))
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Returns the chain's id. Holds its lock until the session ends. */
async function lockChain(client: Client, name: string): Promise<number> {
  const { rows } = await client.query<{ id: number }>('SELECT id FROM chains WHERE name = $1', [
    name,
  ])
  const id = rows[0]?.id
  if (id === undefined || !(await tryLock(client, 'writer', id, writerWaitMs)))
    throw new WriterLockedError({ chain: name })
  return id
}
