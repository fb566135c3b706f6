import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect } from 'vitest'
import type { DevnetProfile } from '../../packages/devnet/src/profile.ts'
import { loadEngine } from '../../packages/server/src/app/snapshots/loadEngine.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import { openStore } from '../../packages/server/src/store/openStore.ts'
import {
  postgresDatabase,
  postgresUser,
} from '../../packages/server/src/store/postgres/dataDirectory.ts'
import {
  socketDirectoryOf,
  socketPort,
} from '../../packages/server/src/store/postgres/postmaster.ts'
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { dumpChain, silentLogger, type TestConnection, withClient } from './postgres.ts'

/**
 * A trader's balances after a swap. Two runs must agree, except where a balance is null because it
 * was not known in time.
 */
type Holdings = {
  holding0: string | null
  holding1: string | null
  holdingNative: string | null
  /** Derived from the balances. */
  accountFlags: number
}

export type StoredMarket = {
  state: { head: BlockRef | null; hash: string; tokens: number; pairs: number }
  /** Every row, without columns that depend on when a block was read. */
  tables: Record<string, string[]>
  /** By "<block> <index>". */
  holdings: Map<string, Holdings>
}

export function profileOf({ multicall3: _, ...profile }: DevnetProfile): ChainProfile {
  return profile
}

/** Connection to a running program's private server, without starting or adopting it. */
export async function privateConnectionOf(dataDir: string): Promise<TestConnection> {
  const host = socketDirectoryOf(await realpath(dataDir), tmpdir())
  return { host, port: socketPort, user: postgresUser, database: postgresDatabase }
}

/** Reads the store that an ended program left in its data directory. */
export async function readStored(dataDir: string, profile: DevnetProfile): Promise<StoredMarket> {
  const server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  try {
    return await readStoredFrom(server.connection, profile)
  } finally {
    await server.stop()
  }
}

export async function readStoredFrom(
  connection: TestConnection,
  profile: DevnetProfile,
): Promise<StoredMarket> {
  const store = await openStore({ connection, logger: silentLogger })
  try {
    const chainId = await store.ensureChain(profile.name)
    const { engine, seq } = await loadEngine(store, chainId, profileOf(profile), silentLogger)
    expect(seq).toBe((await store.loadCursor(chainId)).seq)
    const state = {
      head: engine.head(),
      hash: engine.stateHash(),
      tokens: engine.tokenCount(),
      pairs: engine.pairCount(),
    }
    // Undo records depend on which blocks were final when read; swaps and klines are dumped
    // separately below.
    const dumped = await dumpChain(connection, chainId)
    const { undo: _undo, swaps: _swaps, log: _log, cursors: _cursors, ...tables } = dumped
    return {
      state,
      tables: {
        ...tables,
        ...(await dumpSwaps(connection, chainId)),
        ...(await dumpKlines(connection, chainId)),
      },
      ...(await dumpHoldings(connection, chainId)),
    }
  } finally {
    await store.close()
  }
}

function dumpSwaps(connection: TestConnection, chainId: number): Promise<{ swaps: string[] }> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query<{ row: string }>(
      `SELECT (to_jsonb(t) - 'chain' - 'holding0' - 'holding1' - 'holding_native' - 'account_flags')::text AS row
       FROM swaps t WHERE chain = $1 ORDER BY block, idx`,
      [chainId],
    )
    return { swaps: rows.map(({ row }) => row) }
  })
}

/**
 * Klines without the block that ended them: sparse reading skips blocks, so another block may be
 * the first after a kline's end.
 */
function dumpKlines(
  connection: TestConnection,
  chainId: number,
): Promise<Record<string, string[]>> {
  return withClient(connection, async (client) => {
    const dump: Record<string, string[]> = {}
    for (const table of ['klines_s1', 'klines_k1', 'klines']) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT (to_jsonb(t) - 'chain' - 'block')::text AS row FROM ${table} t WHERE chain = $1 ORDER BY 1`,
        [chainId],
      )
      dump[table] = rows.map(({ row }) => row)
    }
    return dump
  })
}

function dumpHoldings(
  connection: TestConnection,
  chainId: number,
): Promise<{ holdings: Map<string, Holdings> }> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query<Holdings & { key: string }>(
      `SELECT block || ' ' || idx AS key, holding0::text, holding1::text,
         holding_native::text AS "holdingNative", account_flags AS "accountFlags"
       FROM swaps WHERE chain = $1`,
      [chainId],
    )
    return { holdings: new Map(rows.map(({ key, ...holdings }) => [key, holdings])) }
  })
}

/**
 * Checks that two runs over the same chain stored the same market. Native balances are read only
 * while a block is live, and other balances are omitted when the store answers too late; such
 * values may be null in one run.
 */
export function expectSameMarket(actual: StoredMarket, expected: StoredMarket): void {
  expect(differencesOf(actual.tables, expected.tables)).toEqual({})
  expect(actual.state).toEqual(expected.state)
  const differences: string[] = []
  for (const [key, found] of actual.holdings) {
    const wanted = expected.holdings.get(key)!
    for (const field of ['holding0', 'holding1', 'holdingNative'] as const)
      if (found[field] !== wanted[field] && found[field] !== null && wanted[field] !== null)
        differences.push(`swap ${key}: ${field} is ${found[field]}, not ${wanted[field]}`)
    const isKnown = [found, wanted].every((one) => one.holding0 !== null && one.holding1 !== null)
    if (isKnown && found.accountFlags !== wanted.accountFlags)
      differences.push(`swap ${key}: flags are ${found.accountFlags}, not ${wanted.accountFlags}`)
  }
  expect(differences).toEqual([])
}

const rowsShownMax = 5

/** By table, the first rows that only one side has. */
function differencesOf(actual: StoredMarket['tables'], expected: StoredMarket['tables']) {
  const differences: Record<string, { unexpected: string[]; missing: string[] }> = {}
  for (const table of Object.keys(expected)) {
    const [found, wanted] = [actual[table]!, expected[table]!]
    const [foundRows, wantedRows] = [new Set(found), new Set(wanted)]
    const unexpected = found.filter((row) => !wantedRows.has(row)).slice(0, rowsShownMax)
    const missing = wanted.filter((row) => !foundRows.has(row)).slice(0, rowsShownMax)
    if (found.length !== wanted.length || unexpected.length > 0 || missing.length > 0)
      differences[table] = { unexpected, missing }
  }
  return differences
}

export type StoredCursor = { seq: number; number: number; hash: string; finalized: number }

/**
 * The stored position of a running program's only chain; null while its database does not answer.
 */
export async function readCursor(connection: TestConnection): Promise<StoredCursor | null> {
  try {
    return await withClient(connection, async (client) => {
      const { rows } = await client.query<StoredCursor>(
        'SELECT seq, number, hash, finalized FROM cursors',
      )
      return rows[0] ?? null
    })
  } catch {
    return null
  }
}
