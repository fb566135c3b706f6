import { setTimeout as delay } from 'node:timers/promises'
import { RpcError, WrongNetworkError } from '../../chain/errors.ts'
import { createEvmBlockSource } from '../../chain/evm/blockSource.ts'
import { createEvmRpc, type EvmRpc } from '../../chain/evm/evmRpc.ts'
import { createMulticall } from '../../chain/evm/multicall.ts'
import { createAddressTexts } from '../../decode/evm/addressTexts.ts'
import { createCurveIds } from '../../decode/evm/curveIds.ts'
import { createDecodeCounts, decodeEvmBlock, evmTopics0 } from '../../decode/evm/decodeEvmBlock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { EvmBlock } from '../../model/evm/evmBlock.ts'
import { createEvmReader } from '../../resolve/evm/evmReader.ts'
import type { Intake } from '../intake.ts'
import { type EvmChainSetup, hedgeShare } from './evmSetup.ts'
import { createRpcTally } from './rpcTally.ts'

export type EvmIntakeOptions = {
  setup: EvmChainSetup
  /** Newest canonical blocks, oldest first. */
  known: readonly BlockRef[]
  /** The first block that is stored. */
  firstNumber: number | null
  finalizedNumber: number
  logger: Logger
  signal: AbortSignal
}

/** An EVM chain behind its nodes: blocks, how they are decoded, and what can be asked of it. */
export async function openEvmIntake(options: EvmIntakeOptions): Promise<Intake<EvmBlock>> {
  const { setup, known, finalizedNumber, logger, signal } = options
  const { profile, limits } = setup
  const tally = createRpcTally()
  const rpc = createEvmRpc({
    endpoints: setup.endpoints,
    chainId: setup.chainId,
    timeoutMs: limits.rpcMsMax,
    hedgeAfterMs: Math.ceil(limits.rpcMsMax / hedgeShare),
    batchSizeMax: limits.rpcBatchRequestsMax,
    logger,
    onMetric: tally.onMetric,
  })
  const wrongNetwork = await rpc.wrongNetwork()
  if (wrongNetwork !== null) {
    rpc.close()
    throw new WrongNetworkError({ chain: profile.name, cause: wrongNetwork })
  }
  const source = createEvmBlockSource({
    chain: profile.name,
    rpc,
    startBlock: await startBlockOf(options, rpc),
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
    chainId: setup.chainId,
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
    confirm: (block) => source.confirm(block),
    decode: (block) => decodeEvmBlock(block, { counts, curveIds, addresses, wrappedTokens }),
    dropped: () => ({ strangeLogs: counts.strange, unknownSenders: counts.unknownSenders }),
    endpoints: () => tally.read(rpc),
    reader: createEvmReader({ profile, rpc, multicall, multicallAddress: setup.multicall3 }),
    close: () => rpc.close(),
  }
}

// Between two questions for the first block, while no node answers.
const startRetryMs = 1_000

/** Where history begins: a chain that is stored has begun already, whatever the setup says by now. */
async function startBlockOf(
  { setup: { startBlock }, known, firstNumber, logger, signal }: EvmIntakeOptions,
  rpc: EvmRpc,
): Promise<number> {
  const isStored = known.length > 0 && firstNumber !== null
  if (isStored) return startBlock === 'latest' ? firstNumber : Math.min(startBlock, firstNumber)
  if (startBlock !== 'latest') return startBlock
  for (;;) {
    try {
      return Number(await rpc.request('eth_blockNumber', [], { signal }))
    } catch (error) {
      if (signal.aborted || !(error instanceof RpcError)) throw error
      logger.warn({ msg: 'Waiting for a node', error: error.message, delayMs: startRetryMs })
    }
    await delay(startRetryMs, undefined, { signal }).catch(() => undefined)
  }
}
