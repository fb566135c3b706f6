import { unencryptedSettingsOf } from '../../config/check/unencrypted.ts'
import { checkDatabase } from './checkDatabase.ts'
import { checkMachine } from './checkMachine.ts'
import { checkNats } from './checkNats.ts'
import { checkNodes } from './checkNodes.ts'
import {
  type DoctorCheck,
  type DoctorCheckOptions,
  type DoctorFinding,
  findingsOf,
} from './finding.ts'

const checkClearText: DoctorCheck = async ({ config }) =>
  unencryptedSettingsOf(config).map(({ path, host, remedy }) => {
    const text = `Passwords and data go to ${host} unencrypted.`
    return findingsOf(path).warn('encryption', text, `To encrypt: ${remedy}.`)
  })

// Every external dependency of a service needs a check in this list.
const checks: readonly DoctorCheck[] = [
  checkMachine,
  checkClearText,
  checkDatabase,
  checkNats,
  checkNodes,
]

/** Checks everything that a service with this config needs. Changes nothing. */
export async function runDoctor(options: DoctorCheckOptions): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  for (const check of checks) findings.push(...(await check(options)))
  return findings
}
