import { setTimeout as delay } from 'node:timers/promises'
import { type AuditResult, auditInputOf } from '../../audit/auditRequest.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { AuditStatus } from '../../gateway/chain/gatewayChain.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { Logger } from '../../lib/logger.ts'
import { blockNumberAbove, blockNumberDistance } from '../../model/block.ts'
import type { StoreConnection } from '../../store/connection.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'

export type ChainAuditsOptions = {
  config: Config
  connection: StoreConnection
  logger: Logger
  live(name: string): ChainRuntime | undefined
}

/**
 * Compares samples of every chain's stored blocks with its nodes, continuously and at a low rate.
 */
export type ChainAudits = {
  begin(setup: ChainSetup): void
  /** Returns the audit progress of a chain; null: audits are turned off. */
  statusOf(name: string): AuditStatus | null
  stop(): Promise<void>
}

// Blocks per sample. With the pause between samples, a day covers about 23,000 blocks.
const sampleBlocks = 16
const lookMs = 250

const untouched: AuditStatus = {
  checkedBlocks: 0,
  checkedBalances: 0,
  checkedAtS: null,
  fromNumber: null,
  toNumber: null,
  differences: 0,
  lastDifference: null,
  pausedReason: null,
}

export function createChainAudits(options: ChainAuditsOptions): ChainAudits {
  const { config, connection, live, logger } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const pause = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const statuses = new Map<string, AuditStatus>()
  const running: Promise<void>[] = []

  function note(chain: string, changes: Partial<AuditStatus>): void {
    statuses.set(chain, { ...(statuses.get(chain) ?? untouched), ...changes })
  }

  async function keep(setup: ChainSetup, ratePercent: number): Promise<void> {
    const { name: chain } = setup.profile
    note(chain, {})
    while (!signal.aborted) {
      await pause(config.fixed.audit_every_ms)
      const pausedReason = pausedReasonOf(live(chain))
      note(chain, { pausedReason })
      if (signal.aborted || pausedReason !== null) continue
      await sample(setup, ratePercent).catch((err: unknown) => {
        if (!signal.aborted) logger.debug({ msg: 'Failed to compare a sample', chain, err })
      })
    }
  }

  async function sample(setup: ChainSetup, ratePercent: number): Promise<void> {
    const { name: chain } = setup.profile
    const runtime = live(chain)
    const range = runtime === undefined ? null : rangeOf(runtime)
    if (runtime === undefined || range === null) return
    const given = new AbortController()
    const terms = {
      ...auditInputOf(config.retention, setup, ratePercent),
      chainId: runtime.chainId,
    }
    const asking = runtime.audit({ ...terms, ...range, connection }, given.signal)
    const asked = asking.finally(() => given.abort())
    // Indexing the head has priority: stop the sample when the chain falls behind.
    while (!given.signal.aborted) {
      if (signal.aborted || pausedReasonOf(live(chain)) !== null) given.abort()
      await Promise.race([delay(lookMs), asked.catch(() => undefined)])
    }
    const result = await asked
    if (result !== null) record(chain, result)
  }

  function record(chain: string, result: AuditResult): void {
    const before = statuses.get(chain) ?? untouched
    const { blockCount, holdingCount, findings, findingCount, range } = result
    note(chain, {
      checkedBlocks: before.checkedBlocks + blockCount,
      checkedBalances: before.checkedBalances + holdingCount,
      checkedAtS: Math.floor(Date.now() / 1_000),
      fromNumber: range?.from ?? null,
      toNumber: range?.to ?? null,
      differences: before.differences + findingCount,
      lastDifference: findings.at(-1)?.msg ?? before.lastDifference,
    })
    for (const { kind, msg } of findings)
      logger.warn({ msg: 'Stored data differs from the chain', chain, kind, found: msg })
  }

  return {
    begin(setup) {
      const percent = config.chains[setup.profile.name]?.audit_rate_percent ?? 0
      if (percent > 0) running.push(keep(setup, percent))
    },
    statusOf: (name) => statuses.get(name) ?? null,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/** Returns why audits of this chain pause now; null: they may run. */
function pausedReasonOf(live: ChainRuntime | undefined): string | null {
  if (live === undefined) return 'the chain is being opened again'
  const { lagReason, databaseError, past } = live.gatewayChain.status()
  if (lagReason !== null) return `the head goes first: ${lagReason}`
  return past?.progress ? 'its past is being read' : databaseError
}

/** Picks a random range of final stored blocks; null: no final block is stored. */
function rangeOf({ engine, gatewayChain }: ChainRuntime): { from: number; to: number } | null {
  const first = gatewayChain.status().history.firstNumber
  const last = engine.finalizedNumber()
  if (first === null || last < first) return null
  const from = blockNumberAbove(
    first,
    Math.floor(Math.random() * (blockNumberDistance(first, last) + 1)),
  )
  return { from, to: Math.min(last, blockNumberAbove(from, sampleBlocks - 1)) }
}
