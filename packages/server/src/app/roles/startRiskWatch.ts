import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/schema/schema.ts'
import type { Clock, GatewayChain } from '../../gateway/chain/gatewayChain.ts'
import type { StoreReads } from '../../gateway/chain/storeReads.ts'
import type { Scheduler } from '../../gateway/ground/scheduler.ts'
import type { ScreenerBoards } from '../../gateway/lists/screenerBoards.ts'
import { readRiskSubject } from '../../gateway/rest/risk/riskSubjectOf.ts'
import type { Logger } from '../../lib/logger.ts'
import { hasHolders } from '../../risk/riskSubject.ts'

export type RiskWatchLimits = {
  /** Checks per minute for a chain; 0: no checks. */
  checksPerMin(chain: string): number
  /** Watches this many trending tokens, and as many of the newest. */
  tokensMax: number
  /** Time until a token is checked again, even if no node could answer. */
  againMs: number
  /** Shorter time for tokens without a known holder, so that no sale could be simulated. */
  withoutHoldersMs: number
  /** Pause between two rounds; each round starts the checks that are due. */
  lookMs: number
}

// The local chain's node is our own, so its rate needs no config.
const localChecksPerMin = 60

export function riskWatchLimitsOf({
  chains,
  fixed,
}: Pick<Config, 'chains' | 'fixed'>): RiskWatchLimits {
  return {
    checksPerMin: (chain) =>
      Math.min(
        chains[chain]?.risk_checks_per_min ?? localChecksPerMin,
        fixed.risk_checks_per_min_max,
      ),
    tokensMax: 50,
    againMs: 1_800_000,
    withoutHoldersMs: 60_000,
    // Ten rounds per second allow the highest configurable rate.
    lookMs: 100,
  }
}

export type RiskWatchOptions = {
  store: Pick<StoreReads, 'topHolders'>
  /** Current chains; a chain may be reopened. */
  chains(): readonly GatewayChain[]
  screener: ScreenerBoards
  scheduler: Scheduler
  logger: Logger
  clock: Clock
  limits: RiskWatchLimits
}

const minuteMs = 60_000

/**
 * Checks contracts of trending and new tokens in advance, so that lists can mark honeypots. Checks
 * run in the thread that queries the chain's nodes. Only one per chain runs at a time, which leaves
 * capacity for checks that callers wait for.
 */
export function startRiskWatch(options: RiskWatchOptions): { stop(): Promise<void> } {
  const { clock, limits } = options
  const { lookMs } = limits
  const stopping = new AbortController()
  const { signal } = stopping
  /** Watches by chain name. */
  const watches = new Map<string, ChainWatch>()

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const nowMs = clock.nowMs()
      for (const chain of options.chains()) {
        const { name } = chain.profile
        const watch = watches.get(name) ?? new ChainWatch(options)
        watches.set(name, watch)
        watch.look(chain, nowMs)
      }
      await delay(lookMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
    await Promise.all(Array.from(watches.values(), ({ underWay }) => underWay))
  }

  const ended = run()
  return {
    stop() {
      stopping.abort()
      return ended
    },
  }
}

class ChainWatch {
  /** The running check; null: no check runs. */
  underWay: Promise<void> | null = null
  readonly #options: RiskWatchOptions
  #dueMs = 0
  /** Watched tokens that were checked: when, and after what time to check again. */
  #checked = new Map<string, { atMs: number; againMs: number }>()

  constructor(options: RiskWatchOptions) {
    this.#options = options
  }

  /** Starts the next check if it is due and the chain is not busy. */
  look(chain: GatewayChain, nowMs: number): void {
    const perMin = this.#options.limits.checksPerMin(chain.profile.name)
    if (perMin === 0 || this.underWay !== null || nowMs < this.#dueMs || isBusy(chain)) return
    this.#dueMs = nowMs + minuteMs / perMin
    this.underWay = this.#checkNext(chain, nowMs)
      .catch((error) => {
        const { name } = chain.profile
        this.#options.logger.debug({
          msg: 'Failed to pick a contract to check',
          chain: name,
          err: error,
        })
      })
      .finally(() => {
        this.underWay = null
      })
  }

  async #checkNext(chain: GatewayChain, nowMs: number): Promise<void> {
    const { screener, scheduler, limits } = this.#options
    await screener.tradedBoard(chain, scheduler)
    const address = this.#nextOf(chain, nowMs)
    if (address === null) return
    const check = { atMs: nowMs, againMs: limits.againMs }
    this.#checked.set(address, check)
    if (!(await this.#check(chain, address))) check.againMs = limits.withoutHoldersMs
  }

  /** Returns the next token to check, trending tokens first; null: none is due. */
  #nextOf(chain: GatewayChain, nowMs: number): string | null {
    const { limits, screener } = this.#options
    const trending = screener.trending(chain).ids().slice(0, limits.tokensMax)
    const watched = watchedTokens(chain, trending, limits.tokensMax)
    const known = this.#checked
    this.#checked = new Map(
      watched.flatMap((address) => {
        const check = known.get(address)
        return check === undefined || Math.abs(nowMs - check.atMs) >= check.againMs
          ? []
          : [[address, check]]
      }),
    )
    return watched.find((address) => !this.#checked.has(address)) ?? null
  }

  /** Returns false if no holder is known, so that no sale could be simulated. */
  async #check(chain: GatewayChain, address: string): Promise<boolean> {
    const { store, logger } = this.#options
    try {
      const subject = await readRiskSubject(chain, address, store)
      if (subject === null) return true
      await chain.risk.report(subject)
      return hasHolders(subject)
    } catch (error) {
      const { name } = chain.profile
      logger.debug({ msg: 'Failed to check a contract', chain: name, token: address, err: error })
      return true
    }
  }
}

/** Returns true while the chain is behind: its nodes are needed for blocks. */
function isBusy({ reads, status }: GatewayChain): boolean {
  return reads.head() === null || status().lagReason !== null
}

/**
 * Addresses of trending tokens, then of the newest tokens with a price. Configured quote tokens
 * need no check.
 */
function watchedTokens(
  { reads, profile }: GatewayChain,
  trending: readonly number[],
  max: number,
): string[] {
  const ids = new Set(trending)
  const newestEnd = Math.max(0, reads.tokenCount() - max)
  for (let id = reads.tokenCount() - 1; id >= newestEnd; id -= 1)
    if (reads.tokenWorth(id).priceUsd !== null) ids.add(id)
  return Array.from(ids, (id) => reads.tokenRecord(id).address).filter(
    (address) => !profile.quotes.includes(address),
  )
}
