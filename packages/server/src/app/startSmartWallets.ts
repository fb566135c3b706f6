import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/schema/schema.ts'
import type { Logger } from '../lib/logger.ts'
import type { Store } from '../store/openStore.ts'

export type SmartWalletsLimits = {
  /** Pause between two rankings. */
  everyMs: number
  /** Time the database may take for one chain; under the time for a clean stop. */
  timeMsMax: number
  /** Trades of this long count; shorter where the database needs too long. */
  windowSMax: number
  windowSMin: number
  /** Wallets kept of each chain. */
  countMax: number
}

// Under the time for a clean stop.
const timeMsMax = 8_000
const windowSMax = 2_592_000
const windowSMin = 3_600
const countMax = 1_000

export function smartWalletsLimitsOf({ fixed }: Pick<Config, 'fixed'>): SmartWalletsLimits {
  return {
    everyMs: fixed.smart_wallets_every_ms,
    timeMsMax,
    windowSMax,
    windowSMin,
    countMax,
  }
}

type RankedChain = {
  /** Its number in the store. */
  chainId: number
  chain: string
  /** Time of the newest block. */
  headS: number
  /** Tokens that trades are valued in. */
  quoteIds: readonly number[]
}

export type SmartWalletsOptions = {
  store: Pick<Store, 'refreshSmartWallets'>
  /** The chains to rank, as they are now. */
  chains(): readonly RankedChain[]
  logger: Logger
  clock: { nowMs(): number }
  limits: SmartWalletsLimits
}

/** Ranks the wallets of every chain from time to time, in the database, one chain after the other. */
export function startSmartWallets(options: SmartWalletsOptions): { stop(): Promise<void> } {
  const { limits } = options
  const stopping = new AbortController()
  const { signal } = stopping
  /** By chain. */
  const windowsS = new Map<number, number>()

  async function rank({ chainId, chain, headS, quoteIds }: RankedChain): Promise<void> {
    const { store, logger, clock } = options
    const windowS = windowsS.get(chainId) ?? limits.windowSMax
    const { countMax, timeMsMax, windowSMax, windowSMin } = limits
    const beganMs = clock.nowMs()
    const madeAtS = Math.floor(beganMs / 1_000)
    const sinceS = Math.max(0, headS - windowS)
    try {
      await store.refreshSmartWallets({
        chainId,
        quoteIds,
        sinceS,
        madeAtS,
        countMax,
        timeMsMax,
      })
      // Twice the trades take about twice the time.
      const isQuick = (clock.nowMs() - beganMs) * 4 < timeMsMax
      windowsS.set(chainId, isQuick ? Math.min(windowS * 2, windowSMax) : windowS)
    } catch (error) {
      windowsS.set(chainId, Math.max(windowSMin, Math.floor(windowS / 2)))
      logger.warn({ msg: 'Failed to rank wallets', chain, windowS, err: error })
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      for (const ranked of options.chains()) if (!signal.aborted) await rank(ranked)
      await delay(limits.everyMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  const ended = run()
  return {
    stop() {
      stopping.abort()
      return ended
    },
  }
}
