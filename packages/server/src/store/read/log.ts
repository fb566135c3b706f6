import type { Pool } from 'pg'
import type { BlockRef } from '../../model/block.ts'
import type { LogEntry } from '../../model/logEntry.ts'

export type StoredEntry = { seq: number; type: LogEntry['type']; bytes: Uint8Array }

/** A block that stands, with what takes it back; `undo` null: it never will be. */
export type StoredBlock = { seq: number; ref: BlockRef; undo: Uint8Array | null }

// Blocks of a busy chain are some 100 kB each: a page stays within tens of megabytes.
const entriesPerPage = 256
// A hundred bytes each.
const placesPerPage = 4_096

export function createLogReads(pool: Pool) {
  return {
    readLog: (chainId: number, fromSeq: number) => readLog(pool, chainId, fromSeq),
    readLogPlaces: (chainId: number, fromSeq: number) => readLogPlaces(pool, chainId, fromSeq),
    readLogTail: (chainId: number, count: number) => readLogTail(pool, chainId, count),
    findTakenBack: (chainId: number, fromSeq: number) => findTakenBack(pool, chainId, fromSeq),
    findFirstNumber: (chainId: number) => findFirstNumber(pool, chainId),
    findRevertedNumbers: (chainId: number, range: { from: number; to: number }) =>
      findRevertedNumbers(pool, chainId, range),
    findLogBlocks: (chainId: number, numbers: readonly number[]) =>
      findLogBlocks(pool, chainId, numbers),
  }
}

/** All entries from a sequence on, in order, up to the newest that is stored when it gets there. */
async function* readLog(
  pool: Pool,
  chainId: number,
  fromSeq: number,
): AsyncGenerator<StoredEntry, void, undefined> {
  for (let seq = fromSeq; ; ) {
    const { rows } = await pool.query<{ seq: number; type: LogEntry['type']; entry: Buffer }>({
      name: 'read-log',
      text: `SELECT seq, type, entry FROM log WHERE chain = $1 AND seq >= $2
             ORDER BY seq LIMIT ${entriesPerPage}`,
      values: [chainId, seq],
    })
    for (const row of rows) yield { seq: row.seq, type: row.type, bytes: row.entry }
    if (rows.length < entriesPerPage) return
    seq = rows.at(-1)!.seq + 1
  }
}

type TailRow = {
  seq: number
  type: 'commit' | 'revert'
  number: number
  hash: string
  parent_hash: string
  time_s: number
  undo: Buffer | null
}

/** The newest `count` blocks that were not taken back, oldest first. */
async function readLogTail(pool: Pool, chainId: number, count: number): Promise<StoredBlock[]> {
  const tail: StoredBlock[] = []
  // A block may be committed, taken back and committed again: each revert cancels one commit before it.
  const reverted = new Map<string, number>()
  for (let beforeSeq = Number.MAX_SAFE_INTEGER; tail.length < count; ) {
    const { rows } = await pool.query<TailRow>({
      name: 'read-log-tail',
      text: `SELECT seq, type, number, hash, parent_hash, time_s, undo FROM log
             WHERE chain = $1 AND seq < $2 AND type IN ('commit', 'revert')
             ORDER BY seq DESC LIMIT ${entriesPerPage}`,
      values: [chainId, beforeSeq],
    })
    for (const row of rows) {
      const times = reverted.get(row.hash) ?? 0
      if (row.type === 'revert') reverted.set(row.hash, times + 1)
      else if (times > 0) reverted.set(row.hash, times - 1)
      else if (tail.length < count) tail.push(blockOf(row))
    }
    if (rows.length < entriesPerPage) break
    beforeSeq = rows.at(-1)!.seq
  }
  return tail.reverse()
}

function blockOf({ seq, number, hash, parent_hash, time_s, undo }: TailRow): StoredBlock {
  return { seq, ref: { number, hash, parentHash: parent_hash, timeS: time_s }, undo }
}

/** An entry without its bytes. */
export type LogPlace = { seq: number; type: LogEntry['type']; number: number; hash: string }

/** As readLog, without the bytes. */
async function* readLogPlaces(
  pool: Pool,
  chainId: number,
  fromSeq: number,
): AsyncGenerator<LogPlace, void, undefined> {
  for (let seq = fromSeq; ; ) {
    const { rows } = await pool.query<LogPlace>({
      name: 'read-log-places',
      text: `SELECT seq, type, number, hash FROM log WHERE chain = $1 AND seq >= $2
             ORDER BY seq LIMIT ${placesPerPage}`,
      values: [chainId, seq],
    })
    yield* rows
    if (rows.length < placesPerPage) return
    seq = rows.at(-1)!.seq + 1
  }
}

/** From a sequence on and in order, all entries about blocks that were taken back at least once. */
async function findTakenBack(pool: Pool, chainId: number, fromSeq: number): Promise<LogPlace[]> {
  const { rows } = await pool.query<LogPlace>({
    name: 'find-taken-back',
    text: `SELECT seq, type, number, hash FROM log
           WHERE chain = $1 AND seq >= $2 AND type IN ('commit', 'late', 'revert') AND hash IN (
             SELECT hash FROM log WHERE chain = $1 AND seq >= $2 AND type = 'revert')
           ORDER BY seq`,
    values: [chainId, fromSeq],
  })
  return rows
}

/** The lowest block in the log, be it still there or taken back; null: there is none. */
async function findFirstNumber(pool: Pool, chainId: number): Promise<number | null> {
  const { rows } = await pool.query<{ number: number }>({
    name: 'find-first-number',
    text: `SELECT number FROM log WHERE chain = $1 AND type = 'commit' ORDER BY number LIMIT 1`,
    values: [chainId],
  })
  return rows[0]?.number ?? null
}

/** Numbers of a range of which a block was taken back at least once. */
async function findRevertedNumbers(
  pool: Pool,
  chainId: number,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const { rows } = await pool.query<{ number: number }>({
    name: 'find-reverted-numbers',
    text: `SELECT DISTINCT number FROM log
           WHERE chain = $1 AND type = 'revert' AND number >= $2 AND number <= $3`,
    values: [chainId, from, to],
  })
  return rows.map(({ number }) => number)
}

type PlaceRow = Omit<TailRow, 'undo'>

/** Blocks of these numbers that stand. One that is older than the log is not found. */
async function findLogBlocks(
  pool: Pool,
  chainId: number,
  numbers: readonly number[],
): Promise<BlockRef[]> {
  if (numbers.length === 0) return []
  const { rows } = await pool.query<PlaceRow>({
    name: 'find-log-blocks',
    text: `SELECT DISTINCT ON (number) seq, type, number, hash, parent_hash, time_s FROM log
           WHERE chain = $1 AND number = ANY($2::bigint[]) AND type IN ('commit', 'revert')
           ORDER BY number, seq DESC`,
    values: [chainId, numbers],
  })
  return rows
    .filter(({ type }) => type === 'commit')
    .map((row) => blockOf({ ...row, undo: null }).ref)
}
