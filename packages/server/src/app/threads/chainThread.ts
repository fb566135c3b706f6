// Worker of one chain: indexes the chain and sends entries to the main thread, never more than the
// limit ahead. The code is loaded before the chain is known, so that a standby can prepare the
// worker.

import { strict as assert } from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import { type Ancestor, ReorgDeepError } from '../../chain/errors.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import { BalancesUnreportedError } from '../../ledger/errors.ts'
import type { Logger, LoggerOptions } from '../../lib/logger.ts'
import type { NodeFault } from '../../model/block.ts'
import type { NativeUsdPrice } from '../../model/finishedBlock.ts'
import { IgnoredPoolFoundError } from '../../resolve/errors.ts'
import type { StoreConnection } from '../../store/connection.ts'
import { createRequiredSeqs, openStore, type RequiredSeqs } from '../../store/openStore.ts'
import { BlockUntrueError } from '../errors.ts'
import {
  createPipeline,
  type KnownBlock,
  type Pipeline,
  type PipelineProgress,
  type PipelineStart,
} from '../pipeline/chainPipeline.ts'
import { createEntrySender, type EncodedEntry, type EntrySender } from '../pipeline/entrySender.ts'
import { createRetryingReads, retryStoreCall } from './retryingReads.ts'
import { createChainLogger, serveCalls } from './threadCalls.ts'

/** Data to start the worker with: enough to load its code. */
export type ChainThreadInit = { kind: string }

/** Data to run the worker with, once the chain is known. */
export type ChainThreadData = {
  start: PipelineStart
  chainId: number
  /** Seq of the newest stored entry when the data was collected. */
  storedSeq: number
  connection: StoreConnection
  log: LoggerOptions
}

export type ChainThreadReport =
  | { type: 'entries'; entries: readonly EncodedEntry[] }
  | { type: 'progress'; progress: PipelineProgress }
  /** Indexing cannot start yet because of this fault. */
  | { type: 'waiting'; fault: NodeFault }

const progressEveryMs = 250
// Parallel lookups of balances and records; rarely more than this many.
const readConnectionsMax = 3

let handOver: EntrySender | null = null
let stored: { floor: RequiredSeqs; chainId: number } | null = null
let pipeline: Pipeline | null = null
let nativeUsd: NativeUsdPrice | null = null

const handlers = {
  /**
   * Indexes a chain until it is stopped, and returns null. If stored blocks are wrong and deeper
   * than memory can revert, returns the last correct block; the store must revert everything above
   * it.
   */
  async run(data: ChainThreadData, signal: AbortSignal): Promise<Ancestor | null> {
    const logger = createChainLogger(data.log, data.start.setup.profile.name)
    try {
      await read(data, logger, signal)
      return null
    } catch (error) {
      const ancestor = rewindOf(error, logger)
      if (ancestor === null && !signal.aborted) throw error
      return ancestor
    } finally {
      handOver?.flush()
    }
  },
  /** Reports that this many entries were applied, which makes room for as many. */
  applied(count: number): void {
    handOver?.applied(count)
  },
  persisted({ seq, number }: { seq: number; number: number }): void {
    // The stored entry's balances now leave this process's memory, so balances are read only from
    // database servers that have the entry.
    stored?.floor.raise(stored.chainId, seq)
    pipeline?.persisted(number)
  },
  /** Sets the USD price of the native coin, taken from another chain. */
  setNativeUsd(price: NativeUsdPrice): void {
    nativeUsd = price
  },
}

export type ChainThreadHandlers = typeof handlers

/**
 * Without an undo record a block was final when it was read, even if the store does not show its
 * finality yet.
 */
function finalizedWith(number: number, { ref, undo }: KnownBlock): number {
  return undo === null ? Math.max(number, ref.number) : number
}

async function read(data: ChainThreadData, logger: Logger, signal: AbortSignal): Promise<void> {
  const { start, chainId, connection, storedSeq } = data
  const handing = createEntrySender(start.setup.limits.entriesAheadMax, (entries, buffer) =>
    report({ type: 'entries', entries }, [buffer]),
  )
  handOver = handing
  signal.addEventListener('abort', handing.release)
  const patience = { logger, signal }
  // A database server that lacks entries is waited for. If entries are lost for good, the writer
  // notices and fails.
  const floor = createRequiredSeqs({ isFilled: true })
  floor.raise(chainId, storedSeq)
  stored = { floor, chainId }
  const storeOptions = { connection, logger, floor, limits: { readConnectionsMax } }
  const store = await retryStoreCall(patience, () => openStore(storeOptions))
  const intake = await chainKindOf(start.setup).openIntake({
    setup: start.setup,
    known: [...start.older, ...start.known.map(({ ref }) => ref)],
    firstNumber: start.firstNumber,
    finalizedNumber: start.known.reduce(finalizedWith, start.finalizedNumber),
    onWaiting: (fault) => report({ type: 'waiting', fault }),
    logger,
    signal,
  })
  pipeline = createPipeline({
    start,
    intake,
    store: createRetryingReads({ store, chainId, ...patience }),
    nativeUsd: () => nativeUsd,
    sendEntry: handing.put,
    logger,
    signal,
  })
  const { progress } = pipeline
  const showProgress = () => report({ type: 'progress', progress: progress() })
  const timer = setInterval(showProgress, progressEveryMs)
  try {
    await pipeline.run()
  } finally {
    clearInterval(timer)
    intake.close()
    await store.close()
  }
}

/**
 * Returns the last correct block, if the error requires stored blocks to be read again; null:
 * another error.
 */
function rewindOf(error: unknown, logger: Logger): Ancestor | null {
  const startNumber = pipeline?.progress().startNumber ?? 0
  if (error instanceof ReorgDeepError) {
    logger.warn({ msg: 'Found a reorg deeper than the blocks in memory', err: error })
    return error.ancestor
  }
  if (error instanceof BalancesUnreportedError) {
    const { number, hash } = error.after
    logger.warn({ msg: 'Re-reading blocks whose balances were not all stored', err: error })
    return { number, hash: number < startNumber ? null : hash }
  }
  if (!(error instanceof IgnoredPoolFoundError || error instanceof BlockUntrueError)) return null
  const isPool = error instanceof IgnoredPoolFoundError
  const why = isPool ? 'an ignored contract is a pool' : 'a block failed verification'
  logger.warn({ msg: `Re-reading blocks: ${why}`, err: error })
  const { number, parentNumber, parentHash } = error.since
  // A null hash means that no stored block precedes the ones to read again.
  return { number: parentNumber, hash: number <= startNumber ? null : parentHash }
}

await chainKindOf(workerData as ChainThreadInit).loadIntake?.()
assert(parentPort !== null, 'this file runs in a thread')
const report = serveCalls<ChainThreadReport>(parentPort, handlers)
