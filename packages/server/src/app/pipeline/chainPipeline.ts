import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { ChainIntake, EndpointStats, IntakeProgress } from '../../kinds/intake.ts'
import type { BalanceReader } from '../../ledger/balanceLoader.ts'
import { createLedger, type Ledger } from '../../ledger/ledger.ts'
import { decodeUndo, encodeChanges, encodeUndo } from '../../ledger/undo.ts'
import type { Logger } from '../../lib/logger.ts'
import { type BlockRef, type ChainEvent, isNearHead, type NodeFault } from '../../model/block.ts'
import type { DecodedBlock } from '../../model/decodedBlock.ts'
import type { NativeUsdPrice } from '../../model/finishedBlock.ts'
import type { UnverifiedBlock } from '../../model/trust/doubt.ts'
import type { IgnoredContract } from '../../model/trust/ignoredContracts.ts'
import type { UnclaimedProgram } from '../../model/unclaimed.ts'
import { createPlausibility, plausibilityLimitsDefault } from '../../resolve/plausibility.ts'
import type { RecordsToRevert } from '../../resolve/questions/questions.ts'
import type { RecordReader } from '../../resolve/records/recordCache.ts'
import { Resolver } from '../../resolve/resolver.ts'
import type { EngineSeed } from './engineSeed.ts'
import {
  type EncodedEntry,
  encodeCommitEntry,
  encodeFinalizeEntry,
  encodeLateEntry,
  encodeRevertEntry,
} from './entrySender.ts'
import { createBlockUndos, createFinalityGate } from './finality.ts'
import { prefetch } from './prefetch.ts'
import { createBlockVerifier, createUnverifiedBlocks } from './verifyBlocks.ts'

/** A block that an earlier run of the worker stored. */
export type KnownBlock = {
  ref: BlockRef
  /** Undo record; null: the block is final. */
  undo: Uint8Array | null
  /** Tokens and pairs that the block created. */
  created: RecordsToRevert
}

/**
 * What a chain's worker needs to continue after the last stored block. Plain data: it is posted to
 * the worker.
 */
export type PipelineStart = EngineSeed & {
  setup: ChainSetup
  /** Newest canonical blocks, oldest first, with their undo records. */
  known: readonly KnownBlock[]
  /** Unfinalized canonical blocks right before `known`, oldest first. */
  older: readonly BlockRef[]
  /** First stored block. */
  firstNumber: number | null
  finalizedNumber: number
  /** Contracts whose events are ignored until they answer like pools. */
  leftOut: readonly IgnoredContract[]
  /** Unverified stored blocks that can be checked again. @default none */
  doubtful?: readonly UnverifiedBlock[] | undefined
}

export type PipelineOptions<block> = {
  start: PipelineStart
  intake: ChainIntake<block>
  store: RecordReader & BalanceReader
  /**
   * Latest native coin price of another chain, for chains that take it from there; stored with each
   * block. @default none
   */
  nativeUsd?: (() => NativeUsdPrice | null) | undefined
  /** Passes an entry on; resolves when there is room for the next entry. */
  sendEntry(entry: EncodedEntry): Promise<void> | void
  logger: Logger
  /** Ends the run after the current block; prefetched blocks are discarded. */
  signal: AbortSignal
}

export type PipelineProgress = IntakeProgress & {
  /** Events skipped so far, by reason. */
  dropped: Record<string, number>
  /** Programs with swap-like calls that match no venue, most calls first. @default not counted */
  unclaimed?: readonly UnclaimedProgram[] | undefined
  /** Tokens whose names no node has reported yet. */
  lateTokens: number
  /** Tokens whose transfers from before their discovery are still being scanned. */
  openHistories: number
  /** Logs of configured contracts that match no known event. @default not counted */
  unclaimedLogs?: ReturnType<NonNullable<ChainIntake<never>['unclaimedLogs']>> | undefined
  /** Contracts cached as ignored because they do not answer like pools. */
  notPools: number
  /** Contracts that the current block must classify as pool or not, and no node answers. */
  unresolvedPools: number
  endpoints: readonly EndpointStats[]
  /**
   * Balances the store has not answered yet. Until then holders of these tokens are not counted.
   */
  unknownBalances: number
  /** Pools whose balances no node has reported yet; their reserves are 0 until then. */
  unknownPools: number
  /** How long the current commit, revert or finalization has been in progress. */
  busyMs: number
  /**
   * A required answer that no node gives, with the last error; null: nothing blocks the current
   * event.
   */
  waitsFor: NodeFault | null
}

