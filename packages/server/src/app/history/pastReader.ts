import { setTimeout as delay } from 'node:timers/promises'
import type { HistoryReading } from '../../gateway/gatewayChain.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { leastNumberAfter } from '../../model/block.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import { behindNameOf } from '../../store/adoptChain.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import type { ReadingPlan } from './planReading.ts'
import { createReadingSpeed } from './readingSpeed.ts'
import { createUnservedRuntime, type UnservedOptions } from './unservedRuntime.ts'

export type PastReaderOptions = Omit<UnservedOptions, 'mayApply'> & {
  plan: ReadingPlan
  ratePercent: number
  /** The chain itself; undefined while it is being opened again. */
  live(): ChainRuntime | undefined
  /** Of a chain that has its price from another. */
  nativeUsd(): NativeUsd | null
}

/** Reads a chain a second time, from further back, into a place of its own, up to the head and never beyond it. */
export type PastReader = {
  runtime(): ChainRuntime | null
  reading(): HistoryReading
  /** Resolves when it is at the head, close behind the chain itself; false: the signal came first. */
  untilAtHead(): Promise<boolean>
  /** Goes on to this block and ends there; false: it did not come to it. */
  endAt(head: { number: number; hash: string }): Promise<boolean>
  stop(): Promise<void>
}

const stepMs = 100
// As the chain itself is a block or two ahead, it comes in a moment, or another has taken its place.
const joinMsMax = 10_000

export function createPastReader(options: PastReaderOptions): PastReader {
  const { plan, signal, live } = options
  const speed = createReadingSpeed()
  const past = createUnservedRuntime({ ...options, setup: pastSetupOf(options), mayApply })
  let pausedReason: string | null = null
  /** It is to end with this number. */
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
    return head === null ? plan.fromNumber : leastNumberAfter(head.number)
  }

  return {
    runtime: past.current,
    reading: () => ({
      ...plan,
      nextNumber: nextNumber(),
      toNumber: live()?.engine.head()?.number ?? null,
      blocksPerS: speed.perS(),
      pausedReason,
    }),
    async untilAtHead() {
      while (!signal.aborted) {
        await step()
        const isThere = past.current()?.gatewayChain.status().behind === null
        if (isThere && pausedReason === null) return true
      }
      return false
    },
    async endAt({ number, hash }) {
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

/** The same chain from further back, in another place, and slower. */
function pastSetupOf({ setup, plan, ratePercent }: PastReaderOptions): ChainSetup {
  return {
    ...chainKindOf(setup).past.setupOf(setup, ratePercent),
    storeName: behindNameOf(setup.storeName),
    startBlock: plan.fromNumber,
  }
}

/** The head goes first: while it is behind, its nodes are left to it. */
function pausedReasonOf(live: ChainRuntime | undefined): string | null {
  if (live === undefined) return 'the chain is being opened again'
  const { behind, databaseError } = live.gatewayChain.status()
  if (behind !== null) return `the head goes first: ${behind}`
  return databaseError
}
