import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { EvmChainSetup } from '../../kinds/evm/evmSetup.ts'
import type { StoredChain, VerifyChain } from '../../verify/verifiedStore.ts'
import { verifyStored } from '../../verify/verifyStored.ts'
import type { SavedDevnet } from '../devnet/savedDevnet.ts'

/** The check of an EVM chain: one that is configured, or a local one as it was when the service last ran. Null: it cannot be made. */
export function evmCheckOf(
  described: ChainSetup | SavedDevnet,
  stored: StoredChain,
): VerifyChain | null {
  const { multicall3 } = described as EvmChainSetup | SavedDevnet
  if (multicall3 === undefined) return null
  return (connection) => verifyStored({ ...stored, multicall3, connection })
}
