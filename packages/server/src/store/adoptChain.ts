import type { Client } from 'pg'
import { tryLock } from './advisoryLock.ts'
import { clientConfigOf, describeConnection, type StoreConnection } from './connection.ts'
import { databaseFault } from './databaseFault.ts'
import { WriterLockedError } from './errors.ts'
import { StoreClient } from './storeClient.ts'

export type AdoptChainOptions = {
  connection: StoreConnection
  /** What is served under this name is to be replaced. */
  storeName: string
  /** The block that both must end with, so that who follows the chain misses nothing. @default they need not */
  hash?: string | undefined
}

// Nobody else has a name of this form: a plus sign is in no name of a chain.
const behindSuffix = '+history'
const replacedSuffix = '+replaced'

/** Under which the past of a chain is stored while it is read beside the chain. */
export function behindNameOf(storeName: string): string {
  return `${storeName}${behindSuffix}`
}

/** The first part of the names of what a chain's history has replaced. */
export function replacedPrefixOf(storeName: string): string {
  return `${storeName}${replacedSuffix}`
}

/** Is it a chain of its own, and not something that belongs to another? */
export function isServedName(storeName: string): boolean {
  return !storeName.includes('+')
}

// Closed writers end their sessions within milliseconds.
const writerWaitMs = 5_000

/**
 * What was read of a chain beside it takes its name, in one transaction: whoever opens the chain finds the one or the other, each
 * whole. Nobody may be writing them. False: they do not end with that block, and nothing is changed.
 */
export async function adoptChain(options: AdoptChainOptions): Promise<boolean> {
  const { connection, storeName, hash } = options
  const client = new StoreClient(clientConfigOf(connection, 'chaintape adopt'))
  client.on('error', () => undefined)
  try {
    await client.connect()
    const replaced = await lockChain(client, storeName)
    const behind = await lockChain(client, behindNameOf(storeName))
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

/** Gives its number; the lock is held to the end of the session. */
async function lockChain(client: Client, name: string): Promise<number> {
  const { rows } = await client.query<{ id: number }>('SELECT id FROM chains WHERE name = $1', [
    name,
  ])
  const id = rows[0]?.id
  if (id === undefined || !(await tryLock(client, 'writer', id, writerWaitMs)))
    throw new WriterLockedError({ chain: name })
  return id
}
