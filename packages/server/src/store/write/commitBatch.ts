import type { Client } from 'pg'
import type { BlockWrite, SequencedWrite } from '../blockWrite.ts'
import { CursorMismatchError, NotReversibleError } from '../errors.ts'
import { type StoredHistory, storedHistoryColumns } from '../retention.ts'
import { copyTargetOf } from './partitions.ts'
import { type BatchRows, blockOf } from './rows/batchRows.ts'
import { copyBinary } from './rows/copyBinary.ts'
import { type HistoryTable, historyColumns } from './rows/historyRows.ts'
import { revertIgnoredContracts, writeIgnoredContracts } from './rows/ignoredContractRows.ts'
import { isReversible, revertStates, writeBalances, writeStates } from './rows/stateRows.ts'
import { revertUnverifiedBlock, writeUnverifiedBlocks } from './rows/unverifiedRows.ts'

type WriteContext = { chain: string; noteUpdate: (tokenId: number) => void }

/** Stores consecutive writes without reverts in one transaction. */
export async function commitBatch(
  client: Client,
  writes: readonly SequencedWrite[],
  rows: BatchRows,
  { chain, noteUpdate }: WriteContext,
): Promise<StoredHistory> {
  await client.query('BEGIN')
  const history = await moveCursor(client, writes, chain, rows.swapsFromS)
  await copyHistory(client, writes[0]!.chainId, rows)
  await markReversible(client, writes)
  await writeStates(client, writes)
  await writeBalances(client, writes, noteUpdate)
  await writeUnverifiedBlocks(client, writes)
  await writeIgnoredContracts(client, writes)
  await finalize(client, writes)
  await client.query('COMMIT')
  return history
}

/** Reverts the newest stored block exactly. */
export async function revertBlock(
  client: Client,
  write: SequencedWrite,
  rows: BatchRows,
  { chain, noteUpdate }: WriteContext,
): Promise<StoredHistory> {
  const { number, hash, timeS } = write.reverted!
  const { chainId } = write
  await client.query('BEGIN')
  const { rowCount } = await client.query(
    `DELETE FROM undo WHERE chain = $1 AND kind = 'block' AND block = $2 AND EXISTS (
       SELECT FROM cursors WHERE chain = $1 AND seq = $4 AND number = $2 AND hash = $3)`,
    [chainId, number, hash, write.expectedSeq],
  )
  const history = await moveCursor(client, [write], chain, null)
  if (rowCount !== 1) throw new NotReversibleError({ chain, number })
  for (const table of ['swaps', 'liquidity'])
    await client.query(`DELETE FROM ${table} WHERE chain = $1 AND block = $2 AND time_s = $3`, [
      chainId,
      number,
      timeS,
    ])
  for (const table of ['klines_s1', 'klines_k1', 'klines'])
    await client.query(`DELETE FROM ${table} WHERE chain = $1 AND block = $2`, [chainId, number])
  await revertStates(client, chainId, number)
  await revertUnverifiedBlock(client, chainId, number)
  await revertIgnoredContracts(client, chainId, write.reverted!)
  await client.query('DELETE FROM undo WHERE chain = $1 AND block = $2', [chainId, number])
  await writeBalances(client, [write], noteUpdate)
  await copyBinary(client, `log (${historyColumns.log})`, rows.bytes.log)
  await client.query('COMMIT')
  return history
}

async function copyHistory(client: Client, chainId: number, rows: BatchRows): Promise<void> {
  for (const table of Object.keys(historyColumns) as HistoryTable[]) {
    const place = table === 'klines' ? table : copyTargetOf(table, chainId, rows.days[table])
    await copyBinary(client, `${place} (${historyColumns[table]})`, rows.bytes[table])
  }
}

/**
 * Fails unless the stored chain ends where the writes begin: the only guard against a second writer
 * or a repeated write.
 */
async function moveCursor(
  client: Client,
  writes: readonly SequencedWrite[],
  chain: string,
  swapsFromS: number | null,
): Promise<StoredHistory> {
  const { chainId, expectedSeq } = writes[0]!
  const { seq, number, hash } = writes.at(-1)!.cursorAfter
  const moved = await client.query<StoredHistory>(
    `UPDATE cursors SET seq = $3, number = $4, hash = $5,
       first_number = CASE WHEN number < 0 THEN $6 ELSE first_number END,
       swaps_from_s = greatest(swaps_from_s, $7)
     WHERE chain = $1 AND seq = $2 RETURNING ${storedHistoryColumns}`,
    [chainId, expectedSeq, seq, number, hash, firstNumberOf(writes), swapsFromS],
  )
  if (moved.rowCount === 1) return moved.rows[0]!
  const { rows } = await client.query<{ seq: number }>('SELECT seq FROM cursors WHERE chain = $1', [
    chainId,
  ])
  throw new CursorMismatchError({ chain, expected: expectedSeq, found: rows[0]?.seq ?? -1 })
}

function firstNumberOf(writes: readonly BlockWrite[]): number | null {
  const entries = writes.flatMap((write) => write.entries)
  return entries.find(({ type }) => type === 'commit')?.ref.number ?? null
}

async function markReversible(client: Client, writes: readonly BlockWrite[]): Promise<void> {
  const numbers = writes
    .filter((write) => isReversible(write) && write.entries.some(({ type }) => type === 'commit'))
    .map((write) => blockOf(write)!.number)
  if (numbers.length === 0) return
  await client.query(
    `INSERT INTO undo (chain, kind, id, block) SELECT $1, 'block', 0, unnest($2::bigint[])`,
    [writes[0]!.chainId, numbers],
  )
}

async function finalize(client: Client, writes: readonly BlockWrite[]): Promise<void> {
  const numbers = writes.flatMap(({ entries }) =>
    entries.filter(({ type }) => type === 'finalize').map(({ ref }) => ref.number),
  )
  if (numbers.length === 0) return
  const values = [writes[0]!.chainId, Math.max(...numbers)]
  await client.query(
    'UPDATE cursors SET finalized = greatest(finalized, $2) WHERE chain = $1',
    values,
  )
  await client.query('DELETE FROM undo WHERE chain = $1 AND block <= $2', values)
}
