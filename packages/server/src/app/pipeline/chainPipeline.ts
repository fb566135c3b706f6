import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { EndpointTally, Intake, IntakeProgress } from '../../kinds/intake.ts'
import type { BalanceReader } from '../../ledger/balanceLoader.ts'
import { createLedger, type Ledger } from '../../ledger/ledger.ts'
import { decodeUndo, encodeChanges, encodeUndo } from '../../ledger/undo.ts'
import type { Logger } from '../../lib/logger.ts'
import { type BlockRef, type ChainEvent, isNearHead, type NodeFault } from '../../model/block.ts'
import type { DecodedBlock } from '../../model/decodedBlock.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import type { DoubtfulBlock } from '../../model/trust/doubt.ts'
import type { LeftOutContract } from '../../model/trust/leftOut.ts'
import type { UnclaimedProgram } from '../../model/unclaimed.ts'
import type { CreatedRecords } from '../../resolve/blockResolver.ts'
import { createPlausibility, plausibilityLimitsDefault } from '../../resolve/plausibility.ts'
import type { RecordReader } from '../../resolve/records/recordReader.ts'
import { createResolver, type Resolver } from '../../resolve/resolver.ts'
import type { EngineStart } from '../chain/engineDoor.ts'
import { createDoubtReviews } from './doubtReviews.ts'
import { createBlockUndos, createPendingBlocks } from './finality.ts'
import { type HandedEntry, handCommit, handFinalize, handLate, handRevert } from './handOver.ts'
import { prefetch } from './prefetch.ts'
import { createVerifier } from './verifyBlock.ts'

/** A block of an earlier run. */
export type KnownBlock = {
  ref: BlockRef
  /** Null: it is final. */
  undo: Uint8Array | null
  /** Records the block made. */
  created: CreatedRecords
}

/** Where a chain's thread goes on. Plain data. */
export type PipelineStart = EngineStart & {
  setup: ChainSetup
  /** Newest canonical blocks, oldest first, with what reverts them. */
  known: readonly KnownBlock[]
  /** Canonical blocks right before those that are not final either, oldest first. */
  older: readonly BlockRef[]
  /** The first block that is stored. */
  firstNumber: number | null
  finalizedNumber: number
  /** Contracts whose events are left out until they answer like pools. */
  leftOut: readonly LeftOutContract[]
  /** Blocks that were stored in doubt and can be asked for again. @default none */
  doubtful?: readonly DoubtfulBlock[] | undefined
}

export type PipelineOptions<block> = {
  start: PipelineStart
  intake: Intake<block>
  store: RecordReader & BalanceReader
  /** Price of the native coin on another chain, as far as it is known now; it enters each block. @default none */
  nativeUsd?: (() => NativeUsd | null) | undefined
  /** Resolves when there is room for the next one. */
  handOver(entry: HandedEntry): Promise<void> | void
  logger: Logger
  /** Ends the run after the block in hand; those looked at ahead are left. */
  signal: AbortSignal
}

export type PipelineProgress = IntakeProgress & {
  /** What was left out so far, by reason. */
  dropped: Record<string, number>
  /** Programs that trade and that no venue reads, most calls first. @default they are not counted */
  unclaimed?: readonly UnclaimedProgram[] | undefined
  /** Tokens whose names no node has reported yet. */
  lateTokens: number
  /** Tokens whose transfers from before they were discovered are still being read. */
  openHistories: number
  /** Logs of known contracts that nothing reads. @default not counted */
  unclaimedLogs?: ReturnType<NonNullable<Intake<never>['unclaimedLogs']>> | undefined
  /** Contracts remembered because they do not answer like pools. */
  notPools: number
  /** Contracts of which the block in hand must know whether they are pools, and no node says so. */
  unresolvedPools: number
  endpoints: readonly EndpointTally[]
  /** Balances the store has not answered for yet; their holders are not counted so long. */
  unknownBalances: number
  /** Pools whose balances no node has reported yet; their reserves are 0 until then. */
  unknownPools: number
  /** How long the event in hand has been under way. */
  busyMs: number
  /** What its block cannot do without and no node answers, with the last error. */
  waitsFor: NodeFault | null
}

