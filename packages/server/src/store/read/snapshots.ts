import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { to } from 'pg-copy-streams'
import type { Logger } from '../../lib/logger.ts'
import { inTransaction } from '../connection.ts'
import { CorruptStoreError } from '../errors.ts'

/** State of an engine after entry `seq`, whose newest block is `number`. */
export type SnapshotHeader = {
  chainId: number
  seq: number
  number: number
  hash: string
  /** Version of the bytes. */
  format: number
}

/** Size and digest of the stored bytes; the digest identifies the snapshot. */
export type SnapshotDigest = { sizeBytes: number; digest: string }

export type StoredSnapshot = SnapshotHeader & {
  sizeBytes: number
  /**
   * Read from the store on demand; ends with a `CorruptStoreError` if a chunk is not what was
   * stored.
   */
  chunks(): AsyncIterable<Uint8Array>
}

// The newest may prove damaged; the one before it needs a little more of the log. If both are, the
// first of today and of yesterday need no more log than is kept anyway.
const newestKept = 2
const daysKept = 2
const createdDay = `(created_at AT TIME ZONE 'UTC')::date`
// A row of this size is fetched with little memory on either side.
const chunkBytesMax = 1 << 20
// Two reads are in memory beside the snapshot while it is assembled: one is sent while the next is
// unpacked.
const chunksPerRead = 8
const readsAtOnce = 2

/** Reads and writes of snapshots. */
export function createSnapshotReads(pool: Pool, logger: Logger) {
  return {
    saveSnapshot: (head: SnapshotHeader, parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) =>
      saveSnapshot(pool, head, parts, logger),
    readSnapshots: (chainId: number) => readSnapshots(pool, { chainId, logger }),
    newestSnapshotSum: (chainId: number) => newestSnapshotSum(pool, chainId),
    newestSnapshotFormat: (chainId: number) => newestSnapshotFormat(pool, chainId),
    newestSnapshotSeq: (chainId: number) => newestSnapshotSeq(pool, chainId),
  }
}

/** Stores a snapshot whole or not at all, and deletes old ones. */
async function saveSnapshot(
  pool: Pool,
  head: SnapshotHeader,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  logger: Logger,
): Promise<SnapshotDigest> {
  const sum = await inPatientTransaction(pool, (client) => insertSnapshot(client, head, parts))
  const { chainId, seq } = head
  // A failed deletion does not lose the new snapshot: the next one deletes more.
  await inPatientTransaction(pool, (client) => deleteOldSnapshots(client, chainId)).catch((err) =>
    logger.warn({ msg: 'Failed to delete old snapshots', chainId, seq, err }),
  )
  return sum
}

/** A snapshot of ten million tokens has gigabytes: deleting one takes longer than a read may. */
function inPatientTransaction<result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<result>,
): Promise<result> {
  return inTransaction(pool, async (client) => {
    await client.query('SET LOCAL statement_timeout = 0')
    return await work(client)
  })
}

