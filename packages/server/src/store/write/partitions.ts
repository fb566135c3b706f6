import type { Client } from 'pg'
import { type DailyTable, dayColumnOf, dayS, firstDayKept, type Retention } from '../retention.ts'

// A consumer that was silent for longer restarts from a snapshot, so the log need not be kept for
// it.
export const consumerSilentSMax = dayS

export const dailyTables: readonly DailyTable[] = [
  'log',
  'swaps',
  'liquidity',
  'klines_s1',
  'klines_k1',
]

/**
 * Days with a partition, by table; one object per writer session, since only the writer creates and
 * drops them.
 */
export type KnownDays = Record<DailyTable, Set<number>>

export async function loadKnownDays(client: Client, chainId: number): Promise<KnownDays> {
  const known: KnownDays = {
    log: new Set(),
    swaps: new Set(),
    liquidity: new Set(),
    klines_s1: new Set(),
    klines_k1: new Set(),
  }
  for (const table of dailyTables) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = $1::regclass`,
      [chainPartitionOf(table, chainId)],
    )
    for (const { name } of rows) known[table].add(Number(name.slice(name.lastIndexOf('_d') + 2)))
  }
  return known
}

/**
 * Creates the partitions of these days and of the following day, so that midnight finds its own.
 */
export async function ensureDays(
  client: Client,
  chainId: number,
  known: KnownDays,
  days: Readonly<Record<DailyTable, ReadonlySet<number>>>,
): Promise<void> {
  for (const table of dailyTables) {
    for (const day of days[table]) {
      for (const wanted of [day, day + 1]) {
        if (known[table].has(wanted)) continue
        await createPartition(client, table, chainId, wanted)
        known[table].add(wanted)
      }
    }
  }
}

// Created separately and attached: attaching does not block readers of the parent, CREATE ...
// PARTITION OF would.
async function createPartition(
  client: Client,
  table: DailyTable,
  chainId: number,
  day: number,
): Promise<void> {
  await client.query(`BEGIN; ${dayPartitionSql(table, chainId, day)} COMMIT`)
}

export function dayPartitionSql(table: string, chainId: number, day: number): string {
  const parent = chainPartitionOf(table, chainId)
  const name = partitionName(table, chainId, day)
  return `
    CREATE TABLE ${name} (LIKE ${parent} INCLUDING ALL);
    ALTER TABLE ${parent} ATTACH PARTITION ${name}
      FOR VALUES FROM (${day * dayS}) TO (${(day + 1) * dayS});`
}

/**
 * COPY target for rows of these days: a single day's partition, which avoids routing each row, or
 * the parent.
 */
export function copyTargetOf(
  table: DailyTable,
  chainId: number,
  days: ReadonlySet<number>,
): string {
  const [day] = days
  return days.size === 1 ? partitionName(table, chainId, day!) : table
}

/** The table of a chain's day. */
export function partitionName(table: string, chainId: number, day: number): string {
  return `${chainPartitionOf(table, chainId)}_d${day}`
}

/** The parent of a chain's daily partitions of a table. */
export function chainPartitionOf(table: string, chainId: number): string {
  return `${table}_c${chainId}`
}

/**
 * Statements that create the parents of a chain's daily partitions. Each locks one table until its
 * transaction ends.
 */
export function chainPartitionsSql(chainId: number): string[] {
  return dailyTables.map((table) => chainPartitionSql(table, chainId, dayColumnOf(table)))
}

/** Is any day of any table past retention? */
export function hasExpiredDay(known: KnownDays, retention: Retention, nowS: number): boolean {
  return dailyTables.some((table) => {
    const first = firstDayKept(nowS, retention[table])
    return [...known[table]].some((day) => day < first)
  })
}

export function chainPartitionSql(table: string, chainId: number, dayColumn: string): string {
  return `CREATE TABLE IF NOT EXISTS ${chainPartitionOf(table, chainId)} PARTITION OF ${table}
    FOR VALUES IN (${chainId}) PARTITION BY RANGE (${dayColumn});`
}

type DroppedDays = {
  tables: readonly DailyTable[]
  /** Days before this one are dropped. */
  firstDayOf(table: DailyTable): number
  lockWaitMs: number
}

/** Drops days. The log also keeps entries that a stored snapshot or a consumer still needs. */
export async function dropDays(
  client: Client,
  chainId: number,
  known: KnownDays,
  { tables, firstDayOf, lockWaitMs }: DroppedDays,
): Promise<string[]> {
  const dropped: string[] = []
  const neededSeq = await oldestSeqNeeded(client, chainId)
  // Dropping waits for readers and blocks new ones: better late than long.
  await client.query(`SET lock_timeout = ${lockWaitMs}`)
  try {
    for (const table of tables) {
      for (const day of [...known[table]].sort((a, b) => a - b)) {
        if (day >= firstDayOf(table)) break
        const name = partitionName(table, chainId, day)
        if (table === 'log' && !(await isLogSpent(client, name, neededSeq))) break
        // Both or neither: statements sent together are one transaction.
        const note = table === 'swaps' ? noteSwapsGone(chainId, day) : ''
        await client.query(`${note}DROP TABLE ${name}`)
        known[table].delete(day)
        dropped.push(name)
      }
    }
  } finally {
    await client.query('RESET lock_timeout')
  }
  return dropped
}

function noteSwapsGone(chainId: number, day: number): string {
  return `UPDATE cursors SET swaps_from_s = greatest(swaps_from_s, ${(day + 1) * dayS}) WHERE chain = ${chainId};`
}

/**
 * Earlier entries are not needed: neither by a start from the oldest snapshot nor by a recently
 * active consumer. Without a snapshot all are needed.
 */
async function oldestSeqNeeded(client: Client, chainId: number): Promise<number> {
  const { rows } = await client.query<{ seq: number }>(
    `SELECT least(
       coalesce((SELECT min(seq) FROM snapshots WHERE chain = $1), 0),
       (SELECT min(seq) + 1 FROM log_consumers
        WHERE chain = $1 AND acknowledged_at > now() - make_interval(secs => $2))) AS seq`,
    [chainId, consumerSilentSMax],
  )
  return Number(rows[0]!.seq)
}

async function isLogSpent(client: Client, name: string, neededSeq: number): Promise<boolean> {
  const { rows } = await client.query<{ seq: string | null }>(`SELECT max(seq) AS seq FROM ${name}`)
  const seq = rows[0]?.seq ?? null
  return seq === null || Number(seq) < neededSeq
}
