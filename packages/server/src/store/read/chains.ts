import type { Pool } from 'pg'
import { isServedName } from '../adoptChain.ts'
import { lockTransaction } from '../advisoryLock.ts'
import type { Cursor } from '../blockWrite.ts'
import { inTransaction } from '../connection.ts'
import { type StoredHistory, storedHistoryColumns } from '../retention.ts'
import { chainPartitionsSql } from '../write/partitions.ts'

export type StoredChain = {
  name: string
  block: number
  timeS: number
  finalizedBlock: number | null
} & StoredHistory

/** Chains with a block, and their cursors, without backfills. */
export async function listChains(pool: Pool): Promise<StoredChain[]> {
  const { rows } = await pool.query<
    { name: string; number: number; finalized: number; time_s: number | null } & StoredHistory
  >(
    `SELECT c.name, k.number, k.finalized, ${storedHistoryColumns},
       (SELECT l.time_s FROM log l WHERE l.chain = c.id AND l.type = 'commit' ORDER BY l.seq DESC LIMIT 1) AS time_s
     FROM chains c JOIN cursors k ON k.chain = c.id WHERE k.number >= 0 ORDER BY c.name`,
  )
  const served = rows.filter(({ name }) => isServedName(name))
  return served.map(({ name, number, finalized, time_s, firstNumber, swapsFromS }) => ({
    name,
    block: number,
    timeS: time_s ?? 0,
    finalizedBlock: finalized < 0 ? null : finalized,
    firstNumber,
    swapsFromS,
  }))
}

/** The id of a stored chain; null if none exists of this name. */
export async function findChain(pool: Pool, name: string): Promise<number | null> {
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM chains WHERE name = $1', [name])
  return rows[0]?.id ?? null
}

/** Ids of everything stored, served or not. */
export async function readChainIds(pool: Pool): Promise<Set<number>> {
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM chains')
  return new Set(rows.map(({ id }) => id))
}

/** Names of chains with this prefix. */
export async function findChainNames(pool: Pool, prefix: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT name FROM chains WHERE starts_with(name, $1) ORDER BY id',
    [prefix],
  )
  return rows.map(({ name }) => name)
}

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
