import { configuredSetups } from '../../app/chain/configuredChains.ts'
import { unencryptedSettingsOf } from '../../config/check/likelyMistakes.ts'
import { evmKind } from '../../kinds/evm/evmKind.ts'
import type { EvmChainSetup } from '../../kinds/evm/evmSetup.ts'
import { solanaKind } from '../../kinds/solana/solanaKind.ts'
import type { SolanaChainSetup } from '../../kinds/solana/solanaSetup.ts'
import { checkDatabase } from './checkDatabase.ts'
import { checkMachine } from './checkMachine.ts'
import { checkNats } from './checkNats.ts'
import { checkEvmNodes } from './evm/checkEvmNodes.ts'
import { checkEvmUrl, type EvmSample } from './evm/checkEvmUrl.ts'
import {
  type CheckUrlOptions,
  type DoctorCheck,
  type DoctorCheckOptions,
  type DoctorFinding,
  findingsOf,
  type UrlReport,
} from './finding.ts'
import { checkSolanaNodes } from './solana/checkSolanaNodes.ts'
import { checkSolanaUrl, type SolanaSample } from './solana/checkSolanaUrl.ts'

const checkClearText: DoctorCheck = async ({ config }) =>
  unencryptedSettingsOf(config).map(({ path, host, remedy }) => {
    const text = `Passwords and data go to ${host} unencrypted.`
    return findingsOf(path).warn('encryption', text, `To encrypt: ${remedy}.`)
  })

/** Checks the nodes of every configured chain with the checks of the chain's kind. */
const checkNodes: DoctorCheck = async (options) => {
  const setups = configuredSetups(options.config)
  if (setups.length === 0)
    return [
      findingsOf('chains').ok(
        'nodes',
        'No chain is configured: the start runs a local demo chain.',
      ),
    ]
  const findings = await Promise.all(
    setups.map((setup): DoctorFinding[] | Promise<DoctorFinding[]> => {
      if (setup.kind === evmKind.name) return checkEvmNodes(setup as EvmChainSetup, options)
      if (setup.kind === solanaKind.name)
        return checkSolanaNodes(setup as SolanaChainSetup, options)
      return [findingsOf(setup.profile.name).ok('nodes', 'Not checked: unknown chain kind.')]
    }),
  )
  return findings.flat()
}

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

export type NodeReport = UrlReport<EvmSample> | UrlReport<SolanaSample>

/** Checks a node as Solana, or as EVM if it does not answer Solana methods. */
export async function checkUrl(options: CheckUrlOptions): Promise<NodeReport> {
  return (await checkSolanaUrl(options)) ?? (await checkEvmUrl(options))
}
