import { chainKindOf } from '../kinds/chainKinds.ts'
import type { ChainSetup } from '../kinds/chainSetup.ts'
import { dayS, firstDayKept } from '../store/retention.ts'
import type { AuditChainOptions } from './auditChain.ts'

/** Input of a chain's audit that comes from the config. Plain data: it is posted to a worker. */
export type AuditInput = Pick<AuditChainOptions, 'setup' | 'liquidityFromS' | 'place'>

export function auditInputOf(
  retention: { liquidity_days: number; swaps_days: number },
  setup: ChainSetup,
  ratePercent: number,
): AuditInput {
  const { liquidity_days: liquidityDays, swaps_days: swapsDays } = retention
  // Expired days are dropped with a delay, so the oldest day may be partly gone: skip it.
  const firstDay = firstDayKept(Date.now() / 1_000, liquidityDays) + 1
  return {
    setup: chainKindOf(setup).backfill.throttledSetupOf(setup, ratePercent),
    liquidityFromS: liquidityDays >= swapsDays ? null : firstDay * dayS,
    place: Math.random(),
  }
}
