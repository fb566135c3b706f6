import type { EvmBlockSourceOptions } from '../../chain/evm/blockSource.ts'
import type { EvmChainConfig } from '../../config/evmChainSchema.ts'
import type { Config } from '../../config/schema.ts'
import { toChainProfile } from '../../config/toChainProfile.ts'
import { type PlausibilityLimits, plausibilityLimitsDefault } from '../../resolve/plausibility.ts'
import type { ReadyDevnet } from '../devnet/devnetProcess.ts'
import { limitsOf, type PipelineSetup } from '../pipeline/pipelineSetup.ts'

/** A chain behind JSON-RPC nodes of the EVM family. */
export type EvmChainSetup = PipelineSetup & {
  kind: 'evm'
  endpoints: readonly {
    httpUrl: string
    wsUrl?: string | undefined
    requestsPerSecondMax?: number | undefined
    rateCounts?: 'calls' | 'requests' | undefined
  }[]
  /** What every endpoint must answer to eth_chainId; undefined: whatever it does. */
  chainId: number | undefined
  pollMs: number
  multicall3: string
  /** How blocks are read, where it differs from the usual. */
  blocks: BlockReading
}

export type BlockReading = Pick<
  EvmBlockSourceOptions,
  'prefersReceipts' | 'isComplete' | 'sampleEveryBlocks' | 'checks' | 'headerAheadSMax'
>

// A second node is asked when the first has used this share of its time: late enough to be rare.
export const hedgeShare = 10

export function setupOfEvmChain(
  name: string,
  chain: EvmChainConfig,
  config: Config,
): EvmChainSetup {
  return {
    kind: chain.kind,
    profile: toChainProfile(name, chain),
    storeName: name,
    endpoints: chain.rpc.map((rpc) => ({
      httpUrl: rpc.http_url,
      wsUrl: rpc.ws_url,
      requestsPerSecondMax: rpc.requests_per_second_max,
      rateCounts: rpc.rate_counts,
    })),
    chainId: chain.chain_id,
    startBlock: chain.start_block,
    finality:
      chain.finality === 'finalized' ? { type: 'tag' } : { type: 'depth', blocks: chain.finality },
    pollMs: chain.poll_ms,
    multicall3: chain.multicall3,
    blocks: blockReadingOf(chain),
    plausibility: plausibilityOf(chain),
    limits: limitsOf(config),
  }
}

function plausibilityOf({ plausibility }: EvmChainConfig): PlausibilityLimits {
  return {
    ...plausibilityLimitsDefault,
    jumpFactorMax: plausibility.jump_factor_max,
    amountBitsMax: plausibility.amount_bits_max,
    disagreementPpmMax: plausibility.disagreement_ppm_max,
  }
}

function blockReadingOf({ logs, log_sample_blocks, ...chain }: EvmChainConfig): BlockReading {
  const { bloom, transactions, log_indexes, header_hash, receipts_root } = chain.node_checks
  return {
    prefersReceipts: logs === 'receipts',
    isComplete: { block: true, range: logs === 'full_ranges' },
    sampleEveryBlocks: log_sample_blocks,
    checks: {
      ...{ bloom, transactions, logIndexes: log_indexes },
      ...{ headerHash: header_hash, receiptsRoot: receipts_root },
    },
    headerAheadSMax: chain.header_ahead_s_max,
  }
}

// Hardhat calls its newest block finalized, so the local chain counts: deep enough for reorgs made by hand.
const devnetFinalityBlocks = 32
const devnetPollMs = 250
export const devnetStartBlock = 0

export function setupOfDevnet(devnet: ReadyDevnet, config: Config): EvmChainSetup {
  return {
    kind: 'evm',
    profile: devnet.profile,
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
    limits: limitsOf(config),
  }
}
