import type { Config } from '../config/schema.ts'
import { type RiskLimits, riskLimitsDefault } from '../risk/riskLimits.ts'

/** What depends on nodes and machine comes from the config; the rest follows from how contracts are. */
export function riskLimitsOf({ limits }: Pick<Config, 'limits'>): RiskLimits {
  return {
    ...riskLimitsDefault,
    reportsMax: limits.risk_reports_max,
    reportBlocksMax: limits.risk_report_blocks_max,
    reportAgeSMax: limits.risk_report_age_s_max,
    checksMax: limits.risk_checks_max,
    waitingMax: limits.risk_checks_waiting_max,
    checkMsMax: limits.risk_check_ms_max,
    logBlocksMax: limits.risk_log_blocks_max,
  }
}
