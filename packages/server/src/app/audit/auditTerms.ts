import type { AuditChainOptions } from '../../audit/auditChain.ts'
import type { Config } from '../../config/schema/schema.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { dayS, firstDayKept } from '../../store/retention.ts'

/** What an audit of a chain is told by the config; plain data. */
export type AuditTerms = Pick<AuditChainOptions, 'setup' | 'liquidityFromS' | 'place'>

export function auditTermsOf(
  { retention }: Pick<Config, 'retention'>,
  setup: ChainSetup,
  ratePercent: number,
): AuditTerms {
  const { liquidity_days: liquidityDays, swaps_days: swapsDays } = retention
  // Days are dropped a while after they have expired: the one in doubt is left out.
  const firstDay = firstDayKept(Date.now() / 1_000, liquidityDays) + 1
  return {
    setup: chainKindOf(setup).past.setupOf(setup, ratePercent),
    liquidityFromS: liquidityDays >= swapsDays ? null : firstDay * dayS,
    place: Math.random(),
  }
}
