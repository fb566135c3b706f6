// The thread of one chain: reads it, finishes its blocks and hands them over, never more than the limit ahead. It loads its code
// before it knows the chain.

import { strict as assert } from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import { type Ancestor, ReorgDeepError } from '../../chain/errors.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import { BalancesUntoldError } from '../../ledger/errors.ts'
import { createLogger, type Logger, type LogTerms } from '../../lib/logger.ts'
import type { NodeFault } from '../../model/block.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import { PoolProvedError } from '../../resolve/errors.ts'
import type { StoreConnection } from '../../store/connection.ts'
import { openStore } from '../../store/openStore.ts'
import { createReadFloor, type ReadFloor } from '../../store/replica/readFloor.ts'
import { BlockUntrueError } from '../errors.ts'
import {
  createPipeline,
  type KnownBlock,
  type Pipeline,
  type PipelineProgress,
  type PipelineStart,
} from '../pipeline/chainPipeline.ts'
import { createHandOver, type HandedEntry, type HandOver } from '../pipeline/handOver.ts'
import { createRetryingReads, untilAnswered } from './retryingReads.ts'
import { serve } from './threadCalls.ts'

/** Start data of the thread: enough to load its code. */
export type ChainThreadKind = { kind: string }

/** Data with which it reads a chain. */
export type ChainThreadData = {
  start: PipelineStart
  chainId: number
  /** Sequence of the newest entry in the store at that time. */
  storedSeq: number
  connection: StoreConnection
  log: LogTerms
}

export type ChainThreadReport =
  | { type: 'entries'; entries: readonly HandedEntry[] }
  | { type: 'progress'; progress: PipelineProgress }
  /** It cannot begin to read the chain. */
  | { type: 'waiting'; fault: NodeFault }

const progressEveryMs = 250
// Balances and records are looked up side by side, rarely more.
const readConnectionsMax = 3

let handOver: HandOver | null = null
let stored: { floor: ReadFloor; chainId: number } | null = null
let pipeline: Pipeline | null = null
let nativeUsd: NativeUsd | null = null

const handlers = {
  /**
   * Reads a chain until it is stopped, and returns null. Where stored blocks are wrong, deeper than memory holds, it ends and
   * returns the last right one: the store reverts the others.
   */
  async run(data: ChainThreadData, signal: AbortSignal): Promise<Ancestor | null> {
    const { level, look } = data.log
    const logger = createLogger(level, look).child({ chain: data.start.setup.profile.name })
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
  /** So many entries were applied: there is room for as many. */
  applied(count: number): void {
    handOver?.applied(count)
  },
  persisted({ seq, number }: { seq: number; number: number }): void {
    // Memory releases it: from now on a database that lacks it would return older balances.
    stored?.floor.raise(stored.chainId, seq)
    pipeline?.persisted(number)
  },
  /** USD price of the native coin on the chain that provides this one's price. */
  setNativeUsd(price: NativeUsd): void {
    nativeUsd = price
  },
}

export type ChainThreadHandlers = typeof handlers

/** A block that was final when it was read has nothing that takes it back, whether its finality was stored or not. */
function finalizedWith(number: number, { ref, undo }: KnownBlock): number {
  return undo === null ? Math.max(number, ref.number) : number
}

async function read(data: ChainThreadData, logger: Logger, signal: AbortSignal): Promise<void> {
  const { start, chainId, connection, storedSeq } = data
  const handing = createHandOver({
    aheadMax: start.setup.limits.entriesAheadMax,
    post: (entries, buffer) => report({ type: 'entries', entries }, [buffer]),
  })
  handOver = handing
  signal.addEventListener('abort', handing.release)
  const patience = { logger, signal }
  // One that lacks it is waited for: whoever writes finds the same, and ends.
  const floor = createReadFloor({ isFilled: true })
  floor.raise(chainId, storedSeq)
  stored = { floor, chainId }
  const storeOptions = { connection, logger, floor, limits: { readConnectionsMax } }
  const store = await untilAnswered(patience, () => openStore(storeOptions))
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
    handOver: handing.put,
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

/** The block before those to read again; null: the error has another reason. */
function rewindOf(error: unknown, logger: Logger): Ancestor | null {
  const startNumber = pipeline?.progress().startNumber ?? 0
  if (error instanceof ReorgDeepError) {
    logger.warn({ msg: 'Found a reorg deeper than memory', err: error })
    return error.ancestor
  }
  if (error instanceof BalancesUntoldError) {
    const { number, hash } = error.after
    logger.warn({ msg: 'Reading blocks again whose balances were not all stored', err: error })
    return { number, hash: number < startNumber ? null : hash }
  }
  if (!(error instanceof PoolProvedError || error instanceof BlockUntrueError)) return null
  const isPool = error instanceof PoolProvedError
  const why = isPool ? 'for a pool that was left out' : 'since one of them is not true'
  logger.warn({ msg: `Reading blocks again, ${why}`, err: error })
  const { number, parentNumber, parentHash } = error.since
  // Where history begins with them, no block is before them.
  return { number: parentNumber, hash: number <= startNumber ? null : parentHash }
}

await chainKindOf(workerData as ChainThreadKind).loadIntake?.()
assert(parentPort !== null, 'this file runs in a thread')
const report = serve<ChainThreadReport>(parentPort, handlers)
