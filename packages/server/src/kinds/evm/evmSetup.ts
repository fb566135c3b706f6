import { evmIds } from '@chaintape/protocol'
import type { EvmBlockSourceOptions } from '../../chain/evm/sourceState.ts'
import type { RpcEndpointOptions } from '../../chain/rpc/rpcCall.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import {
  type ChainSetup,
  type CommonProfile,
  canonicalOf,
  commonProfileOf,
  finalityOf,
  type PipelineLimits,
  plausibilityOf,
} from '../chainSetup.ts'
import { endpointOptionsOf } from '../commonChainFields.ts'
import type { EvmChainConfig } from './evmChainSchema.ts'

/** Options of an EVM chain behind JSON-RPC nodes. */
export type EvmChainSetup = ChainSetup & {
  kind: 'evm'
  endpoints: readonly RpcEndpointOptions[]
  /** Required answer of every endpoint to eth_chainId. Undefined: any. */
  chainId: number | undefined
  pollMs: number
  multicall3: string
  /** Overrides for how blocks are read and verified. */
  blocks: BlockReading
}

type BlockReading = Pick<
  EvmBlockSourceOptions,
  'prefersReceipts' | 'isComplete' | 'sampleEveryBlocks' | 'isSparse' | 'checks' | 'headerAheadSMax'
>

/** Assumed block time of a chain without a configured one. Few chains are faster. */
const fastBlockMs = 200

/** Address under which Uniswap V4 and others name the native coin. */
const nativeCoin = `0x${'0'.repeat(40)}`

export function setupOfEvmChain(
  name: string,
  chain: EvmChainConfig,
  limits: PipelineLimits,
): EvmChainSetup {
  return {
    kind: chain.kind,
    profile: evmProfileOf(name, chain),
    storeName: name,
    endpoints: chain.rpc.map(endpointOptionsOf),
    chainId: chain.chain_id,
    startBlock: chain.start_block,
    finality: finalityOf(chain),
    pollMs: chain.poll_ms,
    multicall3: chain.multicall3,
    blocks: blockReadingOf(chain),
    plausibility: plausibilityOf(chain),
    limits: {
      ...limits,
      logRangeBlocksMax: chain.log_range_blocks_max ?? limits.logRangeBlocksMax,
    },
  }
}

function evmProfileOf(name: string, chain: EvmChainConfig): ChainProfile {
  const canonical = (address: string) => canonicalOf(evmIds, address)
  const common = commonProfileOf(name, chain, {
    ids: evmIds,
    coin: nativeCoin,
    blockMs: chain.block_ms ?? fastBlockMs,
  })
  return {
    ...common,
    quotes: withNativeCoin(common),
    networkId: chain.chain_id?.toString(),
    venues: chain.factories.map(({ address, venue, amm, fee_ppm }) => ({
      address: canonical(address),
      venue,
      amm,
      feePpm: fee_ppm,
    })),
    burnAddresses: chain.burn_addresses.map(canonical),
  }
}

/**
 * Inserts the native coin into the quote tokens: after its wrapped token, which more pools trade,
 * or first without one.
 */
function withNativeCoin({ quotes, native }: CommonProfile): string[] {
  const others = quotes.filter((address) => address !== nativeCoin)
  const at = others.indexOf(native.wrappedToken) + 1
  return [...others.slice(0, at), nativeCoin, ...others.slice(at)]
}

function blockReadingOf({ logs, log_sample_blocks, ...chain }: EvmChainConfig): BlockReading {
  const { bloom, transactions, log_indexes, header_hash, receipts_root } = chain.node_checks
  return {
    prefersReceipts: logs === 'receipts',
    isComplete: { block: true, range: logs === 'full_ranges' },
    sampleEveryBlocks: log_sample_blocks,
    isSparse: chain.history_headers === 'sparse',
    checks: {
      bloom,
      transactions,
      logIndexes: log_indexes,
      headerHash: header_hash,
      receiptsRoot: receipts_root,
    },
    headerAheadSMax: chain.header_ahead_s_max,
  }
}

/**
 * Reads every block completely, by its receipts if a node has them, so that they are verified
 * against the block's header.
 */
export function withFullVerification(setup: EvmChainSetup, rangeBlocks: number): EvmChainSetup {
  const { limits, blocks } = setup
  return {
    ...setup,
    blocks: {
      ...blocks,
      prefersReceipts: true,
      isComplete: { block: true, range: true },
      isSparse: false,
    },
    limits: {
      ...limits,
      logRangeBlocksMax: Math.min(limits.logRangeBlocksMax, rangeBlocks),
      backfillRangesMax: 1,
    },
  }
}
