import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { assertConsecutive, type LoggedEntry, type LogReader } from '../../log/log.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import type { PairMilestone } from '../../model/pairMilestones.ts'
import type { UnverifiedBlock } from '../../model/trust/doubt.ts'
import { consumerSilentSMax } from '../write/partitions.ts'
import { milestonesOfCodes } from '../write/rows/batchRows.ts'

/** Columns of the log that identify an entry's block. */
const refColumns = 'number, hash, parent_number, parent_hash, time_s'

type RefRow = {
  number: number
  hash: string
  parent_number: number
  parent_hash: string
  time_s: number
}

export function refOf({ number, hash, parent_number, parent_hash, time_s }: RefRow): BlockRef {
  return {
    number,
    hash,
    parentNumber: parent_number,
    parentHash: parent_hash,
    timeS: time_s,
  }
}

/** A canonical block with its undo; `undo` null: it is final. */
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
    findReverted: (chainId: number, fromSeq: number) => findReverted(pool, chainId, fromSeq),
    loadSpentSeq: (chainId: number) => loadUnneededSeq(pool, chainId),
    findFirstNumber: (chainId: number) => findFirstNumber(pool, chainId),
    findCommitSeq: (chainId: number, hash: string) => findCommitSeq(pool, chainId, hash),
    loadReverted: (chainId: number, toNumber: number, limit: number) =>
      loadReverted(pool, chainId, toNumber, limit),
    findLogBlocks: (chainId: number, numbers: readonly number[]) =>
      findLogBlocks(pool, chainId, numbers),
    loadLogBlocks: (chainId: number, query: LogBlocksQuery) => loadLogBlocks(pool, chainId, query),
  }
}