/** A decoded block, or a revert or finality event of the chain. */
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

// Prefetched blocks. A node busy with block ranges answers a lookup in 100 ms, during which
// hundreds of blocks can be processed; with a smaller queue each new token would stall all of them.
const blocksAheadMax = 512

export type Pipeline = {
  /** Runs until the intake ends or the signal aborts. */
  run(): Promise<void>
  progress(): PipelineProgress
  /** Reports that the store has all blocks up to this number. */
  persisted(number: number): void
}

/** Turns a chain's blocks into log entries: decode, resolve, apply to the ledger, hand over. */
export function createPipeline<block>(options: PipelineOptions<block>): Pipeline {
  const { start, intake, sendEntry } = options
  const resolver = openResolver(options)
  const ledger = openLedger(options)
  const verifier = openVerifier(options, resolver, ledger)
  const doubts = openUnverifiedBlocks(options)
  const pending = createFinalityGate(start)
  const undos = createBlockUndos(start.known, start.setup.profile.reorgDepthMax)
  const createdBefore = new Map(start.known.map(({ ref, created }) => [ref.hash, created]))

  let headTimeS = start.known.at(-1)?.ref.timeS ?? 0
  let busySinceMs: number | null = null

  /**
   * Decodes a prefetched block and starts the lookups it needs, so that the block rarely waits when
   * it is processed.
   */
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
    // Late facts go first: they affect how this block's trades are priced.
    for (const facts of resolver.takeLateFacts()) await sendEntry(encodeLateEntry(facts, headTimeS))
    headTimeS = ref.timeS
    const progress = intake.progress()
    const { settledNumber } = progress
    const settledDoubts = doubts.takeVerdicts(settledNumber)
    const facts = { isLive: isAtHead(progress, ref), nativeUsd: options.nativeUsd?.() ?? null }
    const resolved = await resolver.resolve(decoded, { receivedMs, settledNumber, ...facts })
    const finished = await ledger.apply(resolved)
    const { unreportedAfter } = finished.undo
    pending.applied(unreportedAfter)
    const isSettled = isFinal && unreportedAfter === null
    const changes = isSettled ? encodeChanges(finished.changes) : encodeUndo(finished.undo)
    if (!isSettled) undos.add(ref, changes)
    const marks = { doubt: doubts.add(block, ref, doubt), settledDoubts }
    const beside = {
      tipTimeS: progress.headTimeS,
      ...marks,
      leftOut: resolver.takeIgnoredChanges(),
    }
    await sendEntry(encodeCommitEntry(finished.block, { changes, isFinal: isSettled, ...beside }))
    for (const facts of resolver.takeLateFacts()) await sendEntry(encodeLateEntry(facts, headTimeS))
    await handFinal()
  }

  async function revert(ref: BlockRef): Promise<void> {
    doubts.revert(ref.number)
    verifier.revert(ref.hash)
    const changes = undos.take(ref)
    ledger.revert(ref, decodeUndo(changes))
    resolver.revert(ref, createdBefore.get(ref.hash))
    createdBefore.delete(ref.hash)
    await sendEntry(encodeRevertEntry(ref, changes))
    pending.assertComplete(ref.parentHash)
  }

  async function handFinal(): Promise<void> {
    const ref = pending.takeFinal(intake.progress().startNumber)
    if (ref === null) return
    undos.forgetUpTo(ref.number)
    await sendEntry(encodeFinalizeEntry(ref, headTimeS))
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
      resolver.onPersisted(number)
      ledger.persisted(number)
    },
  }
}

