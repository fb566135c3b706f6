import type { Client } from 'pg'
import type { BlockWrite } from '../../blockWrite.ts'
import { blockOf } from './batchRows.ts'

/** Blocks of a chain that were stored though nothing could prove them. */
export type DoubtfulBlocks = {
  count: number
  /** Null: there is none. */
  newestNumber: number | null
}

/** Marks the blocks of these writes that are in doubt. */
export async function writeDoubts(client: Client, writes: readonly BlockWrite[]): Promise<void> {
  for (const write of writes) {
    const block = blockOf(write)
    if (block === null || !write.doubt) continue
    await client.query(
      `INSERT INTO doubtful_blocks (chain, number, hash, reason) VALUES ($1, $2, $3, $4)
       ON CONFLICT (chain, number) DO UPDATE SET hash = excluded.hash, reason = excluded.reason`,
      [write.chainId, block.number, block.hash, write.doubt],
    )
  }
}

export async function revertDoubt(client: Client, chainId: number, number: number): Promise<void> {
  await client.query('DELETE FROM doubtful_blocks WHERE chain = $1 AND number = $2', [
    chainId,
    number,
  ])
}

export async function loadDoubts(client: Client, chainId: number): Promise<DoubtfulBlocks> {
  const { rows } = await client.query<DoubtfulBlocks>(
    `SELECT count(*)::integer AS count, max(number) AS "newestNumber"
     FROM doubtful_blocks WHERE chain = $1`,
    [chainId],
  )
  return rows[0]!
}

/** May storing these writes change which blocks are in doubt? */
export function touchesDoubts(writes: readonly BlockWrite[]): boolean {
  return writes.some(({ doubt, reverted }) => Boolean(doubt) || reverted !== null)
}
