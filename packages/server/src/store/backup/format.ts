// A backup is one gzip stream: a line that names the format, the header as one line of JSON, the
// parts, and a line that marks the end. `zcat FILE | head -2` shows the first two.
import { createHash } from 'node:crypto'

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
export type BackupDay = { chain: number; day: number; column: string }

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