/**
 * Returns whether the block itself is near the head. The intake may be at the head while the
 * pipeline is far behind it.
 */
function isAtHead({ isLive, headNumber, headTimeS }: IntakeProgress, ref: BlockRef): boolean {
  return isLive && isNearHead(ref, { number: headNumber, timeS: headTimeS })
}

function openLedger<block>({ start, intake, store, logger }: PipelineOptions<block>): Ledger {
  const { profile } = start.setup
  return createLedger({ profile, balances: store, math: intake.venueMath, logger })
}

function openVerifier<block>(
  { start: { setup, lastPoolStates }, intake, logger }: PipelineOptions<block>,
  resolver: Resolver,
  ledger: Ledger,
) {
  const plausibility = createPlausibility(setup.plausibility ?? plausibilityLimitsDefault, {
    seeds: lastPoolStates,
    mintsFrom: setup.profile.burnAddresses[0],
    suppliesOf(pool) {
      const pair = resolver.pairOf(pool)
      if (pair === undefined) return [null, null]
      return [ledger.totalOf(pair.token0Id), ledger.totalOf(pair.token1Id)]
    },
  })
  return createBlockVerifier({ chain: setup.profile.name, intake, plausibility, logger })
}

function openUnverifiedBlocks<block>({ start, intake, logger }: PipelineOptions<block>) {
  const { setup, doubtful: known = [] } = start
  return createUnverifiedBlocks({
    chain: setup.profile.name,
    known,
    reviews: intake.reviews,
    logger,
    everyMs: setup.limits.doubtReviewMs,
    clock: { nowMs: Date.now },
  })
}

function openResolver<block>({ start, intake, store, logger, signal }: PipelineOptions<block>) {
  const { setup, nextTokenId, nextPairId, open: openQuestions, leftOut: ignoredContracts } = start
  const { resolveMsMax: budgetMs, ignoreMs, creationSearchesMax, shareReadsMax } = setup.limits
  return new Resolver({
    profile: setup.profile,
    reader: intake.reader,
    records: store,
    nextTokenId,
    nextPairId,
    openQuestions,
    ignoredContracts,
    limits: { budgetMs, ignoreMs, creationSearchesMax, shareReadsMax },
    logger,
    signal,
  })
}

function countsOf<block>(intake: ChainIntake<block>, resolver: Resolver, ledger: Ledger) {
  const stats = resolver.stats()
  return {
    dropped: {
      ...intake.droppedCounts(),
      eventsOfNoPool: stats.droppedEventCount,
      claimsOfStrangers: stats.unconfiguredCount,
      tokenHistories: stats.failedScanCount,
    },
    unclaimed: intake.unclaimedPrograms?.(),
    lateTokens: stats.lateTokenCount,
    openHistories: stats.openScanCount,
    notPools: stats.ignoredContractCount,
    unclaimedLogs: intake.unclaimedLogs?.(),
    unresolvedPools: stats.unresolvedPoolCount,
    unknownPools: stats.unknownPoolCount,
    unknownBalances: ledger.stats().unknownCount,
    endpoints: intake.endpoints(),
    waitsFor: resolver.waitingFor(),
  }
}

function beginCommit<block>(
  intake: ChainIntake<block>,
  { block, receivedMs, doubt }: Extract<ChainEvent<block>, { type: 'commit' }>,
): CommitStep<block> {
  const ref = intake.refOf(block)
  // Read finality now: after a reorg a different block of this number may be final.
  const isFinal = ref.number <= intake.progress().settledNumber
  const decoded = intake.decode(block)
  return { type: 'commit', block, doubt: doubt ?? null, ref, decoded, receivedMs, isFinal }
}
