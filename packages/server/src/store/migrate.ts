import assert from 'node:assert/strict'
import type { ClientBase } from 'pg'
import type { Logger } from '../lib/logger.ts'
import { lockTransaction } from './advisoryLock.ts'
import { SchemaTooNewError } from './errors.ts'
import { m001Log } from './migrations/m001Log.ts'
import { m002Records } from './migrations/m002Records.ts'
import { m003History } from './migrations/m003History.ts'
import { m004Holders } from './migrations/m004Holders.ts'
import { m005Snapshots } from './migrations/m005Snapshots.ts'
import { m006Keys } from './migrations/m006Keys.ts'
import { m007KeyAccounts } from './migrations/m007KeyAccounts.ts'
import { m008Wallets } from './migrations/m008Wallets.ts'
import { m009LogNumbers } from './migrations/m009LogNumbers.ts'
import { m010LogNews } from './migrations/m010LogNews.ts'
import { m011CursorHistory } from './migrations/m011CursorHistory.ts'
import { m012KeySeeds } from './migrations/m012KeySeeds.ts'
import { m013DoubtfulBlocks } from './migrations/m013DoubtfulBlocks.ts'
import { m014LeftOut } from './migrations/m014LeftOut.ts'
import { m015ParentNumbers } from './migrations/m015ParentNumbers.ts'
import { m016PairVenues } from './migrations/m016PairVenues.ts'
import { m017LogConsumers } from './migrations/m017LogConsumers.ts'
import { m018DoubtDigests } from './migrations/m018DoubtDigests.ts'
import { m019RiskReports } from './migrations/m019RiskReports.ts'
import { m020TradeMilliseconds } from './migrations/m020TradeMilliseconds.ts'
import { m021UnknownReserves } from './migrations/m021UnknownReserves.ts'
import type { Migration } from './migrations/migration.ts'

/** In order, forward only. */
export const migrations: readonly Migration[] = [
  m001Log,
  m002Records,
  m003History,
  m004Holders,
  m005Snapshots,
  m006Keys,
  m007KeyAccounts,
  m008Wallets,
  m009LogNumbers,
  m010LogNews,
  m011CursorHistory,
  m012KeySeeds,
  m013DoubtfulBlocks,
  m014LeftOut,
  m015ParentNumbers,
  m016PairVenues,
  m017LogConsumers,
  m018DoubtDigests,
  m019RiskReports,
  m020TradeMilliseconds,
  m021UnknownReserves,
]

export type MigrateOptions = { logger: Logger; toVersion?: number }

/** Brings the schema to `toVersion`, all steps in one transaction. Processes that start together take turns. */
export async function migrate(client: ClientBase, options: MigrateOptions): Promise<void> {
  await client.query('BEGIN')
  try {
    await migrateInTransaction(client, options)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** The same as a part of more that is done or not done. */
export async function migrateInTransaction(
  client: ClientBase,
  { logger, toVersion = migrations.length }: MigrateOptions,
): Promise<void> {
  assert(toVersion <= migrations.length)
  await lockTransaction(client, 'migration', 0)
  const version = await loadVersion(client)
  if (version > migrations.length)
    throw new SchemaTooNewError({ found: version, known: migrations.length })
  for (const migration of migrations.slice(version, toVersion)) {
    await client.query(migration.sql)
    await client.query('INSERT INTO migrations (version, name) VALUES ($1, $2)', [
      migration.version,
      migration.name,
    ])
    logger.info({ msg: 'Migrated the store', version: migration.version, name: migration.name })
  }
}

/** The schema's version; 0: there is none. Changes nothing. */
export async function readVersion(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `SELECT to_regclass('migrations') IS NOT NULL AS "isThere"`,
  )
  if (!rows[0]!.isThere) return 0
  const found = await client.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM migrations',
  )
  return found.rows[0]!.version
}

async function loadVersion(client: ClientBase): Promise<number> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS migrations (
      version integer PRIMARY KEY,
      name text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`)
  const { rows } = await client.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM migrations',
  )
  return rows[0]!.version
}
