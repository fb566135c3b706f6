import type { RiskReport } from './riskReport.ts'

// Texts of another form are passed over: what they said is found again.
const form = 1

/** A report as it is stored. */
export function reportText(report: RiskReport): string {
  return JSON.stringify({ form, report }, (_, value) =>
    typeof value === 'bigint' ? { integer: value.toString() } : value,
  )
}

/** Null: it is of a form that this version does not know. */
export function reportOf(text: string): RiskReport | null {
  const stored = JSON.parse(text, (_, value) =>
    typeof value?.integer === 'string' ? BigInt(value.integer) : value,
  ) as { form?: number; report: RiskReport }
  return stored.form === form ? stored.report : null
}
