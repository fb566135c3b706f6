import { evmIds } from '@chaintape/protocol'
import type { EvmBlockSourceOptions } from '../../chain/evm/sourceState.ts'
import type { RpcEndpointOptions } from '../../chain/rpc/rpcCall.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { ChainSetup, PipelineLimits } from '../chainSetup.ts'
import {
  type CommonProfile,
  canonicalOf,
  commonProfileOf,
  finalityOf,
  plausibilityOf,
} from '../commonProfile.ts'
import { endpointOf } from '../rpcFields.ts'
import type { EvmChainConfig } from './evmChainSchema.ts'

/** A chain behind JSON-RPC nodes of the EVM family. */
export type EvmChainSetup = ChainSetup & {
  kind: 'evm'
  endpoints: readonly RpcEndpointOptions[]
  /** What every endpoint must answer to eth_chainId; undefined: whatever it does. */
  chainId: number | undefined
  pollMs: number
  multicall3: string
  /** How blocks are read, where it differs from the usual. */
  blocks: BlockReading
}

type BlockReading = Pick<
  EvmBlockSourceOptions,
  'prefersReceipts' | 'isComplete' | 'sampleEveryBlocks' | 'isSparse' | 'checks' | 'headerAheadSMax'
>

/** Default for a chain without a configured block time: few chains are faster. */
const fastBlockMs = 200

/** What Uniswap V4 and others name where a pool trades the coin itself. */
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
    endpoints: chain.rpc.map(endpointOf),
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
    quotes: withCoin(common),
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

/** The coin follows the token that wraps it, which more pools trade; without one it comes first. */
function withCoin({ quotes, native }: CommonProfile): string[] {
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

/** All of each block, by its receipts where a node gives them: these must make up what its header says. */
export function strictly(setup: EvmChainSetup, rangeBlocks: number): EvmChainSetup {
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