/** All entries from a sequence on, in order, up to the newest stored one. */
export async function* readLog(
  pool: Pool,
  chainId: number,
  fromSeq: number,
): AsyncGenerator<LoggedEntry, void, undefined> {
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

type TailRow = RefRow & { seq: number; type: 'commit' | 'revert'; undo: Buffer | null }

/** The newest `count` blocks that were not reverted, oldest first. */
async function readLogTail(pool: Pool, chainId: number, count: number): Promise<StoredBlock[]> {
  const tail: StoredBlock[] = []
  // A block may be committed, reverted and committed again: each revert cancels one commit before
  // it.
  const reverted = new Map<string, number>()
  for (let beforeSeq = Number.MAX_SAFE_INTEGER; tail.length < count; ) {
    const { rows } = await pool.query<TailRow>({
      name: 'read-log-tail',
      text: `SELECT seq, type, undo, ${refColumns} FROM log
             WHERE chain = $1 AND seq < $2 AND type IN ('commit', 'revert')
             ORDER BY seq DESC LIMIT ${entriesPerPage}`,
      values: [chainId, beforeSeq],
    })
    for (const row of rows) {
      const times = reverted.get(row.hash) ?? 0
      if (row.type === 'revert') reverted.set(row.hash, times + 1)
      else if (times > 0) reverted.set(row.hash, times - 1)
      else if (tail.length < count) tail.push({ seq: row.seq, ref: refOf(row), undo: row.undo })
    }
    if (rows.length < entriesPerPage) break
    beforeSeq = rows.at(-1)!.seq
  }
  return tail.reverse()
}

/** An entry without its bytes. */
export type LogEntryRef = { seq: number; type: LogEntry['type']; number: number; hash: string }

/** As readLog, without the bytes. */
async function* readLogPlaces(
  pool: Pool,
  chainId: number,
  fromSeq: number,
): AsyncGenerator<LogEntryRef, void, undefined> {
  for (let seq = fromSeq; ; ) {
    const { rows } = await pool.query<LogEntryRef>({
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

/** From a sequence on and in order, all entries about blocks that were reverted at least once. */
async function findReverted(pool: Pool, chainId: number, fromSeq: number): Promise<LogEntryRef[]> {
  const { rows } = await pool.query<LogEntryRef>({
    name: 'find-taken-back',
    text: `SELECT seq, type, number, hash FROM log
           WHERE chain = $1 AND seq >= $2 AND type IN ('commit', 'late', 'revert') AND hash IN (
             SELECT hash FROM log WHERE chain = $1 AND seq >= $2 AND type = 'revert')
           ORDER BY seq`,
    values: [chainId, fromSeq],
  })
  return rows
}

/** The lowest block in the log, reverted ones included; null if none exists. */
async function findFirstNumber(pool: Pool, chainId: number): Promise<number | null> {
  const { rows } = await pool.query<{ number: number }>({
    name: 'find-first-number',
    text: `SELECT number FROM log WHERE chain = $1 AND type = 'commit' ORDER BY number LIMIT 1`,
    values: [chainId],
  })
  return rows[0]?.number ?? null
}

/** The newest entry that committed this block; null if none exists. */
async function findCommitSeq(pool: Pool, chainId: number, hash: string): Promise<number | null> {
  const { rows } = await pool.query<{ seq: number }>({
    name: 'find-commit-seq',
    text: `SELECT seq FROM log WHERE chain = $1 AND type = 'commit' AND hash = $2 ORDER BY seq DESC LIMIT 1`,
    values: [chainId, hash],
  })
  return rows[0]?.seq ?? null
}

/**
 * Blocks up to a number that were reverted at least once, the highest `limit` of them, highest
 * first.
 */
async function loadReverted(
  pool: Pool,
  chainId: number,
  toNumber: number,
  limit: number,
): Promise<BlockRef[]> {
  const { rows } = await pool.query<RefRow>({
    name: 'load-reverted',
    text: `SELECT ${refColumns} FROM log WHERE chain = $1 AND type = 'revert' AND number <= $2
           ORDER BY number DESC LIMIT $3`,
    values: [chainId, toNumber, limit],
  })
  return rows.map(refOf)
}

type PlaceRow = Omit<TailRow, 'undo'>

export type LogBlocksQuery = {
  /** Blocks above this number. */
  after: number
  /** Last block, inclusive. */
  toNumber: number
  limit: number
}

/**
 * The newest canonical blocks of a range, newest first. Blocks older than the log are not found.
 */
async function loadLogBlocks(
  pool: Pool,
  chainId: number,
  { after, toNumber, limit }: LogBlocksQuery,
): Promise<BlockRef[]> {
  const { rows } = await pool.query<RefRow>({
    name: 'load-log-blocks',
    text: `SELECT * FROM (
             SELECT DISTINCT ON (number) type, ${refColumns} FROM log
             WHERE chain = $1 AND number > $2 AND number <= $3 AND type IN ('commit', 'revert')
             ORDER BY number DESC, seq DESC) newest
           WHERE type = 'commit' ORDER BY number DESC LIMIT $4`,
    values: [chainId, after, toNumber, limit],
  })
  return rows.map(refOf)
}

/** Canonical blocks with these numbers. Blocks older than the log are not found. */
async function findLogBlocks(
  pool: Pool,
  chainId: number,
  numbers: readonly number[],
): Promise<BlockRef[]> {
  if (numbers.length === 0) return []
  const { rows } = await pool.query<PlaceRow>({
    name: 'find-log-blocks',
    text: `SELECT DISTINCT ON (number) seq, type, ${refColumns} FROM log
           WHERE chain = $1 AND number = ANY($2::bigint[]) AND type IN ('commit', 'revert')
           ORDER BY number, seq DESC`,
    values: [chainId, numbers],
  })
  return rows.filter(({ type }) => type === 'commit').map(refOf)
}

/**
 * Entries up to this sequence of a log outside of the database are no longer needed: they are
 * stored, and the oldest snapshot and every active consumer are past them. Without a snapshot all
 * are needed.
 */
async function loadUnneededSeq(pool: Pool, chainId: number): Promise<number> {
  const { rows } = await pool.query<{ seq: number }>({
    name: 'spent-log-seq',
    text: `SELECT least(
             (SELECT seq FROM cursors WHERE chain = $1),
             coalesce((SELECT min(seq) FROM snapshots WHERE chain = $1), 0),
             (SELECT min(seq) FROM log_consumers
              WHERE chain = $1 AND acknowledged_at > now() - make_interval(secs => $2))) AS seq`,
    values: [chainId, consumerSilentSMax],
  })
  return Number(rows[0]!.seq)
}

export type ChainLogOptions = {
  chainId: number
  chain: string
  /**
   * Interval at which a reader at the end of the log checks for more. @default followEveryMsDefault
   */
  followEveryMs?: number | undefined
}

// Followers push a block at the head this much later, half of it on average; a check is one index
// read.
const followEveryMsDefault = 50

/** A chain's log in the table `log`, written in the transaction of the rows. */
export function openChainLog(pool: Pool, options: ChainLogOptions): LogReader {
  const { chainId, chain, followEveryMs = followEveryMsDefault } = options
  const read = (fromSeq: number) =>
    assertConsecutive(readLog(pool, chainId, fromSeq), chain, fromSeq - 1)
  return {
    async lastSeq() {
      const { rows } = await pool.query<{ seq: number }>({
        name: 'last-log-seq',
        text: 'SELECT seq FROM cursors WHERE chain = $1',
        values: [chainId],
      })
      return rows[0]?.seq ?? 0
    },
    read,
    async *follow(fromSeq, signal) {
      for (let next = fromSeq; !signal.aborted; ) {
        for await (const entry of read(next)) {
          if (signal.aborted) return
          yield entry
          next = entry.seq + 1
        }
        await delay(followEveryMs, undefined, { signal }).catch(() => undefined)
      }
    },
    async acknowledged() {
      const { rows } = await pool.query<{ consumer: string; seq: number }>({
        name: 'log-consumers',
        text: 'SELECT consumer, seq FROM log_consumers WHERE chain = $1 ORDER BY consumer',
        values: [chainId],
      })
      return rows
    },
    async acknowledge(consumer, seq) {
      await pool.query({
        name: 'acknowledge-log',
        text: `INSERT INTO log_consumers AS known (chain, consumer, seq) VALUES ($1, $2, $3)
               ON CONFLICT (chain, consumer) DO UPDATE
               SET seq = greatest(known.seq, excluded.seq), acknowledged_at = now()`,
        values: [chainId, consumer, seq],
      })
    },
  }
}

type DoubtfulRow = {
  number: number
  hash: string
  digest: string
  /** Both null if the log does not reach back that far. */
  parentNumber: number | null
  parentHash: string | null
}

/** The newest unverified blocks that can be read again, oldest first. */
export async function loadUnverifiedBlocks(
  pool: Pool,
  chainId: number,
  limit: number,
): Promise<UnverifiedBlock[]> {
  const { rows } = await pool.query<DoubtfulRow>(
    `SELECT DISTINCT ON (d.number) d.number, d.hash, d.digest, l.parent_number AS "parentNumber",
       l.parent_hash AS "parentHash"
     FROM doubtful_blocks d
     LEFT JOIN log l ON l.chain = d.chain AND l.number = d.number AND l.hash = d.hash AND l.type = 'commit'
     WHERE d.chain = $1 AND d.digest IS NOT NULL ORDER BY d.number DESC LIMIT $2`,
    [chainId, limit],
  )
  return rows.reverse().map(({ number, hash, digest, parentNumber, parentHash }) => ({
    number,
    hash,
    digest,
    parent:
      parentNumber === null || parentHash === null
        ? null
        : { number: parentNumber, hash: parentHash },
  }))
}

export type PairMilestonesQuery = {
  chainId: number
  /** First block; no later one is older than its time. */
  from: { number: number; timeS: number }
  /** Excludes the first block. */
  isExclusive: boolean
  /** Last block, inclusive. */
  toNumber: number
  /** Blocks read. */
  limit: number
  order: 'asc' | 'desc'
}

type BlockNews = { ref: BlockRef; news: readonly PairMilestone[] }

/** `reached` is the last complete block if there may be more after it. */
type NewsPage = { blocks: BlockNews[]; reached: BlockRef | null }

type NewsRow = RefRow & { news: number[] }

/** Created and graduated pairs by block, without reverted blocks. */
export async function loadPairMilestones(
  pool: Pool,
  query: PairMilestonesQuery,
): Promise<NewsPage> {
  const { chainId, from, isExclusive, toNumber, limit, order } = query
  // The subquery stays one lookup by number: as a join it could become a scan of the whole log.
  const { rows } = await pool.query<NewsRow>({
    name: `load-news-${order}`,
    text: `SELECT news, ${refColumns} FROM log c
           WHERE chain = $1 AND time_s >= $2 AND number >= $3 AND (number > $3 OR NOT $6)
             AND number <= $4
             AND type = 'commit' AND news <> '{}'
             AND 0 = (SELECT count(*) FROM log r
                      WHERE r.chain = $1 AND r.number = c.number AND r.seq > c.seq AND r.type = 'revert')
           ORDER BY number ${order} LIMIT $5`,
    values: [chainId, from.timeS, from.number, toNumber, limit, isExclusive],
  })
  const last = rows.length === limit ? rows.at(-1) : undefined
  return {
    blocks: rows.map((row) => ({ ref: refOf(row), news: milestonesOfCodes(row.news) })),
    reached: last === undefined ? null : refOf(last),
  }
}
