import { configuredSetups } from '../../app/chain/configuredChains.ts'
import { evmKind } from '../../kinds/evm/evmKind.ts'
import type { EvmChainSetup } from '../../kinds/evm/evmSetup.ts'
import { solanaKind } from '../../kinds/solana/solanaKind.ts'
import type { SolanaChainSetup } from '../../kinds/solana/solanaSetup.ts'
import { checkEvmNodes } from './evm/checkEvmNodes.ts'
import { type DoctorCheck, type DoctorFinding, findingsOf } from './finding.ts'
import { checkSolanaNodes } from './solana/checkSolanaNodes.ts'

/** Checks the nodes of every configured chain with the checks of the chain's kind. */
export const checkNodes: DoctorCheck = async (options) => {
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
