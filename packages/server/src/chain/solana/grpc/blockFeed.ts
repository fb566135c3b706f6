import type { Logger } from '../../../lib/logger.ts'
import type { Secrets } from '../../../lib/redactSecrets.ts'
import type { BlockRef } from '../../../model/block.ts'
import type { Commitment, FetchedBlock } from '../solanaRpc.ts'
import { followGrpc, type GrpcEndpoint } from './grpcStream.ts'
import { readGrpcRef, readGrpcTransactions } from './readGrpcBlock.ts'

type BlockFeedOptions = {
  endpoints: readonly GrpcEndpoint[]
  commitment: Commitment
  /** Secrets to redact in errors. @default none */
  secrets?: Secrets | undefined
  logger: Logger
  clock: { nowMs(): number }
  signal: AbortSignal
  retryMs?: number | undefined
  /** Total size of kept blocks. @default 268_435_456 */
  keptBytesMax?: number | undefined
}

/**
 * The newest streamed blocks. Blocks that streams miss or get wrong are requested from other nodes.
 */
export type BlockFeed = {
  /** Returns the block of a slot; null if no stream sent it. */
  take(slot: number): FetchedBlock | null
  /** Returns the streamed block that names this block as its parent, or null. */
  after(number: number, hash: string | null): FetchedBlock | null
  /** Returns the newest streamed slot; -1 before the first one. */
  newest(): number
  /** Returns whether a block arrived since the last call. */
  hasNews(): boolean
  /** Returns the time since the last block arrived. */
  silentMs(): number
  /** Registers a callback for each arrived block. */
  onBlock(callback: (slot: number) => void): void
  /** Drops all blocks after they proved wrong. */
  forget(fault: string): void
}

/** Origin of a streamed block, used in place of an endpoint's index. */
export const streamOrigin = -1

// Blocks of half a minute. Each is kept as bytes, usually several megabytes.
const blocksMax = 64
const keptBytesMaxDefault = 256 * 1_024 * 1_024

type Streamed = { ref: BlockRef; bytes: Buffer; receivedMs: number }

export function createBlockFeed(options: BlockFeedOptions): BlockFeed {
  const { endpoints, commitment, secrets, logger, clock, signal, retryMs } = options
  const { keptBytesMax = keptBytesMaxDefault } = options
  const blocks = new Map<number, Streamed>()
  let keptBytes = 0
  let callback: (slot: number) => void = () => undefined
  let heardMs = Number.NEGATIVE_INFINITY
  let newest = -1
  let isNews = false

  function remove(slot: number): void {
    keptBytes -= blocks.get(slot)?.bytes.length ?? 0
    blocks.delete(slot)
  }

  function keep(bytes: Buffer): void {
    const ref = readGrpcRef(bytes)
    // The first stream that sends a block suffices; a different block of the same slot replaces it.
    if (ref === null || blocks.get(ref.number)?.ref.hash === ref.hash) return
    remove(ref.number)
    // Copied, because the received chunks contain other messages too.
    blocks.set(ref.number, { ref, bytes: Buffer.from(bytes), receivedMs: clock.nowMs() })
    keptBytes += bytes.length
    for (const oldest of blocks.keys()) {
      if (blocks.size <= blocksMax && keptBytes <= keptBytesMax) break
      remove(oldest)
    }
    heardMs = clock.nowMs()
    newest = Math.max(newest, ref.number)
    isNews = true
    callback(ref.number)
  }

  for (const endpoint of endpoints)
    void followGrpc({ ...endpoint, commitment, secrets, logger, signal, retryMs, onBlock: keep })

  const read = (streamed: Streamed | undefined): FetchedBlock | null => {
    if (streamed === undefined) return null
    const { ref, bytes, receivedMs } = streamed
    remove(ref.number)
    try {
      const transactions = readGrpcTransactions(bytes)
      return { value: { ref, transactions }, endpoint: streamOrigin, receivedMs }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      logger.warn({ msg: 'Streamed block cannot be read', slot: ref.number, fault: error.message })
      return null
    }
  }

  return {
    take: (slot) => read(blocks.get(slot)),
    after(number, hash) {
      if (hash === null) return null
      for (const streamed of blocks.values()) {
        const { parentNumber, parentHash } = streamed.ref
        if (parentNumber === number && parentHash === hash) return read(streamed)
      }
      return null
    },
    newest: () => newest,
    hasNews() {
      const wasNews = isNews
      isNews = false
      return wasNews
    },
    silentMs: () => clock.nowMs() - heardMs,
    onBlock(onBlock) {
      callback = onBlock
    },
    forget(fault) {
      logger.warn({ msg: 'Streamed blocks are not believed', fault })
      blocks.clear()
      keptBytes = 0
    },
  }
}
