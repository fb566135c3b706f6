import { setTimeout as delay } from 'node:timers/promises'
import type { ClientBase } from 'pg'

// First half of the lock's key: random constants, so that other programs in the same database use
// other keys.
export const lockClasses = {
  server: 0x2f6b_11a0,
  migration: 0x2f6b_11a1,
  writer: 0x2f6b_11a2,
  claim: 0x2f6b_11a3,
  lease: 0x2f6b_11a4,
  sockets: 0x2f6b_11a5,
} as const

type LockClass = keyof typeof lockClasses

const pollMs = 25

/**
 * Takes a lock for the rest of the session. False if another session still holds it after `waitMs`.
 */
export async function tryLock(
  client: ClientBase,
  lockClass: LockClass,
  id: number,
  waitMs: number,
): Promise<boolean> {
  const deadlineMs = Date.now() + waitMs
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock($1::int, $2::int) AS locked',
      [lockClasses[lockClass], id],
    )
    if (rows[0]!.locked) return true
    if (Date.now() >= deadlineMs) return false
    await delay(pollMs)
  }
}

/** Releases a lock of this session before its end. */
export async function unlock(client: ClientBase, lockClass: LockClass, id: number): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1::int, $2::int)', [lockClasses[lockClass], id])
}

/** Waits for the lock inside a transaction and holds it to its end. */
export async function lockTransaction(
  client: ClientBase,
  lockClass: LockClass,
  id: number,
): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1::int, $2::int)', [lockClasses[lockClass], id])
}

/** Second halves of the keys of all held locks of the class in this database. */
export async function listLocked(client: ClientBase, lockClass: LockClass): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `SELECT objid::int8 AS id FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::int AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [lockClasses[lockClass]],
  )
  return rows.map(({ id }) => id)
}
