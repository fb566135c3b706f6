import { createHash } from 'node:crypto'
import type { ClientBase } from 'pg'
import { type DailyTable, dayColumnOf } from '../retention.ts'

/**
 * Every table with data in any version of the schema, referenced ones first. Without
 * `schema_versions`: the header has the version, and restoring writes the table again.
 */
export const storedTables: readonly string[] = [
  'chains',
  'cursors',
  'snapshots',
  'snapshot_chunks',
  'log',
  'log_consumers',
  'undo',
  'doubtful_blocks',
  'left_out',
  'tokens',
  'pairs',
  'supplies',
  'launches',
  'balances',
  'holder_bars',
  'swaps',
  'liquidity',
  'klines_s1',
  'klines_k1',
  'klines',
  'smart_wallets',
  'smart_wallet_runs',
  'risk_reports',
  'keys',
  'key_seeds',
  'usage',
  'credits',
  'usage_sessions',
  'key_sockets',
]

export type CatalogTable = {
  name: string
  /** Split by chain and day; the rows are in the tables of the days. */
  isDaily: boolean
  columns: BackupColumn[]
  /** The column that the server numbers. */
  identity: string | null
}

/** Our tables as the database has them, in the order of a backup. Other tables are ignored. */
export async function readTables(client: ClientBase): Promise<CatalogTable[]> {
  const { rows } = await client.query<{
    table: string
    isDaily: boolean
    name: string
    type: string
    isIdentity: boolean
  }>(
    `SELECT c.relname AS table, c.relkind = 'p' AS "isDaily", a.attname AS name,
       format_type(a.atttypid, a.atttypmod) AS type, a.attidentity <> '' AS "isIdentity"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relname = ANY ($1)
       AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     ORDER BY a.attnum`,
    [storedTables],
  )
  return storedTables.flatMap((name) => {
    const own = rows.filter(({ table }) => table === name)
    if (own.length === 0) return []
    return {
      name,
      isDaily: own[0]!.isDaily,
      columns: own.map((column) => ({ name: column.name, type: column.type })),
      identity: own.find(({ isIdentity }) => isIdentity)?.name ?? null,
    }
  })
}

type DayTable = BackupDay & { table: string; name: string }

/** The tables of single days, oldest first. */
export async function readDays(client: ClientBase): Promise<DayTable[]> {
  const { rows } = await client.query<{ table: string; name: string }>(
    `SELECT root.relname AS table, leaf.relname AS name
     FROM pg_class root
       JOIN pg_inherits i ON i.inhparent = root.oid
       JOIN pg_inherits j ON j.inhparent = i.inhrelid
       JOIN pg_class leaf ON leaf.oid = j.inhrelid
     WHERE root.relnamespace = current_schema()::regnamespace AND root.relname = ANY ($1)`,
    [storedTables],
  )
  const days = rows.flatMap(({ table, name }) => {
    const match = /_c(\d+)_d(\d+)$/.exec(name)
    if (match === null) return []
    const column = dayColumnOf(table as DailyTable)
    return { table, name, chain: Number(match[1]), day: Number(match[2]), column }
  })
  return days.sort((a, b) => a.chain - b.chain || a.day - b.day)
}

// A backup is one gzip stream: a line that names the format, the header as one line of JSON, the
// parts, and a line that marks the end. `zcat FILE | head -2` shows the first two.

/**
 * Raise it if an older program cannot read the file. The form of tables follows from the schema's
 * version.
 */
export const backupFormat = 1

export const firstLineOf = (format: number) => `chaintape backup, format ${format}`
export const firstLinePattern = /^chaintape backup, format (\d+)$/
/** Formats before 1.0.0. */
export const unreleasedLinePattern = /^chaintape backup \d+$/

export type BackupColumn = { name: string; type: string }

export type BackupHeader = {
  /** Version of the program that wrote it. */
  version: string
  createdAt: string
  schema: number
  /** Version of the PostgreSQL server it came from. */
  postgres: string
  /** The last entry of each chain. */
  chains: readonly { name: string; seq: number; block: number; hash: string; finalized: number }[]
  /** In the order of the file: referenced tables first. */
  tables: readonly { name: string; columns: readonly BackupColumn[] }[]
  /** The last assigned number; numbers are never reused. */
  identities: readonly { table: string; column: string; last: number | null }[]
}

/** One day of a chain, stored in a table of its own. */
type BackupDay = { chain: number; day: number; column: string }

export type BackupPart =
  | { type: 'file'; name: string }
  | { type: 'rows'; table: string; day: BackupDay | null }

/** Follows each part, to detect changed or missing bytes. */
export type PartEnd = { bytes: number; sha256: string; rows: number }

export type BackupEnd = { type: 'end'; parts: number }

const lengthBytes = 4

export function encodeLine(value: unknown): Buffer {
  return Buffer.from(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
}

/**
 * Encodes a part: its line, pieces with their lengths, an empty piece, and the sums of the whole.
 */
export async function* encodePart(
  part: BackupPart,
  pieces: AsyncIterable<Buffer>,
  rowCount: () => Promise<number> = async () => 0,
): AsyncGenerator<Buffer> {
  yield encodeLine(part)
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of pieces) {
    if (piece.byteLength === 0) continue
    hash.update(piece)
    bytes += piece.byteLength
    yield encodeLength(piece.byteLength)
    yield piece
  }
  yield encodeLength(0)
  const end: PartEnd = { bytes, sha256: hash.digest('hex'), rows: await rowCount() }
  yield encodeLine(end)
}

function encodeLength(length: number): Buffer {
  const bytes = Buffer.alloc(lengthBytes)
  bytes.writeUInt32BE(length)
  return bytes
}
