import { setTimeout as delay } from 'node:timers/promises'
import type { BackfillState } from '../../gateway/chain/gatewayChain.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { AppError } from '../../lib/errors.ts'
import { blockNumberDistance, lowestNumberAfter } from '../../model/block.ts'
import type { NativeUsdPrice } from '../../model/finishedBlock.ts'
import { backfillNameOf } from '../../store/adoptChain.ts'
import type { Store } from '../../store/openStore.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import { ChainStoppedError } from '../errors.ts'
import type { BackfillPlan } from './planBackfill.ts'
import { createUnservedRuntime, type UnservedRuntimeOptions } from './unservedRuntime.ts'

export type HistoryBackfillOptions = Omit<UnservedRuntimeOptions, 'mayApply'> & {
  plan: BackfillPlan
  ratePercent: number
  /** Runtime of the chain itself; undefined while the chain is being reopened. */
  live(): ChainRuntime | undefined
  /** Native coin price that the chain takes from another chain; null: unknown. */
  nativeUsd(): NativeUsdPrice | null
}

/**
 * Backfill of one chain: indexes it a second time from an earlier block, under its own name in the
 * store, up to the head of the live chain and never beyond.
 */
export type HistoryBackfill = {
  runtime(): ChainRuntime | null
  progress(): BackfillState
  /**
   * Resolves with true when the backfill is close behind the live chain; false: the signal aborted
   * first.
   */
  untilAtHead(): Promise<boolean>
  /** Continues to exactly this block and stops there; false: the block was not reached. */
  stopAt(head: { number: number; hash: string }): Promise<boolean>
  stop(): Promise<void>
}

const stepMs = 100
// The live chain is only a block or two ahead, so the block arrives in moments or was replaced by a
// reorg.
const joinMsMax = 10_000

export function createHistoryBackfill(options: HistoryBackfillOptions): HistoryBackfill {
  const { plan, signal, live } = options
  const speed = createBlockRate()
  const past = createUnservedRuntime({ ...options, setup: backfillSetup(options), mayApply })
  let pausedReason: string | null = null
  /** Set by `endAt`: no block above this number is applied. */
  let lastNumber: number | null = null

  function mayApply(number: number): boolean {
    if (lastNumber !== null) return number <= lastNumber
    const head = live()?.engine.head() ?? null
    return pausedReason === null && head !== null && number <= head.number
  }

  const pause = () => delay(stepMs, undefined, { signal }).catch(() => undefined)

  async function step(): Promise<void> {
    await pause()
    const reader = await past.ensure()
    if (reader === null) return
    const price = options.nativeUsd()
    if (price !== null) reader.setNativeUsd(price)
    pausedReason = pausedReasonOf(live())
    reader.proceed()
    speed.note(nextNumber(), performance.now())
  }

  function nextNumber(): number {
    const head = past.current()?.engine.head() ?? null
    return head === null ? plan.fromNumber : lowestNumberAfter(head.number)
  }

  return {
    runtime: past.current,
    progress: () => ({
      ...plan,
      nextNumber: nextNumber(),
      toNumber: live()?.engine.head()?.number ?? null,
      blocksPerS: speed.perS(),
      pausedReason,
    }),
    async untilAtHead() {
      while (!signal.aborted) {
        await step()
        const isThere = past.current()?.gatewayChain.status().lagReason === null
        if (isThere && pausedReason === null) return true
      }
      return false
    },
    async stopAt({ number, hash }) {
      lastNumber = number
      const untilMs = performance.now() + joinMsMax
      const isThere = () => past.current()?.engine.head()?.hash === hash
      while (!past.hasFailed() && !isThere() && performance.now() < untilMs && !signal.aborted) {
        past.current()?.proceed()
        await pause()
      }
      const isReached = isThere()
      await past.stop()
      lastNumber = null
      return isReached
    },
    stop: past.stop,
  }
}

/**
 * Setup of the same chain with an earlier start block, its own name in the store, and a lower
 * request rate.
 */
function backfillSetup({ setup, plan, ratePercent }: HistoryBackfillOptions): ChainSetup {
  return {
    ...chainKindOf(setup).backfill.throttledSetupOf(setup, ratePercent),
    storeName: backfillNameOf(setup.storeName),
    startBlock: plan.fromNumber,
  }
}

/**
 * Returns why the backfill pauses; null: it may run. Indexing the head has priority on the nodes.
 */
function pausedReasonOf(live: ChainRuntime | undefined): string | null {
  if (live === undefined) return 'the chain is being opened again'
  const { lagReason, databaseError } = live.gatewayChain.status()
  if (lagReason !== null) return `the head goes first: ${lagReason}`
  return databaseError
}

/** Measures how fast a block number grows, over the last half minute. */
type BlockRate = {
  note(number: number, nowMs: number): void
  perS(): number
}

const spanMs = 30_000
const notesMax = 60

function createBlockRate(): BlockRate {
  let notes: { number: number; atMs: number }[] = []
  return {
    note(number, nowMs) {
      const last = notes.at(-1)
      if (last !== undefined && nowMs - last.atMs < spanMs / notesMax) return
      notes = [...notes.filter(({ atMs }) => nowMs - atMs <= spanMs), { number, atMs: nowMs }]
    },
    perS() {
      const [first, last] = [notes[0], notes.at(-1)]
      if (first === undefined || last === undefined || last.atMs === first.atMs) return 0
      return Math.max(
        0,
        (blockNumberDistance(first.number, last.number) * 1_000) / (last.atMs - first.atMs),
      )
    },
  }
}

export type ChainReplacementOptions = {
  store: Pick<Store, 'adoptChain'>
  live(name: string): ChainRuntime | undefined
  open(setup: ChainSetup): Promise<ChainRuntime>
  start(runtime: ChainRuntime, setup: ChainSetup): Promise<void>
  close(name: string): Promise<void>
  onFatal(error: AppError): void
}

/**
 * Replaces a stored chain with its finished backfill. The chain stops at a block, the backfill
 * continues up to the same block, the two swap names in one transaction, and the chain is reopened
 * as at a restart. Followers of the chain continue with the next block, and the market is served
 * throughout.
 * If interrupted at any point, the store holds either the old chain or the new one, complete.
 */
export function createChainReplacement(options: ChainReplacementOptions) {
  const { store, open, start, close, onFatal } = options

  async function isJoined(setup: ChainSetup, live: ChainRuntime, past: HistoryBackfill) {
    const head = live.engine.head()
    if (head === null || !(await past.stopAt(head))) return false
    return await store.adoptChain({ storeName: setup.storeName, hash: head.hash })
  }

  return async (setup: ChainSetup, past: HistoryBackfill): Promise<boolean> => {
    const { name: chain } = setup.profile
    const live = options.live(chain)
    if (live === undefined) return false
    await close(chain)
    try {
      return await isJoined(setup, live, past)
    } finally {
      await open(setup)
        .then((runtime) => start(runtime, setup))
        .catch((cause: unknown) => onFatal(new ChainStoppedError({ chain, cause })))
    }
  }
}
