import type { Client } from 'pg'
import { type BlockVerdicts, disprovedBlockReason } from '../../../model/trust/doubt.ts'
import type { BlockWrite } from '../../blockWrite.ts'
import { blockOf } from './batchRows.ts'

/** A chain's stored unverified blocks. */
export type UnverifiedBlockStats = {
  count: number
  /** Null if there are none. */
  newestNumber: number | null
  /** Blocks that proved wrong after they were final. */
  untrueCount: number
}

/** Marks unverified blocks of these writes and updates the marks of reviewed ones. */
export async function writeUnverifiedBlocks(
  client: Client,
  writes: readonly BlockWrite[],
): Promise<void> {
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
  { right, wrong }: BlockVerdicts,
): Promise<void> {
  for (const number of right) await revertUnverifiedBlock(client, chainId, number)
  // Without its digest the block is not reviewed again.
  for (const { number, reason } of wrong)
    await client.query(
      'UPDATE doubtful_blocks SET reason = $3, digest = NULL WHERE chain = $1 AND number = $2',
      [chainId, number, reason],
    )
}

export async function revertUnverifiedBlock(
  client: Client,
  chainId: number,
  number: number,
): Promise<void> {
  await client.query('DELETE FROM doubtful_blocks WHERE chain = $1 AND number = $2', [
    chainId,
    number,
  ])
}

export async function loadUnverifiedBlockStats(
  client: Client,
  chainId: number,
): Promise<UnverifiedBlockStats> {
  const { rows } = await client.query<UnverifiedBlockStats>(
    `SELECT count(*)::integer AS count, max(number) AS "newestNumber",
       (count(*) FILTER (WHERE reason = $2))::integer AS "untrueCount"
     FROM doubtful_blocks WHERE chain = $1`,
    [chainId, disprovedBlockReason],
  )
  return rows[0]!
}

/** Can storing these writes change which blocks are unverified? */
export function changesUnverifiedBlocks(writes: readonly BlockWrite[]): boolean {
  return writes.some(
    ({ doubt, settledDoubts, reverted }) => doubt || settledDoubts || reverted !== null,
  )
}
