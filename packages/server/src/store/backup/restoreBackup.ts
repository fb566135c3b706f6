import { pipeline } from 'node:stream/promises'
import type { Client, ClientBase } from 'pg'
import { from } from 'pg-copy-streams'
import type { Logger } from '../../lib/logger.ts'
import { listLocked, lockTransaction } from '../advisoryLock.ts'
import {
  checkServer,
  clientConfigOf,
  closeDuringCopy,
  describeConnection,
  quoted,
  type StoreConnection,
} from '../connection.ts'
import { databaseFault } from '../errors.ts'
import { type Migration, migrateInTransaction, migrations, readVersion } from '../schema.ts'
import { StoreClient } from '../storeClient.ts'
import { chainPartitionSql, dayPartitionSql, partitionName } from '../write/partitions.ts'
import {
  BackupDamagedError,
  BackupStoppedError,
  RestoreNotEmptyError,
  RestoreServiceRunningError,
} from './errors.ts'
import { type BackupColumn, type BackupHeader, readTables } from './format.ts'
import type { BackupReader, ReadPart } from './readBackup.ts'

type RestoreBackupOptions = {
  connection: StoreConnection
  backup: BackupReader
  path: string
  logger: Logger
  /** @default those of this version */
  steps?: readonly Migration[] | undefined
  /** Stores one of the files beside the database. */
  takeFile(name: string, pieces: AsyncIterable<Buffer>): Promise<void>
  /** Moves the files to their place: everything is in the database, but not committed yet. */
  placeFiles(): Promise<void>
  signal: AbortSignal
}

/**
 * Restores a backup into an empty database: its schema, its rows, then all migrations since. One
 * transaction, so that all of it is there or nothing. Returns the number of rows.
 */
export async function restoreBackup(options: RestoreBackupOptions): Promise<number> {
  const { connection, backup, logger, signal, steps = migrations } = options
  const where = describeConnection(connection)
  const client = new StoreClient(clientConfigOf(connection, 'chaintape restore'))
  client.on('error', () => undefined)
  try {
    await client.connect()
    await checkServer(client)
    if ((await listLocked(client, 'writer')).length > 0)
      throw new RestoreServiceRunningError({ where })
    await client.query('BEGIN')
    // Other processes that open the database wait for the same lock.
    await lockTransaction(client, 'migration', 0)
    await checkEmpty(client, where)
    await migrateInTransaction(client, { logger, steps, toVersion: backup.header.schema })
    const rowCount = await copyParts(client, options)
    await setIdentities(client, backup.header)
    await migrateInTransaction(client, { logger, steps })
    signal.throwIfAborted()
    await options.placeFiles()
    await client.query('COMMIT')
    await analyze(client)
    return rowCount
  } catch (error) {
    if (signal.aborted) throw new BackupStoppedError({ work: 'restore' })
    throw databaseFault(error, where)
  } finally {
    // Rolls back by ending the session.
    await closeDuringCopy(client)
  }
}

async function checkEmpty(client: ClientBase, where: string): Promise<void> {
  const schema = await readVersion(client)
  const tables = await readTables(client)
  if (schema === 0 && tables.length === 0) return
  const found = schema > 0 ? `a store of schema ${schema}` : `a table ${tables[0]!.name}`
  throw new RestoreNotEmptyError({ where, found })
}

async function copyParts(client: Client, options: RestoreBackupOptions): Promise<number> {
  const { backup, path, signal } = options
  const targets = await readTargets(client, path, backup.header)
  let rowCount = 0
  for await (const part of backup.parts()) {
    signal.throwIfAborted()
    if (part.type === 'file') {
      await options.takeFile(part.name, part.pieces())
      continue
    }
    const columns = targets.get(part.table)
    if (columns === undefined) throw unknownTable(path, part.table, backup.header)
    const place = await makePlace(client, path, part)
    const stream = client.query(from(`COPY ${place} (${columns}) FROM STDIN`))
    await pipeline(part.pieces(), stream, { signal })
    if (stream.rowCount !== part.rowCount())
      throw new BackupDamagedError({
        path,
        detail: `${part.rowCount()} rows of ${part.table} were written, ${stream.rowCount} read`,
      })
    rowCount += stream.rowCount
  }
  return rowCount
}

/** Columns of the file by table, which must equal those of the file's schema version. */
async function readTargets(
  client: ClientBase,
  path: string,
  header: BackupHeader,
): Promise<Map<string, string>> {
  const known = new Map((await readTables(client)).map((table) => [table.name, table]))
  const targets = new Map<string, string>()
  for (const { name, columns } of header.tables) {
    const table = known.get(name)
    if (table === undefined || !isSame(table.columns, columns))
      throw unknownTable(path, name, header)
    targets.set(name, columns.map((column) => quoted(column.name)).join(', '))
  }
  return targets
}

/** In any order: a column added later is the last one in some databases only. */
function isSame(some: readonly BackupColumn[], others: readonly BackupColumn[]): boolean {
  const textOf = (columns: readonly BackupColumn[]) =>
    columns
      .map(({ name, type }) => `${name} ${type}`)
      .sort()
      .join()
  return textOf(some) === textOf(others)
}

function unknownTable(path: string, table: string, { schema }: BackupHeader): BackupDamagedError {
  const detail = `schema ${schema} has no table ${table} with these columns`
  return new BackupDamagedError({ path, detail })
}

/** Returns the table for a part's rows; creates the table of a day. */
async function makePlace(
  client: ClientBase,
  path: string,
  { table, day: daily }: Extract<ReadPart, { type: 'rows' }>,
): Promise<string> {
  if (daily === null) return table
  const { chain, day, column } = daily
  if (![chain, day].every(Number.isSafeInteger) || !/^[a-z_]+$/.test(column))
    throw new BackupDamagedError({ path, detail: `a day of ${table} cannot be read` })
  await client.query(chainPartitionSql(table, chain, column))
  await client.query(dayPartitionSql(table, chain, day))
  return partitionName(table, chain, day)
}

async function setIdentities(client: ClientBase, { identities }: BackupHeader): Promise<void> {
  for (const { table, column, last } of identities)
    if (last !== null)
      await client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [table, column, last])
}

/** Without statistics the server's first query plans would be poor. */
async function analyze(client: ClientBase): Promise<void> {
  for (const { name } of await readTables(client)) await client.query(`ANALYZE ${name}`)
}
