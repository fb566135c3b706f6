import type { Config } from '../../config/schema.ts'
import { evmKind } from '../../kinds/evm/evmKind.ts'
import type { EvmChainSetup } from '../../kinds/evm/evmSetup.ts'
import { pipelineLimitsOf } from '../pipeline/pipelineLimits.ts'
import type { ReadyDevnet } from './devnetProcess.ts'

// Hardhat calls its newest block finalized, so the local chain counts: deep enough for reorgs made by hand.
const devnetFinalityBlocks = 32
const devnetPollMs = 250
export const devnetStartBlock = 0
/** The kind of the local chain. */
export const devnetKind = evmKind

/** What the thread of the local chain is opened with. */
export function setupOfDevnet(devnet: ReadyDevnet, config: Config): EvmChainSetup {
  return {
    kind: 'evm',
    profile: { ...devnet.profile, isDemo: true },
    // A chain that has started again is another chain: its blocks have nothing to do with the old ones.
    storeName: `${devnet.profile.name}@${devnet.genesisHash.slice(2, 14)}`,
    endpoints: [{ httpUrl: devnet.rpcUrl, wsUrl: devnet.wsUrl }],
    chainId: undefined,
    startBlock: devnetStartBlock,
    finality: { type: 'depth', blocks: devnetFinalityBlocks },
    pollMs: devnetPollMs,
    multicall3: devnet.multicall3,
    // Its time may run ahead: blocks can be mined faster than one a second, and by hand at any time.
    blocks: { headerAheadSMax: 0 },
    limits: pipelineLimitsOf(config),
  }
}
