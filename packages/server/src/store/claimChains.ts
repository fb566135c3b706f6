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
  /** Says which one it is: the same for every process that would write it. */
  claim: string
  /** What it is stored under, if it was before. */
  storeName: string | null
  /** One that is taken is left out, instead of failing. */
  isOptional?: boolean
}

export type ChainClaim = {
  /** Of the chains that nobody else writes. */
  claims: readonly string[]
  /** To be called when the writers of all of them are open: from then on they keep others away. */
  release(): Promise<void>
}

/**
 * Makes sure that no other process writes these chains, or is about to, before anything is changed in the database: it needs
 * no table of ours, and leaves nothing behind. `onTurn` hears which chain it comes to: another process may be holding it.
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
  // Its loss gives the claim up, which only matters to processes that start at the same moment.
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

/** From here on it is ours. */
async function isFree(client: Client, { claim, storeName }: ClaimedChain): Promise<boolean> {
  if (!(await tryLock(client, 'claim', lockIdOf(claim), writerLockWaitMs))) return false
  const chainId = storeName === null ? null : await findChainId(client, storeName)
  if (chainId === null) return true
  if (!(await tryLock(client, 'writer', chainId, writerLockWaitMs))) return false
  // Our own writer takes it.
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

/** Second half of the lock's key. Chains that share one wait for each other, which does no harm. */
export function lockIdOf(claim: string): number {
  return createHash('sha256').update(claim).digest().readInt32BE(0)
}
