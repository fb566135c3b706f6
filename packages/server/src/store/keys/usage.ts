import type { Pool } from 'pg'
import { lockTransaction } from '../advisoryLock.ts'
import { inTransaction } from '../connection.ts'

/** Usage of one operation by one key on one day. */
export type Usage = {
  keyId: number
  /** Days since 1970-01-01. */
  day: number
  operation: string
  /** Includes failed ones. */
  requestCount: number
  failedCount: number
  cost: number
}

/** A change of usage, with the account and the credit period of its cost. */
export type UsageCount = Usage & { accountId: number; period: number }

/**
 * Counts that are added exactly once, even if written repeatedly: sessions number their batches.
 */
export type UsageBatch = {
  /** UUID of the process. */
  session: string
  /** Increases with each batch of the session. */
  sequence: number
  counts: readonly UsageCount[]
  /** Closed sockets that `takeSocket` counted. @default none */
  closedSockets?: readonly ClosedSocketCount[]
}

export type ClosedSocketCount = { keyId: number; count: number }

/** Usage of one account in a period, by all processes together. */
export type Credits = { cost: number; requestCount: number }

// A process writes at least every 2 s. One that has been silent for 10 s is gone, and its sockets
// with it. Times are those of the database, so the clocks of processes may differ.
const nowS = 'extract(epoch FROM clock_timestamp())::bigint'
const isLive = (session: string) => `${session}.written_at_s > ${nowS} - 10`

// One statement, so the sequence and the sums change together. A second writer of the same batch
// waits for the first one's lock on the session and then finds the sequence taken. Rows are written
// in order, so that processes with shared keys do not deadlock.
const addSql = `
  WITH turn AS (
    INSERT INTO usage_sessions AS s (id, sequence, written_at_s) VALUES ($1, $2, ${nowS})
    ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, written_at_s = excluded.written_at_s
      WHERE s.sequence < excluded.sequence
    RETURNING id
  ), counts AS (
    SELECT c.* FROM turn, unnest($3::int[], $4::int[], $5::int[], $6::int[], $7::text[], $8::bigint[],
      $9::bigint[], $10::bigint[])
      AS c(key_id, account_id, day, period, operation, requests, failed, cost)
  ), added AS (
    INSERT INTO usage AS u (key_id, day, operation, request_count, failed_count, cost)
    SELECT key_id, day, operation, sum(requests), sum(failed), sum(cost) FROM counts
      GROUP BY key_id, day, operation ORDER BY key_id, day, operation
    ON CONFLICT (key_id, day, operation) DO UPDATE SET
      request_count = u.request_count + excluded.request_count,
      failed_count = u.failed_count + excluded.failed_count,
      cost = u.cost + excluded.cost
  ), spent AS (
    INSERT INTO credits AS c (account_id, period, cost, request_count)
    SELECT account_id, period, sum(cost), sum(requests) FROM counts
      GROUP BY account_id, period ORDER BY account_id, period
    ON CONFLICT (account_id, period) DO UPDATE SET
      cost = c.cost + excluded.cost, request_count = c.request_count + excluded.request_count
  ), closed AS (
    UPDATE key_sockets AS k SET count = greatest(0, k.count - c.count)
    FROM turn, unnest($11::int[], $12::int[]) AS c(key_id, count)
    WHERE k.session = turn.id AND k.key_id = c.key_id
  )
  SELECT count(*)::int AS others FROM usage_sessions AS s WHERE s.id <> $1 AND ${isLive('s')}`

/** Adds a batch, unless it was added before. Returns how many other processes write usage. */
export async function addUsage(pool: Pool, batch: UsageBatch): Promise<number> {
  const { session, sequence, counts, closedSockets = [] } = batch
  const { rows } = await pool.query<{ others: number }>({
    name: 'add-usage',
    text: addSql,
    values: [
      ...[session, sequence],
      counts.map(({ keyId }) => keyId),
      counts.map(({ accountId }) => accountId),
      counts.map(({ day }) => day),
      counts.map(({ period }) => period),
      counts.map(({ operation }) => operation),
      counts.map(({ requestCount }) => requestCount),
      counts.map(({ failedCount }) => failedCount),
      counts.map(({ cost }) => cost),
      closedSockets.map(({ keyId }) => keyId),
      closedSockets.map(({ count }) => count),
    ],
  })
  return rows[0]!.others
}

/** Deletes sessions of processes that have not written for long and never will again. */
export async function dropUsageSessions(pool: Pool, unusedS: number): Promise<void> {
  await pool.query(`DELETE FROM usage_sessions WHERE written_at_s + $1::bigint < ${nowS}`, [
    unusedS,
  ])
}

export type SocketQuery = { session: string; keyId: number; socketsMax: number }

const takeSocketSql = `
  INSERT INTO key_sockets AS k (key_id, session, count)
  SELECT $2, $1, 1 WHERE $3 > (
    SELECT coalesce(sum(taken.count), 0) FROM key_sockets AS taken
    JOIN usage_sessions AS s ON s.id = taken.session
    WHERE taken.key_id = $2 AND (s.id = $1 OR ${isLive('s')})
  )
  ON CONFLICT (key_id, session) DO UPDATE SET count = k.count + 1`

/** Counts one more socket of a key. False if all processes together have `socketsMax`. */
export function acquireSocket(
  pool: Pool,
  { session, keyId, socketsMax }: SocketQuery,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    // Without the lock, two processes could both take the last socket.
    await lockTransaction(client, 'sockets', keyId)
    const { rowCount } = await client.query(takeSocketSql, [session, keyId, socketsMax])
    return rowCount === 1
  })
}

/** Usage in a period, by all processes together; accounts without usage are left out. */
export async function loadCredits(
  pool: Pool,
  { accountIds, period }: { accountIds: readonly number[]; period: number },
): Promise<Map<number, Credits>> {
  const { rows } = await pool.query<Credits & { accountId: number }>({
    name: 'load-credits',
    text: `SELECT account_id AS "accountId", cost, request_count AS "requestCount" FROM credits
           WHERE account_id = ANY($1::int[]) AND period = $2`,
    values: [accountIds, period],
  })
  return new Map(rows.map(({ accountId, ...credits }) => [accountId, credits]))
}

export type UsageQuery = { accountId: number; fromDay: number; toDay: number }

/** Usage of one account's keys, oldest first, both ends inclusive. */
export async function loadUsage(
  pool: Pool,
  { accountId, fromDay, toDay }: UsageQuery,
): Promise<Usage[]> {
  const { rows } = await pool.query<Usage>({
    name: 'load-usage',
    text: `SELECT key_id AS "keyId", day, operation, request_count AS "requestCount",
             failed_count AS "failedCount", cost
           FROM usage JOIN keys ON keys.id = usage.key_id
           WHERE keys.account_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day, operation, key_id`,
    values: [accountId, fromDay, toDay],
  })
  return rows
}

/** Sums by key, for keys with usage. */
export async function sumUsage(
  pool: Pool,
  { fromDay, toDay }: { fromDay: number; toDay: number },
): Promise<Map<number, { requestCount: number; cost: number }>> {
  const { rows } = await pool.query<{ keyId: number; requestCount: number; cost: number }>(
    `SELECT key_id AS "keyId", sum(request_count)::bigint AS "requestCount", sum(cost)::bigint AS cost
     FROM usage WHERE day BETWEEN $1 AND $2 GROUP BY key_id`,
    [fromDay, toDay],
  )
  return new Map(rows.map(({ keyId, ...sums }) => [keyId, sums]))
}
