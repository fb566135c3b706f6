import type { Config } from '../../config/schema/schema.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { evmKind } from '../../kinds/evm/evmKind.ts'
import type { EvmChainSetup } from '../../kinds/evm/evmSetup.ts'
import { solanaKind } from '../../kinds/solana/solanaKind.ts'
import type { SolanaChainSetup } from '../../kinds/solana/solanaSetup.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { pipelineLimitsOf } from '../pipeline/pipelineLimits.ts'
import type { LocalProgram, ReadyDevnet } from './devnetProcess.ts'
import { devnetFolder } from './savedDevnet.ts'

// Hardhat calls its newest block finalized, so the local chain counts: deep enough for reorgs made by hand.
const devnetFinalityBlocks = 32
const devnetPollMs = 250
// A slot takes a second there.
const localsolParallelBlocks = 4

/** A local chain: its process, and what the program makes of it. */
export type LocalKind = LocalProgram & {
  /** Of its chain. */
  kind: string
  startBlock: number
  /** In the data directory. */
  folder: string
  portOf(config: Config): number
  setupOf(devnet: ReadyDevnet, config: Config): ChainSetup
}

/** The EVM chain. */
export const localEvm: LocalKind = {
  name: 'local',
  kind: evmKind.name,
  startBlock: 0,
  folder: devnetFolder,
  program: 'main.js',
  nodeOptions: process.execArgv,
  portOf: ({ devnet }) => devnet.port,
  setupOf: setupOfDevnet,
}

/** The generator of Solana blocks. */
export const localSolana: LocalKind = {
  name: 'localsol',
  kind: solanaKind.name,
  startBlock: 1,
  folder: `${devnetFolder}/solana`,
  // It makes little garbage and should be small.
  program: 'solana/main.js',
  nodeOptions: ['--max-semi-space-size=2'],
  portOf: () => 0,
  setupOf: setupOfLocalsol,
}

/** Those that run: none where chains are configured. */
export function localKindsOf({ chains, devnet }: Config): readonly LocalKind[] {
  if (Object.keys(chains).length > 0) return []
  return devnet.solana ? [localEvm, localSolana] : [localEvm]
}

/** What is the same in the setup of both. */
function sharedSetupOf(devnet: ReadyDevnet, profile: ChainProfile, config: Config) {
  return {
    profile: { ...profile, isDemo: true },
    // A chain that has started again is another chain: its blocks have nothing to do with the old ones.
    storeName: `${profile.name}@${devnet.genesisHash.replace(/^0x/, '').slice(0, 12)}`,
    endpoints: [{ httpUrl: devnet.rpcUrl, wsUrl: devnet.wsUrl }],
    finality: { type: 'depth', blocks: devnetFinalityBlocks } as const,
    pollMs: devnetPollMs,
    limits: pipelineLimitsOf(config),
  }
}

/** What the thread of the local chain is opened with. */
export function setupOfDevnet(devnet: ReadyDevnet, config: Config): EvmChainSetup {
  const { multicall3, ...profile } = devnet.profile as ChainProfile & { multicall3: string }
  return {
    ...sharedSetupOf(devnet, profile, config),
    kind: 'evm',
    chainId: undefined,
    startBlock: localEvm.startBlock,
    multicall3,
    // Its time may run ahead: blocks can be mined faster than one a second, and by hand at any time.
    blocks: { headerAheadSMax: 0 },
  }
}

function setupOfLocalsol(devnet: ReadyDevnet, config: Config): SolanaChainSetup {
  const { sharedOwners, ...profile } = devnet.profile as ChainProfile & { sharedOwners: string[] }
  return {
    ...sharedSetupOf(devnet, profile, config),
    kind: 'solana',
    genesisHash: devnet.genesisHash,
    startBlock: localSolana.startBlock,
    commitment: 'confirmed',
    parallelBlocksMax: localsolParallelBlocks,
    sharedOwners,
    // It is read from its first block on.
    readsHolders: false,
    streams: [],
    gateways: {},
  }
}
