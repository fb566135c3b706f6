import { createEvmBlockSource } from '../chain/evm/blockSource.ts'
import { createEvmRpc, type EvmRpc } from '../chain/evm/evmRpc.ts'
import { createMulticall } from '../chain/evm/multicall.ts'
import { createAddressTexts } from '../decode/evm/addressTexts.ts'
import { createCurveIds } from '../decode/evm/curveIds.ts'
import { createDecodeCounts, decodeEvmBlock, evmTopics0 } from '../decode/evm/decodeEvmBlock.ts'
import type { Logger } from '../lib/logger.ts'
import type { BlockRef } from '../model/block.ts'
import type { EvmBlock } from '../model/evmBlock.ts'
import { createEvmReader } from '../resolve/evmReader.ts'
import { type ChainSetup, hedgeShare } from './chainSetup.ts'
import type { Intake } from './intake.ts'

export type EvmIntakeOptions = {
  setup: ChainSetup
  /** Newest canonical blocks, oldest first. */
  known: readonly BlockRef[]
  finalizedNumber: number
  logger: Logger
  signal: AbortSignal
}

/** An EVM chain behind its nodes: blocks, how they are decoded, and what can be asked of it. */
export async function openEvmIntake(options: EvmIntakeOptions): Promise<Intake<EvmBlock>> {
  const { setup, known, finalizedNumber, logger, signal } = options
  const { profile, limits } = setup
  const rpc = createEvmRpc({
    endpoints: setup.endpoints,
    timeoutMs: limits.rpcMsMax,
    hedgeAfterMs: Math.ceil(limits.rpcMsMax / hedgeShare),
    batchSizeMax: limits.rpcBatchRequestsMax,
    logger,
  })
  const source = createEvmBlockSource({
    chain: profile.name,
    rpc,
    startBlock: await startBlockOf(setup, known, rpc, signal),
    known,
    finalizedNumber,
    reorgDepthMax: profile.reorgDepthMax,
    finality: setup.finality,
    pollMs: setup.pollMs,
    backfill: {
      rangeBlocks: limits.logRangeBlocksMax,
      parallelRanges: limits.backfillRangesMax,
    },
    topics0: evmTopics0,
    ...setup.blocks,
    clock: { nowMs: Date.now },
    logger,
    signal,
  })
  const multicall = createMulticall({ rpc, address: setup.multicall3 })
  const counts = createDecodeCounts()
  const curveIds = createCurveIds()
  const addresses = createAddressTexts()
  const wrappedTokens = new Set([profile.native.wrappedToken])
  return {
    events: () => source.events(),
    progress: () => source.progress(),
    refOf: (block) => block.ref,
    decode: (block) => decodeEvmBlock(block, { counts, curveIds, addresses, wrappedTokens }),
    dropped: () => ({ strangeLogs: counts.strange, unknownSenders: counts.unknownSenders }),
    reader: createEvmReader({ profile, rpc, multicall, multicallAddress: setup.multicall3 }),
    close: () => rpc.close(),
  }
}

async function startBlockOf(
  { startBlock }: ChainSetup,
  known: readonly BlockRef[],
  rpc: EvmRpc,
  signal: AbortSignal,
): Promise<number> {
  if (startBlock !== 'latest') return startBlock
  const last = known.at(-1)
  if (last !== undefined) return last.number
  return Number(await rpc.request('eth_blockNumber', [], { signal }))
}