async function insertSnapshot(
  client: PoolClient,
  { chainId, seq, number, hash, format }: SnapshotHeader,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<SnapshotDigest> {
  await client.query('DELETE FROM snapshots WHERE chain = $1 AND seq = $2', [chainId, seq])
  await client.query(
    `INSERT INTO snapshots (chain, seq, number, hash, format, chunk_count, size_bytes)
     VALUES ($1, $2, $3, $4, $5, 0, 0)`,
    [chainId, seq, number, hash, format],
  )
  let count = 0
  let sizeBytes = 0
  const all = createHash('sha256')
  for await (const bytes of chunksOf(parts)) {
    const digest = createHash('sha256').update(bytes).digest()
    all.update(digest)
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
  return { sizeBytes, digest: all.digest('hex') }
}

async function deleteOldSnapshots(client: PoolClient, chainId: number): Promise<void> {
  await client.query(
    `DELETE FROM snapshots WHERE chain = $1 AND seq NOT IN (
       (SELECT seq FROM snapshots WHERE chain = $1 ORDER BY seq DESC LIMIT ${newestKept})
       UNION
       (SELECT min(seq) FROM snapshots WHERE chain = $1 GROUP BY ${createdDay}
        ORDER BY ${createdDay} DESC LIMIT ${daysKept}))`,
    [chainId],
  )
}

/** The same bytes in other chunks; each must be used before the next. */
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

/** Newest first. Snapshots with missing chunks are logged and skipped. */
async function* readSnapshots(
  pool: Pool,
  { chainId, logger }: { chainId: number; logger: Logger },
): AsyncGenerator<StoredSnapshot, void, undefined> {
  const { rows } = await pool.query<
    Omit<SnapshotHeader, 'chainId'> & { chunkCount: number; sizeBytes: number }
  >(
    `SELECT seq, number, hash, format, chunk_count AS "chunkCount", size_bytes AS "sizeBytes"
     FROM snapshots WHERE chain = $1 ORDER BY seq DESC`,
    [chainId],
  )
  for (const { chunkCount, ...head } of rows) {
    const { seq } = head
    const digests = await readDigests(pool, chainId, seq)
    if (digests.length === chunkCount)
      yield { chainId, ...head, chunks: () => readChunks(pool, chainId, seq, digests) }
    else {
      const fault = 'a chunk is missing'
      logger.error({ msg: 'Passed over a damaged snapshot', chainId, seq, fault })
    }
  }
}

async function readDigests(pool: Pool, chainId: number, seq: number): Promise<Buffer[]> {
  const { rows } = await pool.query<{ digest: Buffer }>(
    'SELECT digest FROM snapshot_chunks WHERE chain = $1 AND seq = $2 ORDER BY idx',
    [chainId, seq],
  )
  return rows.map(({ digest }) => digest)
}

type NewestSnapshot = SnapshotDigest & Pick<SnapshotHeader, 'seq' | 'number' | 'format'>

/** Sum of the newest one, complete or damaged; null if none exists. */
async function newestSnapshotSum(pool: Pool, chainId: number): Promise<NewestSnapshot | null> {
  const { rows } = await pool.query<NewestSnapshot>(
    `SELECT seq, number, format, size_bytes AS "sizeBytes", encode(
       (SELECT sha256(string_agg(digest, ''::bytea ORDER BY idx)) FROM snapshot_chunks
        WHERE chain = $1 AND seq = newest.seq), 'hex') AS digest
     FROM (SELECT * FROM snapshots WHERE chain = $1 ORDER BY seq DESC LIMIT 1) AS newest`,
    [chainId],
  )
  return rows[0] ?? null
}

/** Returns the format of the newest snapshot, complete or damaged; 0 if none exists. */
async function newestSnapshotFormat(pool: Pool, chainId: number): Promise<number> {
  const { rows } = await pool.query<{ format: number }>(
    'SELECT coalesce(max(format), 0) AS format FROM snapshots WHERE chain = $1',
    [chainId],
  )
  return rows[0]!.format
}

/** Sequence of the newest one; 0 if none exists. */
async function newestSnapshotSeq(pool: Pool, chainId: number): Promise<number> {
  const { rows } = await pool.query<{ seq: number }>(
    'SELECT coalesce(max(seq), 0) AS seq FROM snapshots WHERE chain = $1',
    [chainId],
  )
  return rows[0]!.seq
}

/**
 * Each chunk is checked on the way to its reader: a check by the server would read all of them
 * twice.
 */
async function* readChunks(
  pool: Pool,
  chainId: number,
  seq: number,
  digests: readonly Buffer[],
): AsyncGenerator<Uint8Array, void, undefined> {
  const corrupt = (detail: string, cause?: unknown) =>
    new CorruptStoreError({ where: `snapshot ${seq} of chain ${chainId}`, detail, cause })
  const readFrom = async (idx: number): Promise<Buffer[]> => {
    const end = Math.min(idx + chunksPerRead, digests.length)
    const chunks = await copyBytes(
      pool,
      `SELECT bytes FROM snapshot_chunks
       WHERE chain = ${chainId} AND seq = ${seq} AND idx >= ${idx} AND idx < ${end} ORDER BY idx`,
    ).catch((error) => {
      // A page with a wrong checksum. Other errors, such as a lost connection, do not concern this
      // snapshot.
      throw error.code?.startsWith('XX') ? corrupt(error.message, error) : error
    })
    if (chunks.length !== end - idx) throw corrupt(`of chunks ${idx} to ${end - 1} some are gone`)
    for (const [at, chunk] of chunks.entries())
      if (
        !createHash('sha256')
          .update(chunk)
          .digest()
          .equals(digests[idx + at]!)
      )
        throw corrupt(`chunk ${idx + at} has changed`)
    return chunks
  }
  const reads: Promise<Buffer[]>[] = []
  for (let [taken, asked] = [0, 0]; taken < digests.length; taken += chunksPerRead) {
    for (; asked < digests.length && reads.length < readsAtOnce; asked += chunksPerRead) {
      const read = readFrom(asked)
      // A reader that stops early is not told of later errors.
      read.catch(() => undefined)
      reads.push(read)
    }
    yield* await reads.shift()!
  }
}

// PGCOPY, flags, and the length of an extension, which is not used.
const headerBytes = 19
const fieldCountBytes = 2
const lengthBytes = 4
const noMoreRows = -1

/**
 * Result of a query with one column of non-null bytes, by COPY: otherwise `pg` receives bytes as
 * hexadecimal text, which takes five times as long. COPY has no parameters.
 */
function copyBytes(pool: Pool, query: string): Promise<Buffer[]> {
  return inTransaction(pool, async (client) => {
    const parts: Buffer[] = []
    for await (const part of client.query(to(`COPY (${query}) TO STDOUT (FORMAT binary)`)))
      parts.push(part as Buffer)
    return copiedBytesOf(Buffer.concat(parts))
  })
}

/** The fields of one-column rows in COPY's binary format. */
export function copiedBytesOf(copied: Buffer): Buffer[] {
  const fields: Buffer[] = []
  for (let at = headerBytes; at + fieldCountBytes <= copied.length; ) {
    if (copied.readInt16BE(at) === noMoreRows) return fields
    const from = at + fieldCountBytes + lengthBytes
    at = from + copied.readInt32BE(at + fieldCountBytes)
    fields.push(copied.subarray(from, at))
  }
  throw new CorruptStoreError({ where: 'an answer to COPY', detail: 'its end is missing' })
}
