import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Logger } from '../lib/logger.ts'
import { lockClasses, tryLock, unlock } from './advisoryLock.ts'
import {
  clientConfigOf,
  connectMsMax,
  describeConnection,
  indexerPrefix,
  type StoreConnection,
} from './connection.ts'
import { databaseFault, LeaseLostError, WriterLockedError } from './errors.ts'
import { StoreClient } from './storeClient.ts'
import { writerLockWaitMs } from './write/writerSession.ts'

type ChainLeaseOptions = {
  connection: StoreConnection
  /** Leased together or not at all. */
  chains: readonly ClaimedChain[]
  /** A leader without contact to the database for this long loses the lease. */
  leaseMs: number
  logger: Logger
  signal: AbortSignal
  /** Another process leads; called once. */
  onStandBy(): void
  /** Another process has taken the lease. */
  onLost(error: LeaseLostError): void
}

type ChainLease = { release(): Promise<void> }

/** `pid` is the server process of the session. */
type Session = { client: Client; pid: number }

const pollMs = 100
// Some late renewals do not end a lease.
const renewalsPerLease = 5

/**
 * Resolves once this process leads the chains. The lease is a database session that the server ends
 * after a silence, by its own clock: a leader that is killed, stopped or cut off loses it. The log
 * and the store's cursor reject writes that it sends later.
 */
export async function takeChainLease(options: ChainLeaseOptions): Promise<ChainLease> {
  const { logger, signal, leaseMs } = options
  const chains = options.chains.map(({ chain }) => chain)
  const stopping = new AbortController()
  let session = await untilLed(options)
  logger.info({ msg: 'Leads', chains })

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      await delay(leaseMs / renewalsPerLease, undefined, { signal: stopping.signal }).catch(
        () => undefined,
      )
      if (stopping.signal.aborted) return
      try {
        await session.client.query('SELECT 1')
      } catch (error) {
        logger.warn({ msg: 'Lost the session of the lease', chains, err: error })
        await close(session.client)
        const regained = await regain(options, session.pid, stopping.signal)
        if (regained !== null) session = regained
        if (stopping.signal.aborted) return await close(session.client)
        if (regained === null) return options.onLost(new LeaseLostError({ chains }))
      }
    }
  }

  const keeping = keep()
  signal.addEventListener('abort', () => stopping.abort(), { once: true })
  return {
    async release() {
      stopping.abort()
      await close(session.client)
      await keeping
    },
  }
}

async function openSession({ connection, leaseMs }: ChainLeaseOptions): Promise<Session> {
  const client = new StoreClient({
    ...clientConfigOf(connection, 'chaintape lease'),
    query_timeout: leaseMs,
  })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`SET idle_session_timeout = ${leaseMs}`)
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return { client, pid: rows[0]!.pid }
}

const close = (client: Client) => client.end().catch(() => undefined)

/** Takes all of the locks or none. */
async function tryAll(client: Client, chains: readonly ClaimedChain[]): Promise<boolean> {
  const taken: number[] = []
  // In the same order in every process, so that none deadlock.
  for (const id of chains.map(({ claim }) => lockIdOf(claim)).sort((a, b) => a - b)) {
    if (await tryLock(client, 'lease', id, 0)) taken.push(id)
    else {
      for (const other of taken) await unlock(client, 'lease', other)
      return false
    }
  }
  return true
}

/** Waits for an unreachable database. */
async function untilLed(options: ChainLeaseOptions): Promise<Session> {
  const { chains, signal, logger, onStandBy } = options
  let isStandby = false
  for (;;) {
    signal.throwIfAborted()
    let session: Session | null = null
    try {
      session = await openSession(options)
      while (!(await tryAll(session.client, chains))) {
        if (!isStandby) onStandBy()
        isStandby = true
        await delay(pollMs, undefined, { signal })
      }
      await endDeposed(session.client, chains)
      return session
    } catch (error) {
      if (session !== null) await close(session.client)
      signal.throwIfAborted()
      if (!isStandby && session === null) throw error
      logger.warn({ msg: 'Waiting for the database', err: error })
      await delay(pollMs, undefined, { signal })
    }
  }
}

/** Retries after a lost session; null if another process leads or the lease was closed. */
async function regain(
  options: ChainLeaseOptions,
  lostPid: number,
  signal: AbortSignal,
): Promise<Session | null> {
  while (!signal.aborted) {
    try {
      const session = await openSession(options)
      do {
        if (await tryAll(session.client, options.chains)) return session
        await delay(pollMs, undefined, { signal })
        // The lost session may not have ended yet. Any other leader already has the log and the
        // store.
      } while (!(await isLedByOther(session.client, options.chains, lostPid)))
      await close(session.client)
      return null
    } catch {
      await delay(pollMs, undefined, { signal }).catch(() => undefined)
    }
  }
  return null
}

const ofThisDatabase = `locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// The second half of a lock's key, as pg_locks shows it.
const idsOf = (chains: readonly ClaimedChain[]) => chains.map(({ claim }) => lockIdOf(claim) >>> 0)

async function isLedByOther(
  client: Client,
  chains: readonly ClaimedChain[],
  lostPid: number,
): Promise<boolean> {
  const { rows } = await client.query<{ isLed: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_locks WHERE ${ofThisDatabase} AND pid <> $1
       AND classid = $2::int AND objid::bigint = ANY($3::bigint[])) AS "isLed"`,
    [lostPid, lockClasses.lease, idsOf(chains)],
  )
  return rows[0]!.isLed
}

/**
 * Ends the writing sessions of an earlier indexer: if it was stopped inside a transaction, it would
 * hold its locks for ever. Sessions of other programs stay: a service in one process has no lease.
 */
async function endDeposed(client: Client, chains: readonly ClaimedChain[]): Promise<void> {
  const names = chains.flatMap(({ storeName }) => storeName ?? [])
  const { rows } = await client.query<{ isThere: boolean }>(
    `SELECT to_regclass('chains') IS NOT NULL AS "isThere"`,
  )
  // A database without tables has no writers yet.
  const ofWriters = rows[0]!.isThere
    ? 'OR classid = $3::int AND objid::bigint IN (SELECT id FROM chains WHERE name = ANY($4))'
    : 'AND $3::int IS NOT NULL AND $4::text[] IS NOT NULL'
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE ${ofThisDatabase}
       AND pid IN (SELECT pid FROM pg_stat_activity WHERE starts_with(application_name, $5))
       AND (classid = $1::int AND objid::bigint = ANY($2::bigint[]) ${ofWriters})`,
    [lockClasses.claim, idsOf(chains), lockClasses.writer, names, indexerPrefix],
  )
}

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
