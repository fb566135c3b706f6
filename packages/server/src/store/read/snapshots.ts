import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import type { Logger } from '../../lib/logger.ts'
import { inTransaction } from '../connection.ts'
import { CorruptStoreError } from '../errors.ts'
import { copyBytes } from './copiedBytes.ts'

/** State of an engine after entry `seq`, whose newest block is `number`. */
export type SnapshotHead = {
  chainId: number
  seq: number
  number: number
  hash: string
  /** Version of the bytes. */
  format: number
}

export type StoredSnapshot = SnapshotHead & {
  sizeBytes: number
  /** Read from the store as they are taken. */
  chunks(): AsyncIterable<Uint8Array>
}

// The newest may turn out damaged; the one before it needs a little more of the log. Should both be, the first of today
// and of yesterday need no more of it than is kept in any case.
const newestKept = 2
const daysKept = 2
const createdDay = `(created_at AT TIME ZONE 'UTC')::date`
// A row of this size is fetched without holding much memory on either side.
const chunkBytesMax = 1 << 20
// Far from the time a read may take.
const chunksPerCheck = 64
// As much as is held beside the snapshot while it is put together.
const chunksPerRead = 16

/** All that is asked of the snapshots of chains. */
export function createSnapshotReads(pool: Pool, logger: Logger) {
  return {
    saveSnapshot: (head: SnapshotHead, parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) =>
      saveSnapshot(pool, head, parts),
    readSnapshots: (chainId: number) => readSnapshots(pool, { chainId, logger }),
    newestSnapshotFormat: (chainId: number) => newestSnapshotFormat(pool, chainId),
    newestSnapshotSeq: (chainId: number) => newestSnapshotSeq(pool, chainId),
  }
}

/** Stores a snapshot whole or not at all, and lets go of old ones. */
async function saveSnapshot(
  pool: Pool,
  { chainId, seq, number, hash, format }: SnapshotHead,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('DELETE FROM snapshots WHERE chain = $1 AND seq = $2', [chainId, seq])
    await client.query(
      `INSERT INTO snapshots (chain, seq, number, hash, format, chunk_count, size_bytes)
       VALUES ($1, $2, $3, $4, $5, 0, 0)`,
      [chainId, seq, number, hash, format],
    )
    let count = 0
    let sizeBytes = 0
    for await (const bytes of chunksOf(parts)) {
      const digest = createHash('sha256').update(bytes).digest()
      await client.query(
        'INSERT INTO snapshot_chunks (chain, seq, idx, digest, bytes) VALUES ($1, $2, $3, $4, $5)',
        [chainId, seq, count, digest, bytes],
      )
      count += 1
      sizeBytes += bytes.byteLength
    }
    await client.query(
      'UPDATE snapshots SET chunk_count = $3, size_bytes = $4 WHERE chain = $1 AND seq = $2',
      [chainId, seq, count, sizeBytes],
    )
    await client.query(
      `DELETE FROM snapshots WHERE chain = $1 AND seq NOT IN (
         (SELECT seq FROM snapshots WHERE chain = $1 ORDER BY seq DESC LIMIT ${newestKept})
         UNION
         (SELECT min(seq) FROM snapshots WHERE chain = $1 GROUP BY ${createdDay}
          ORDER BY ${createdDay} DESC LIMIT ${daysKept}))`,
      [chainId],
    )
  })
}

/** The same bytes, divided again; each is read before the next is taken. */
async function* chunksOf(
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void, undefined> {
  const chunk = Buffer.allocUnsafe(chunkBytesMax)
  let length = 0
  for await (const part of parts)
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + chunkBytesMax - length)
      chunk.set(taken, length)
      at += taken.length
      length += taken.length
      if (length < chunkBytesMax) continue
      yield chunk
      length = 0
    }
  if (length > 0) yield chunk.subarray(0, length)
}

/** The whole ones, newest first. A damaged one is reported and passed over. */
async function* readSnapshots(
  pool: Pool,
  { chainId, logger }: { chainId: number; logger: Logger },
): AsyncGenerator<StoredSnapshot, void, undefined> {
  const { rows } = await pool.query<
    Omit<SnapshotHead, 'chainId'> & { chunkCount: number; sizeBytes: number }
  >(
    `SELECT seq, number, hash, format, chunk_count AS "chunkCount", size_bytes AS "sizeBytes"
     FROM snapshots WHERE chain = $1 ORDER BY seq DESC`,
    [chainId],
  )
  for (const { chunkCount, ...head } of rows) {
    const fault = await faultOf(pool, chainId, head.seq, chunkCount)
    if (fault === null)
      yield { chainId, ...head, chunks: () => readChunks(pool, chainId, head.seq, chunkCount) }
    else logger.error({ msg: 'Passed over a damaged snapshot', chainId, seq: head.seq, fault })
  }
}

/** Be they whole or damaged; 0 when there is none. */
async function newestSnapshotFormat(pool: Pool, chainId: number): Promise<number> {
  const { rows } = await pool.query<{ format: number }>(
    'SELECT coalesce(max(format), 0) AS format FROM snapshots WHERE chain = $1',
    [chainId],
  )
  return rows[0]!.format
}

/** Of the last entry in the newest one; 0 when there is none. */
async function newestSnapshotSeq(pool: Pool, chainId: number): Promise<number> {
  const { rows } = await pool.query<{ seq: number }>(
    'SELECT coalesce(max(seq), 0) AS seq FROM snapshots WHERE chain = $1',
    [chainId],
  )
  return rows[0]!.seq
}

// Checked by the server: nothing is carried over before it is known to be whole.
async function faultOf(
  pool: Pool,
  chainId: number,
  seq: number,
  chunkCount: number,
): Promise<string | null> {
  try {
    for (let idx = 0; idx < chunkCount; idx += chunksPerCheck) {
      const end = Math.min(idx + chunksPerCheck, chunkCount)
      const { rows } = await pool.query<{ count: number; whole: boolean | null }>(
        `SELECT count(*) AS count, bool_and(sha256(bytes) = digest) AS whole
         FROM snapshot_chunks WHERE chain = $1 AND seq = $2 AND idx >= $3 AND idx < $4`,
        [chainId, seq, idx, end],
      )
      if (rows[0]!.count !== end - idx) return 'a chunk is missing'
      if (rows[0]!.whole !== true) return 'a chunk has changed'
    }
    return null
  } catch (error) {
    // A page that fails its checksum; anything else (no connection) is not about this snapshot.
    if ((error as { code?: string }).code?.startsWith('XX')) return (error as Error).message
    throw error
  }
}

async function* readChunks(
  pool: Pool,
  chainId: number,
  seq: number,
  chunkCount: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let idx = 0; idx < chunkCount; idx += chunksPerRead) {
    const end = Math.min(idx + chunksPerRead, chunkCount)
    const chunks = await copyBytes(
      pool,
      `SELECT bytes FROM snapshot_chunks
       WHERE chain = ${chainId} AND seq = ${seq} AND idx >= ${idx} AND idx < ${end} ORDER BY idx`,
    )
    if (chunks.length !== end - idx)
      throw new CorruptStoreError({
        where: `snapshot ${seq} of chain ${chainId}`,
        detail: `of chunks ${idx} to ${end - 1} some are gone`,
      })
    yield* chunks
  }
}
