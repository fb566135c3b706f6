import type { Config } from '../../config/schema/schema.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { evmKind } from '../../kinds/evm/evmKind.ts'
import type { EvmChainSetup } from '../../kinds/evm/evmSetup.ts'
import { solanaKind } from '../../kinds/solana/solanaKind.ts'
import type { SolanaChainSetup } from '../../kinds/solana/solanaSetup.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { pipelineLimitsOf } from '../pipeline/pipelineLimits.ts'
import type { DevnetOptions, LocalProgram, ReadyDevnet } from './devnetProcess.ts'
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

/** The local chains of a demo. */
export function demoKindsOf({ devnet }: Config): readonly LocalKind[] {
  return devnet.solana ? [localEvm, localSolana] : [localEvm]
}

/** The local chains that a service runs: none where chains are configured. */
export function localKindsOf(config: Config): readonly LocalKind[] {
  return Object.keys(config.chains).length > 0 ? [] : demoKindsOf(config)
}

/** The options of a local chain's process. */
export function processOptionsOf(
  chain: LocalKind,
  config: Config,
  port = chain.portOf(config),
): Omit<DevnetOptions, 'logger' | 'onEnd'> {
  const {
    host,
    seed,
    history_s: historyS,
    block_ms: blockMs,
    blocks_max: blocksMax,
  } = config.devnet
  return { chain, host, port, seed, historyS, blockMs, blocksMax }
}

/** The entry in `chains` of a service that runs beside the chain. */
export function chainConfigOf({ kind, startBlock }: LocalKind, devnet: DevnetAddress): object {
  const { multicall3, sharedOwners, ...profile } = devnet.profile as ToldProfile
  const { symbol, decimals, wrappedToken } = profile.native
  const shared = {
    kind,
    rpc: [{ http_url: devnet.rpcUrl, ws_url: devnet.wsUrl, requests_per_second_max: 10_000 }],
    start_block: startBlock,
    finality: devnetFinalityBlocks,
    poll_ms: devnetPollMs,
    reorg_depth_max: profile.reorgDepthMax,
    header_ahead_s_max: 0,
    native: { symbol, decimals, wrapped_token: wrappedToken },
    stables: profile.stables,
    quotes: profile.quotes,
    launch_platforms: profile.launchPlatforms,
    burn_addresses: profile.burnAddresses,
    lockers: profile.lockers,
    native_pool_usd_min: profile.nativePoolUsdMin,
  }
  if (kind === evmKind.name) {
    const factories = profile.venues.map(({ feePpm: fee_ppm, ...venue }) => ({ ...venue, fee_ppm }))
    return { ...shared, multicall3, factories }
  }
  return {
    ...shared,
    genesis_hash: devnet.genesisHash,
    programs: profile.venues,
    shared_owners: sharedOwners,
    holders_from_nodes: false,
  }
}

/** Where a local chain is, and what it is made of. */
export type DevnetAddress = Pick<ReadyDevnet, 'rpcUrl' | 'wsUrl' | 'profile' | 'genesisHash'>

/** Each kind says its own beside the profile. */
type ToldProfile = ChainProfile & { multicall3?: string; sharedOwners?: readonly string[] }

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
