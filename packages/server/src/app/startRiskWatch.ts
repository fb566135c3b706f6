import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/schema/schema.ts'
import type { Clock, GatewayChain } from '../gateway/gatewayChain.ts'
import type { StoreReads } from '../gateway/history/storeReads.ts'
import { readRiskSubject } from '../gateway/rest/risk/riskSubjectOf.ts'
import type { Screener } from '../gateway/screener/screener.ts'
import type { Turns } from '../gateway/turns/turns.ts'
import type { Logger } from '../lib/logger.ts'
import { hasHolders } from '../risk/riskSubject.ts'

export type RiskWatchLimits = {
  /** Of a chain, by its name; 0: none. */
  checksPerMin(chain: string): number
  /** So many of the trending tokens, and as many of the newest, are watched. */
  tokensMax: number
  /** A token is checked again after this time, also where no node could answer. */
  againMs: number
  /** And after this time, if nobody was known who could try to sell it. */
  withoutHoldersMs: number
  /** Pause between two looks at whether a check is due. */
  lookMs: number
}

// Its node is ours.
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
    // As many as a chain may have in a minute.
    lookMs: 100,
  }
}

export type RiskWatchOptions = {
  store: Pick<StoreReads, 'topHolders'>
  /** As they are now: one may be opened again. */
  chains(): readonly GatewayChain[]
  screener: Screener
  turns: Turns
  logger: Logger
  clock: Clock
  limits: RiskWatchLimits
}

const minuteMs = 60_000

/**
 * Has the contracts of trending and new tokens checked though nobody asks for them, so that every list can tell which are honeypots.
 * The checks themselves are made where all are, in the thread of the chain's nodes; one of a chain at a time leaves most of its places to
 * those that somebody waits for.
 */
export function startRiskWatch(options: RiskWatchOptions): { stop(): Promise<void> } {
  const { clock, limits } = options
  const { lookMs } = limits
  const stopping = new AbortController()
  const { signal } = stopping
  /** By the name of the chain. */
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
  /** Null: no check is under way. */
  underWay: Promise<void> | null = null
  private readonly options: RiskWatchOptions
  private dueMs = 0
  /** When each was checked and after what time it is again, of those that are watched now. */
  private checked = new Map<string, { atMs: number; againMs: number }>()

  constructor(options: RiskWatchOptions) {
    this.options = options
  }

  /** Begins a check where one is due, and the chain has time for it. */
  look(chain: GatewayChain, nowMs: number): void {
    const perMin = this.options.limits.checksPerMin(chain.profile.name)
    if (perMin === 0 || this.underWay !== null || nowMs < this.dueMs || isBusy(chain)) return
    this.dueMs = nowMs + minuteMs / perMin
    this.underWay = this.checkNext(chain, nowMs)
      .catch((error) => {
        const { name } = chain.profile
        this.options.logger.debug({ msg: 'No contract to check', chain: name, err: error })
      })
      .finally(() => {
        this.underWay = null
      })
  }

  private async checkNext(chain: GatewayChain, nowMs: number): Promise<void> {
    const { screener, turns, limits } = this.options
    await screener.traded(chain, turns)
    const address = this.nextOf(chain, nowMs)
    if (address === null) return
    const check = { atMs: nowMs, againMs: limits.againMs }
    this.checked.set(address, check)
    if (!(await this.check(chain, address))) check.againMs = limits.withoutHoldersMs
  }

  /** Trending ones first; null: each was checked. */
  private nextOf(chain: GatewayChain, nowMs: number): string | null {
    const { limits, screener } = this.options
    const trending = screener.trending(chain).ids().slice(0, limits.tokensMax)
    const watched = watchedTokens(chain, trending, limits.tokensMax)
    const known = this.checked
    this.checked = new Map(
      watched.flatMap((address) => {
        const check = known.get(address)
        return check === undefined || Math.abs(nowMs - check.atMs) >= check.againMs
          ? []
          : [[address, check]]
      }),
    )
    return watched.find((address) => !this.checked.has(address)) ?? null
  }

  /** False: nobody was known who could try to sell. */
  private async check(chain: GatewayChain, address: string): Promise<boolean> {
    const { store, logger } = this.options
    try {
      const subject = await readRiskSubject(chain, address, store)
      if (subject === null) return true
      await chain.risk.report(subject)
      return hasHolders(subject)
    } catch (error) {
      const { name } = chain.profile
      logger.debug({ msg: 'Contract not checked', chain: name, token: address, err: error })
      return true
    }
  }
}

/** Its nodes have blocks to bring. */
function isBusy({ reads, status }: GatewayChain): boolean {
  return reads.head() === null || status().behind !== null
}

/** Addresses of trending tokens, and then of the newest that have a price; the quotes of the config need no check. */
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
