import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Store } from '../../store/openStore.ts'

export type SmartWalletsLimits = {
  /** Pause between two rankings. */
  everyMs: number
  /** Time limit of one chain's query; must be below the time limit of a clean stop. */
  timeMsMax: number
  /** Longest period of trades to rank; shortened while the query takes too long. */
  windowSMax: number
  windowSMin: number
  /** Wallets to keep per chain. */
  countMax: number
}

// Maximum time of one reading; a clean stop allows more, so it can wait for the reading.
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
  /** Id of the chain in the store. */
  chainId: number
  chain: string
  /** Time of the newest block. */
  headS: number
  /** Quote tokens in which trades are valued. */
  quoteIds: readonly number[]
}

export type SmartWalletsOptions = {
  store: Pick<Store, 'refreshSmartWallets'>
  /** Chains to rank, as of now. */
  chains(): readonly RankedChain[]
  logger: Logger
  clock: { nowMs(): number }
  limits: SmartWalletsLimits
}

/** Ranks the wallets of every chain periodically, in the database, one chain after another. */
export function startSmartWallets(options: SmartWalletsOptions): { stop(): Promise<void> } {
  const { limits } = options
  const stopping = new AbortController()
  const { signal } = stopping
  /** Current period of trades by chain id. */
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
      // Twice the period takes about twice the time, so double it only with a wide margin.
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
