import type { Config } from '../../config/schema/schema.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { evmKind } from '../../kinds/evm/evmKind.ts'
import type { EvmChainSetup } from '../../kinds/evm/evmSetup.ts'
import { solanaKind } from '../../kinds/solana/solanaKind.ts'
import type { SolanaChainSetup } from '../../kinds/solana/solanaSetup.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { pipelineLimitsOf } from '../chain/configuredChains.ts'
import type { DevnetOptions, LocalProgram, ReadyDevnet } from './devnetProcess.ts'
import { devnetFolder } from './savedDevnet.ts'

// Finality depth of the local chain. Hardhat reports its newest block as finalized, so its tag is
// useless; this depth allows manual reorgs.
const devnetFinalityBlocks = 32
const devnetPollMs = 250
// A slot of the local Solana chain takes a second, so few parallel requests suffice.
const localsolParallelBlocks = 4

/** A local chain: its program, and the chain setup for what the program runs. */
export type LocalChainKind = LocalProgram & {
  /** Chain kind, such as `evm`. */
  kind: string
  startBlock: number
  /** Folder in the data directory. */
  folder: string
  portOf(config: Config): number
  setupOf(devnet: ReadyDevnet, config: Config): ChainSetup
}

/** The local EVM chain. */
export const localEvmKind: LocalChainKind = {
  name: 'local',
  kind: evmKind.name,
  startBlock: 0,
  folder: devnetFolder,
  program: 'main.js',
  nodeOptions: process.execArgv,
  portOf: ({ devnet }) => devnet.port,
  setupOf: localEvmSetup,
}

/** The local Solana chain, which generates its blocks. */
export const localSolanaKind: LocalChainKind = {
  name: 'localsol',
  kind: solanaKind.name,
  startBlock: 1,
  folder: `${devnetFolder}/solana`,
  // Small semi-spaces save memory: the generator creates little garbage.
  program: 'solana/main.js',
  nodeOptions: ['--max-semi-space-size=2'],
  portOf: () => 0,
  setupOf: localSolanaSetup,
}

/** Returns the local chains of a demo. */
export function demoChainKinds({ devnet }: Config): readonly LocalChainKind[] {
  return devnet.solana ? [localEvmKind, localSolanaKind] : [localEvmKind]
}

/** Returns the local chains that a service runs; none if the config has chains. */
export function localChainKinds(config: Config): readonly LocalChainKind[] {
  return Object.keys(config.chains).length > 0 ? [] : demoChainKinds(config)
}

/** Returns the process options of a local chain. */
export function devnetProcessOptions(
  chain: LocalChainKind,
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

/** Returns the `chains` entry for the config of a service that runs next to the local chain. */
export function devnetChainConfig(
  { kind, startBlock }: LocalChainKind,
  devnet: DevnetAddress,
): object {
  const { multicall3, sharedOwners, ...profile } = devnet.profile as DevnetProfile
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

/** Where a local chain listens, and what it deployed. */
export type DevnetAddress = Pick<ReadyDevnet, 'rpcUrl' | 'wsUrl' | 'profile' | 'genesisHash'>

/** Profile plus the fields that only one chain kind reports. */
type DevnetProfile = ChainProfile & { multicall3?: string; sharedOwners?: readonly string[] }

/** Setup fields that both local chains share. */
function sharedSetupOf(devnet: ReadyDevnet, profile: ChainProfile, config: Config) {
  return {
    profile: { ...profile, isDemo: true },
    // The genesis hash is part of the name, since a restarted chain has entirely different blocks.
    storeName: `${profile.name}@${devnet.genesisHash.replace(/^0x/, '').slice(0, 12)}`,
    endpoints: [{ httpUrl: devnet.rpcUrl, wsUrl: devnet.wsUrl }],
    finality: { type: 'depth', blocks: devnetFinalityBlocks } as const,
    pollMs: devnetPollMs,
    limits: pipelineLimitsOf(config),
  }
}

/** Returns the setup of the local EVM chain. */
export function localEvmSetup(devnet: ReadyDevnet, config: Config): EvmChainSetup {
  const { multicall3, ...profile } = devnet.profile as ChainProfile & { multicall3: string }
  return {
    ...sharedSetupOf(devnet, profile, config),
    kind: 'evm',
    chainId: undefined,
    startBlock: localEvmKind.startBlock,
    multicall3,
    // Block times may run ahead of the clock: blocks can be mined faster than one per second, and
    // manually at any time.
    blocks: { headerAheadSMax: 0 },
  }
}

function localSolanaSetup(devnet: ReadyDevnet, config: Config): SolanaChainSetup {
  const { sharedOwners, ...profile } = devnet.profile as ChainProfile & { sharedOwners: string[] }
  return {
    ...sharedSetupOf(devnet, profile, config),
    kind: 'solana',
    genesisHash: devnet.genesisHash,
    startBlock: localSolanaKind.startBlock,
    commitment: 'confirmed',
    parallelBlocksMax: localsolParallelBlocks,
    sharedOwners,
    // The chain is indexed from its first block, so transfers already give all holders.
    readsHolders: false,
    streams: [],
    gateways: {},
  }
}