/** A block of the chain, decoded, or what was reverted or became final. */
type Step<block> = CommitStep<block> | Exclude<ChainEvent<block>, { type: 'commit' }>
type CommitStep<block> = {
  type: 'commit'
  block: block
  doubt: string | null
  ref: BlockRef
  decoded: DecodedBlock
  receivedMs: number
  isFinal: boolean
}

// A node that is busy with ranges of blocks answers a question in 100 ms, in which hundreds of blocks can be finished:
// with fewer looked at ahead, each new token makes all of them wait.
const blocksAheadMax = 512

export type Pipeline = {
  /** Ends when the intake does, or the signal says so. */
  run(): Promise<void>
  progress(): PipelineProgress
  /** The store has all blocks up to this number. */
  persisted(number: number): void
}

/** chain, decode, resolve and ledger in a row: a chain's blocks become log entries. */
export function createPipeline<block>(options: PipelineOptions<block>): Pipeline {
  const { start, intake, handOver } = options
  const resolver = openResolver(options)
  const ledger = openLedger(options)
  const verifier = openVerifier(options, resolver, ledger)
  const doubts = openDoubtReviews(options)
  const pending = createPendingBlocks(start)
  const undos = createBlockUndos(start.known, start.setup.profile.reorgDepthMax)
  const createdBefore = new Map(start.known.map(({ ref, created }) => [ref.hash, created]))

  let headTimeS = start.known.at(-1)?.ref.timeS ?? 0
  let busySinceMs: number | null = null

  /** Decodes a block early and has what it names looked up, so that its turn does not wait for it. */
  function beginStep(event: ChainEvent<block>): Step<block> {
    if (event.type !== 'commit') return event
    const step = beginCommit(intake, event)
    resolver.prefetch(step.decoded)
    return step
  }

  async function onStep(step: Step<block>): Promise<void> {
    busySinceMs = performance.now()
    if (step.type === 'commit') await commit(step)
    else if (step.type === 'revert') await revert(step.ref)
    else {
      pending.finalize(step.ref)
      await handFinal()
    }
    busySinceMs = null
  }

  async function commit({ ref, receivedMs, isFinal, ...step }: CommitStep<block>): Promise<void> {
    const { block, decoded, doubt } = await verifier.verify(step.block, step.decoded, step.doubt)
    // Before the block: its trades are priced by what has come since the last one.
    for (const facts of resolver.lateFacts()) await handOver(handLate(facts, headTimeS))
    headTimeS = ref.timeS
    const progress = intake.progress()
    const { settledNumber } = progress
    const settledDoubts = doubts.settle(settledNumber)
    const facts = { isLive: isAtHead(progress, ref), nativeUsd: options.nativeUsd?.() ?? null }
    const resolved = await resolver.resolve(decoded, { receivedMs, settledNumber, ...facts })
    const finished = await ledger.apply(resolved)
    const { untoldAfter } = finished.undo
    pending.applied(untoldAfter)
    const isSettled = isFinal && untoldAfter === null
    const changes = isSettled ? encodeChanges(finished.changes) : encodeUndo(finished.undo)
    if (!isSettled) undos.add(ref, changes)
    const marks = { doubt: doubts.mark(block, ref, doubt), settledDoubts }
    const beside = { tipTimeS: progress.headTimeS, ...marks, leftOut: resolver.takeLeftOut() }
    await handOver(handCommit(finished.block, { changes, isFinal: isSettled, ...beside }))
    for (const facts of resolver.lateFacts()) await handOver(handLate(facts, headTimeS))
    await handFinal()
  }

  async function revert(ref: BlockRef): Promise<void> {
    doubts.revert(ref.number)
    verifier.revert(ref.hash)
    const changes = undos.take(ref)
    ledger.revert(ref, decodeUndo(changes))
    resolver.revert(ref, createdBefore.get(ref.hash))
    createdBefore.delete(ref.hash)
    await handOver(handRevert(ref, changes))
    pending.assertComplete(ref.parentHash)
  }

  async function handFinal(): Promise<void> {
    const ref = pending.takeFinal(intake.progress().startNumber)
    if (ref === null) return
    undos.forgetUpTo(ref.number)
    await handOver(handFinalize(ref, headTimeS))
  }

  return {
    async run() {
      try {
        pending.assertComplete(start.known.at(-1)?.ref.hash)
        for await (const step of prefetch(intake.events(), blocksAheadMax, beginStep)) {
          if (options.signal.aborted) return
          await onStep(step)
        }
      } finally {
        resolver.close()
      }
    },
    progress: () => ({
      ...intake.progress(),
      ...countsOf(intake, resolver, ledger),
      busyMs: busySinceMs === null ? 0 : performance.now() - busySinceMs,
    }),
    persisted(number) {
      resolver.persisted(number)
      ledger.persisted(number)
    },
  }
}

