import { setTimeout as delay } from 'node:timers/promises'
import type { GatewayChain } from '../../gateway/chain/gatewayChain.ts'
import type { Logger } from '../../lib/logger.ts'
import { reportOf, reportText } from '../../risk/reportCache.ts'
import { riskLimitsDefault } from '../../risk/riskChecker.ts'
import type { Store } from '../../store/openStore.ts'

export type RiskReportSharingOptions = {
  store: Pick<Store, 'saveRiskReports' | 'loadRiskReports'>
  /** Current chains. A reopened chain starts without reports. */
  chains(): readonly GatewayChain[]
  logger: Logger
  /** Pause between two rounds. */
  everyMs: number
}

/**
 * Shares risk reports through the database: stores reports made in this process, and loads stored
 * reports of earlier runs and of other processes, so that all give the same answers.
 */
export function startRiskReportSharing(options: RiskReportSharingOptions): {
  stop(): Promise<void>
} {
  const { store, logger, everyMs } = options
  const stopping = new AbortController()
  const { signal } = stopping
  /** When reports of a chain were last loaded from the store, by the database's clock. */
  const readAtS = new WeakMap<GatewayChain, number>()

  async function save({ risk, storeId }: GatewayChain): Promise<void> {
    const made = [...risk.unstored()]
    if (made.length === 0) return
    const rows = made.map(([token, report]) => ({
      token,
      blockNumber: report.block.number,
      report: reportText(report),
    }))
    await store.saveRiskReports(storeId, rows, riskLimitsDefault.reportsMax)
    for (const [token, report] of made) risk.stored(token, report)
  }

  async function takeOver(chain: GatewayChain): Promise<void> {
    const page = await store.loadRiskReports(chain.storeId, readAtS.get(chain) ?? null)
    for (const { token, report: text } of page.reports) {
      const report = reportOf(text)
      if (report !== null) chain.risk.restore(token, report)
    }
    readAtS.set(chain, page.readAtS)
  }

  async function look(): Promise<void> {
    for (const chain of options.chains()) {
      if (chain.reads.head() === null) continue
      try {
        await save(chain)
        if (!signal.aborted) await takeOver(chain)
      } catch (error) {
        const { name } = chain.profile
        logger.warn({ msg: 'Failed to share risk reports', chain: name, err: error })
      }
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await look()
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
    // Store the reports made since the last round.
    await look()
  }

  const ended = run()
  return {
    stop() {
      stopping.abort()
      return ended
    },
  }
}
