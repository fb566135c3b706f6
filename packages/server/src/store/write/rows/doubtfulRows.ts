import type { Client } from 'pg'
import { type SettledDoubts, untrueReason } from '../../../model/trust/doubt.ts'
import type { BlockWrite } from '../../blockWrite.ts'
import { blockOf } from './batchRows.ts'

/** Blocks of a chain that were stored though nothing could prove them. */
export type DoubtfulBlocks = {
  count: number
  /** Null: there is none. */
  newestNumber: number | null
  /** Those that proved wrong when they were final. */
  untrueCount: number
}

/** Marks the blocks of these writes that are in doubt, and settles what was found out of others. */
export async function writeDoubts(client: Client, writes: readonly BlockWrite[]): Promise<void> {
  for (const write of writes) {
    const { chainId, doubt, settledDoubts } = write
    if (settledDoubts) await writeSettled(client, chainId, settledDoubts)
    const block = blockOf(write)
    if (block === null || !doubt) continue
    await client.query(
      `INSERT INTO doubtful_blocks (chain, number, hash, reason, digest) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (chain, number)
       DO UPDATE SET hash = excluded.hash, reason = excluded.reason, digest = excluded.digest`,
      [chainId, block.number, block.hash, doubt.reason, doubt.digest],
    )
  }
}

async function writeSettled(
  client: Client,
  chainId: number,
  { right, wrong }: SettledDoubts,
): Promise<void> {
  for (const number of right) await revertDoubt(client, chainId, number)
  // Without what it said nobody asks for it again.
  for (const { number, reason } of wrong)
    await client.query(
      'UPDATE doubtful_blocks SET reason = $3, digest = NULL WHERE chain = $1 AND number = $2',
      [chainId, number, reason],
    )
}

export async function revertDoubt(client: Client, chainId: number, number: number): Promise<void> {
  await client.query('DELETE FROM doubtful_blocks WHERE chain = $1 AND number = $2', [
    chainId,
    number,
  ])
}

export async function loadDoubts(client: Client, chainId: number): Promise<DoubtfulBlocks> {
  const { rows } = await client.query<DoubtfulBlocks>(
    `SELECT count(*)::integer AS count, max(number) AS "newestNumber",
       (count(*) FILTER (WHERE reason = $2))::integer AS "untrueCount"
     FROM doubtful_blocks WHERE chain = $1`,
    [chainId, untrueReason],
  )
  return rows[0]!
}

/** May storing these writes change which blocks are in doubt? */
export function touchesDoubts(writes: readonly BlockWrite[]): boolean {
  return writes.some(
    ({ doubt, settledDoubts, reverted }) => doubt || settledDoubts || reverted !== null,
  )
}