/** The intake may be at the head while blocks far behind it are still to be finished; nobody waits for those. */
function isAtHead({ isLive, headNumber, headTimeS }: IntakeProgress, ref: BlockRef): boolean {
  return isLive && isNearHead(ref, { number: headNumber, timeS: headTimeS })
}

function openLedger<block>({ start, intake, store, logger }: PipelineOptions<block>): Ledger {
  const { profile } = start.setup
  return createLedger({ profile, balances: store, math: intake.math, logger })
}

function openVerifier<block>(
  { start: { setup, seenPools }, intake, logger }: PipelineOptions<block>,
  resolver: Resolver,
  ledger: Ledger,
) {
  const plausibility = createPlausibility(setup.plausibility ?? plausibilityLimitsDefault, {
    seeds: seenPools,
    mintsFrom: setup.profile.burnAddresses[0],
    totalsOf(pool) {
      const pair = resolver.pairOf(pool)
      if (pair === undefined) return [null, null]
      return [ledger.totalOf(pair.token0Id), ledger.totalOf(pair.token1Id)]
    },
  })
  return createVerifier({ chain: setup.profile.name, intake, plausibility, logger })
}

function openDoubtReviews<block>({ start, intake, logger }: PipelineOptions<block>) {
  const { setup, doubtful: known = [] } = start
  return createDoubtReviews({
    chain: setup.profile.name,
    known,
    reviews: intake.reviews,
    logger,
    everyMs: setup.limits.doubtReviewMs,
    clock: { nowMs: Date.now },
  })
}

function openResolver<block>({ start, intake, store, logger, signal }: PipelineOptions<block>) {
  const { setup, nextTokenId, nextPairId, open, leftOut } = start
  const { resolveMsMax: budgetMs, notPoolMs, creationSearchesMax, shareReadsMax } = setup.limits
  return createResolver({
    profile: setup.profile,
    reader: intake.reader,
    records: store,
    nextTokenId,
    nextPairId,
    open,
    leftOut,
    limits: { budgetMs, notPoolMs, creationSearchesMax, shareReadsMax },
    logger,
    signal,
  })
}

function countsOf<block>(intake: Intake<block>, resolver: Resolver, ledger: Ledger) {
  const stats = resolver.stats()
  return {
    dropped: {
      ...intake.dropped(),
      eventsOfNoPool: stats.droppedEventCount,
      claimsOfStrangers: stats.strangerCount,
      tokenHistories: stats.failedHistoryCount,
    },
    unclaimed: intake.unclaimed?.(),
    lateTokens: stats.lateTokenCount,
    openHistories: stats.openHistoryCount,
    notPools: stats.notPoolCount,
    unclaimedLogs: intake.unclaimedLogs?.(),
    unresolvedPools: stats.unresolvedPoolCount,
    unknownPools: stats.unknownPoolCount,
    unknownBalances: ledger.stats().unknownCount,
    endpoints: intake.endpoints(),
    waitsFor: resolver.waitsFor(),
  }
}

function beginCommit<block>(
  intake: Intake<block>,
  { block, receivedMs, doubt }: Extract<ChainEvent<block>, { type: 'commit' }>,
): CommitStep<block> {
  const ref = intake.refOf(block)
  // Told now, where the chain is at this block: later it may have turned, and another one be final in its place.
  const isFinal = ref.number <= intake.progress().settledNumber
  const decoded = intake.decode(block)
  return { type: 'commit', block, doubt: doubt ?? null, ref, decoded, receivedMs, isFinal }
}
