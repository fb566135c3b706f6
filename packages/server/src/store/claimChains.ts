import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import { tryLock, unlock } from './advisoryLock.ts'
import {
  clientConfigOf,
  connectMsMax,
  describeConnection,
  type StoreConnection,
} from './connection.ts'
import { databaseFault } from './databaseFault.ts'
import { WriterLockedError } from './errors.ts'
import { StoreClient } from './storeClient.ts'
import { writerLockWaitMs } from './write/writerSession.ts'

/** A chain that a process is about to write. */
export type ClaimedChain = {
  chain: string
  /** Identifies the chain: the same in every process that would write it. */
  claim: string
  /** Its name in the store, if it was stored before. */
  storeName: string | null
  /** Skips the chain if it is taken, instead of failing. */
  isOptional?: boolean
}

export type ChainClaim = {
  /** Claims of the chains that no other process writes. */
  claims: readonly string[]
  /**
   * Call it once the writers of all chains are open: their locks then keep other processes away.
   */
  release(): Promise<void>
}

/**
 * Ensures that no other process writes these chains or is about to, before anything in the database
 * changes. Needs no table and leaves nothing behind. `onTurn` reports each chain before its lock is
 * taken, which another process may hold.
 */
export async function claimChains(
  connection: StoreConnection,
  chains: readonly ClaimedChain[],
  onTurn: (chain: string) => void = () => undefined,
): Promise<ChainClaim> {
  const client = new StoreClient({
    ...clientConfigOf(connection, 'chaintape start'),
    query_timeout: connectMsMax,
  })
  // Losing the session releases the claim, which only matters to processes that start at the same
  // moment.
  client.on('error', () => undefined)
  const release = () => client.end().catch(() => undefined)
  try {
    await client.connect()
    const claims: string[] = []
    for (const chain of chains) {
      onTurn(chain.chain)
      if (await isFree(client, chain)) claims.push(chain.claim)
      else if (chain.isOptional !== true) throw new WriterLockedError(chain)
    }
    return { claims, release }
  } catch (error) {
    await release()
    throw databaseFault(error, describeConnection(connection))
  }
}

/** From here on this process holds it. */
async function isFree(client: Client, { claim, storeName }: ClaimedChain): Promise<boolean> {
  if (!(await tryLock(client, 'claim', lockIdOf(claim), writerLockWaitMs))) return false
  const chainId = storeName === null ? null : await findChainId(client, storeName)
  if (chainId === null) return true
  if (!(await tryLock(client, 'writer', chainId, writerLockWaitMs))) return false
  // Our own writer takes it again.
  await unlock(client, 'writer', chainId)
  return true
}

async function findChainId(client: Client, storeName: string): Promise<number | null> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `SELECT to_regclass('chains') IS NOT NULL AS "isThere"`,
  )
  if (!rows[0]!.isThere) return null
  const found = await client.query<{ id: number }>('SELECT id FROM chains WHERE name = $1', [
    storeName,
  ])
  return found.rows[0]?.id ?? null
}

/**
 * Second half of the lock's key. Chains with the same half wait for each other, which is harmless.
 */
export function lockIdOf(claim: string): number {
  return createHash('sha256').update(claim).digest().readInt32BE(0)
}
