// The thread of one chain: reads it, finishes its blocks and hands them over, never more than the limit ahead. Its code is loaded before it is told
// which chain that is.

import { strict as assert } from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import { type Ancestor, ReorgDeepError } from '../../chain/errors.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import { BalancesUntoldError } from '../../ledger/errors.ts'
import { createLogger, type Logger } from '../../lib/logger.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import { PoolProvedError } from '../../resolve/errors.ts'
import { openStore } from '../../store/openStore.ts'
import { createReadFloor, type ReadFloor } from '../../store/replica/readFloor.ts'
import { BlockUntrueError, factsOf } from '../errors.ts'
import { createPipeline, type KnownBlock, type Pipeline } from '../pipeline/chainPipeline.ts'
import type {
  ChainThreadData,
  ChainThreadKind,
  ChainThreadMessage,
  ChainThreadOrder,
} from './chainMessage.ts'
import { createHandOver, type HandOver } from './handOver.ts'
import { createRetryingReads, untilAnswered } from './retryingReads.ts'

const progressEveryMs = 250
// Balances and records are looked up side by side, rarely more.
const readConnectionsMax = 3

const port = parentPort
assert(port !== null, 'this file runs in a thread')
const post = (message: ChainThreadMessage, transfer: ArrayBuffer[] = []) =>
  port.postMessage(message, transfer)

const stopping = new AbortController()
let handOver: HandOver | null = null
let stored: { floor: ReadFloor; chainId: number } | null = null
let pipeline: Pipeline | null = null
let nativeUsd: NativeUsd | null = null

const opened = new Promise<ChainThreadData>((open) => {
  port.on('message', (order: ChainThreadOrder) => {
    if (order.type === 'open') open(order.data)
    else obey(order)
  })
})

function obey(order: Exclude<ChainThreadOrder, { type: 'open' }>): void {
  if (order.type === 'applied') handOver?.applied(order.count)
  else if (order.type === 'persisted') {
    // Memory lets go of it: from now on a database that lacks it would tell balances of before.
    stored?.floor.raise(stored.chainId, order.seq)
    pipeline?.persisted(order.number)
  } else if (order.type === 'nativeUsd') nativeUsd = order.price
  else {
    stopping.abort()
    handOver?.release()
  }
}

/** A block that was final when it was read has nothing that takes it back, whether its finality was stored or not. */
function finalizedWith(number: number, { ref, undo }: KnownBlock): number {
  return undo === null ? Math.max(number, ref.number) : number
}

async function run(data: ChainThreadData, logger: Logger): Promise<void> {
  const { start, chainId, connection, storedSeq } = data
  handOver = createHandOver({ aheadMax: start.setup.limits.entriesAheadMax, post })
  const patience = { logger, signal: stopping.signal }
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
    onWaiting: (fault) => post({ type: 'waiting', fault }),
    logger,
    signal: stopping.signal,
  })
  pipeline = createPipeline({
    start,
    intake,
    store: createRetryingReads({ store, chainId, ...patience }),
    nativeUsd: () => nativeUsd,
    handOver: handOver.put,
    logger,
    signal: stopping.signal,
  })
  const { progress } = pipeline
  const timer = setInterval(() => post({ type: 'progress', progress: progress() }), progressEveryMs)
  try {
    await pipeline.run()
  } finally {
    clearInterval(timer)
    intake.close()
    await store.close()
  }
}

/** The block before those that are to be read again; none where history begins with them. */
function ancestorOf({ since }: PoolProvedError | BlockUntrueError): Ancestor {
  const isStart = since.number <= startNumber()
  return { number: since.parentNumber, hash: isStart ? null : since.parentHash }
}

function startNumber(): number {
  return pipeline?.progress().startNumber ?? 0
}

await chainKindOf(workerData as ChainThreadKind).loadIntake?.()
const data = await opened
const { level, look } = data.log
const logger = createLogger(level, look).child({ chain: data.start.setup.profile.name })
try {
  await run(data, logger)
} catch (error) {
  if (error instanceof ReorgDeepError) {
    logger.warn({ msg: 'Found a reorg deeper than memory', err: error })
    post({ type: 'rewind', ancestor: error.ancestor })
  } else if (error instanceof PoolProvedError) {
    logger.warn({ msg: 'Reading blocks again for a pool that was left out', err: error })
    post({ type: 'rewind', ancestor: ancestorOf(error) })
  } else if (error instanceof BalancesUntoldError) {
    const { number, hash } = error.after
    logger.warn({ msg: 'Reading blocks again whose balances were not all stored', err: error })
    post({ type: 'rewind', ancestor: { number, hash: number < startNumber() ? null : hash } })
  } else if (error instanceof BlockUntrueError) {
    logger.warn({ msg: 'Reading blocks again, since one of them is not true', err: error })
    post({ type: 'rewind', ancestor: ancestorOf(error) })
  } else if (!stopping.signal.aborted) post({ type: 'failed', error: factsOf(error) })
}
port.close()
