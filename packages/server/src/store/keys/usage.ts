import type { Pool } from 'pg'

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
  nowS: number
  counts: readonly UsageCount[]
}

// One statement, so the sequence and the sums change together. A second writer of the same batch
// waits for the first one's lock on the session and then finds the sequence taken. Rows are written
// in order, so that processes with shared keys do not deadlock.
const addSql = `
  WITH turn AS (
    INSERT INTO usage_sessions AS s (id, sequence, written_at_s) VALUES ($1, $2, $3)
    ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, written_at_s = excluded.written_at_s
      WHERE s.sequence < excluded.sequence
    RETURNING id
  ), counts AS (
    SELECT c.* FROM turn, unnest($4::int[], $5::int[], $6::int[], $7::int[], $8::text[], $9::bigint[],
      $10::bigint[], $11::bigint[])
      AS c(key_id, account_id, day, period, operation, requests, failed, cost)
  ), added AS (
    INSERT INTO usage AS u (key_id, day, operation, request_count, failed_count, cost)
    SELECT key_id, day, operation, sum(requests), sum(failed), sum(cost) FROM counts
      GROUP BY key_id, day, operation ORDER BY key_id, day, operation
    ON CONFLICT (key_id, day, operation) DO UPDATE SET
      request_count = u.request_count + excluded.request_count,
      failed_count = u.failed_count + excluded.failed_count,
      cost = u.cost + excluded.cost
  )
  INSERT INTO credits AS c (account_id, period, cost)
  SELECT account_id, period, sum(cost) FROM counts
    GROUP BY account_id, period ORDER BY account_id, period
  ON CONFLICT (account_id, period) DO UPDATE SET cost = c.cost + excluded.cost`

/** Adds a batch, unless it was added before. */
export async function addUsage(pool: Pool, batch: UsageBatch): Promise<void> {
  const { session, sequence, nowS, counts } = batch
  await pool.query({
    name: 'add-usage',
    text: addSql,
    values: [
      ...[session, sequence, nowS],
      counts.map(({ keyId }) => keyId),
      counts.map(({ accountId }) => accountId),
      counts.map(({ day }) => day),
      counts.map(({ period }) => period),
      counts.map(({ operation }) => operation),
      counts.map(({ requestCount }) => requestCount),
      counts.map(({ failedCount }) => failedCount),
      counts.map(({ cost }) => cost),
    ],
  })
}

export type UnusedSessions = {
  /** Session of the caller. */
  session: string
  nowS: number
  unusedS: number
}

/**
 * Deletes sessions of processes that have not written for long and never will again. `nowS` counts
 * at most as the newest write of another session, in case the local clock is ahead.
 */
export async function dropUsageSessions(
  pool: Pool,
  { session, nowS, unusedS }: UnusedSessions,
): Promise<void> {
  await pool.query(
    `DELETE FROM usage_sessions WHERE written_at_s + $3::bigint
       < least($2::bigint, (SELECT max(written_at_s) FROM usage_sessions WHERE id <> $1::uuid))`,
    [session, nowS, unusedS],
  )
}

/** Credits used in a period by all processes together; accounts without usage are left out. */
export async function loadCredits(
  pool: Pool,
  { accountIds, period }: { accountIds: readonly number[]; period: number },
): Promise<Map<number, number>> {
  const { rows } = await pool.query<{ accountId: number; cost: number }>({
    name: 'load-credits',
    text: `SELECT account_id AS "accountId", cost FROM credits
           WHERE account_id = ANY($1::int[]) AND period = $2`,
    values: [accountIds, period],
  })
  return new Map(rows.map(({ accountId, cost }) => [accountId, cost]))
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
