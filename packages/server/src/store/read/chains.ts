import type { Pool } from 'pg'
import { type StoredHistory, storedHistoryColumns } from '../retention.ts'

export type StoredChain = {
  name: string
  block: number
  timeS: number
  finalizedBlock: number | null
} & StoredHistory

/** Chains that have a block, and how far they are. */
export async function listChains(pool: Pool): Promise<StoredChain[]> {
  const { rows } = await pool.query<
    { name: string; number: number; finalized: number; time_s: number | null } & StoredHistory
  >(
    `SELECT c.name, k.number, k.finalized, ${storedHistoryColumns},
       (SELECT l.time_s FROM log l WHERE l.chain = c.id AND l.type = 'commit' ORDER BY l.seq DESC LIMIT 1) AS time_s
     FROM chains c JOIN cursors k ON k.chain = c.id WHERE k.number >= 0 ORDER BY c.name`,
  )
  return rows.map(({ name, number, finalized, time_s, firstNumber, swapsFromS }) => ({
    name,
    block: number,
    timeS: time_s ?? 0,
    finalizedBlock: finalized < 0 ? null : finalized,
    firstNumber,
    swapsFromS,
  }))
}

/** The number of a chain that is stored; null when there is none of this name. */
export async function findChain(pool: Pool, name: string): Promise<number | null> {
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM chains WHERE name = $1', [name])
  return rows[0]?.id ?? null
}
