import type { Pool } from 'pg'
import { lockTransaction } from '../advisoryLock.ts'
import type { Cursor } from '../blockWrite.ts'
import { inTransaction } from '../connection.ts'
import { type StoredHistory, storedHistoryColumns } from '../retention.ts'
import { chainPartitionsSql } from '../write/partitions.ts'

/** The chain's id in this database, created on first use. */
export async function ensureChain(pool: Pool, name: string): Promise<number> {
  const id = await ensureId(pool, name)
  // One transaction each: a writer locks these tables in another order, so holding two could
  // deadlock.
  for (const statement of chainPartitionsSql(id))
    await inTransaction(pool, async (client) => {
      await lockTransaction(client, 'migration', 0)
      await client.query(statement)
    })
  return id
}

function ensureId(pool: Pool, name: string): Promise<number> {
  return inTransaction(pool, async (client) => {
    await lockTransaction(client, 'migration', 0)
    const known = await client.query<{ id: number }>('SELECT id FROM chains WHERE name = $1', [
      name,
    ])
    if (known.rows[0] !== undefined) return known.rows[0].id
    const made = await client.query<{ id: number }>(
      'INSERT INTO chains (name) VALUES ($1) RETURNING id',
      [name],
    )
    const { id } = made.rows[0]!
    await client.query('INSERT INTO cursors (chain) VALUES ($1)', [id])
    return id
  })
}

export type StoredCursor = Cursor & StoredHistory & { finalized: number }

export async function loadCursor(pool: Pool, chainId: number): Promise<StoredCursor> {
  const { rows } = await pool.query<StoredCursor>({
    name: 'load-cursor',
    text: `SELECT seq, number, hash, finalized, ${storedHistoryColumns} FROM cursors WHERE chain = $1`,
    values: [chainId],
  })
  return rows[0]!
}
