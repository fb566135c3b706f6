import {
  createPipeline,
  type PipelineProgress,
} from '../../packages/server/src/app/pipeline/chainPipeline.ts'
import { createEngine } from '../../packages/server/src/engine/engine.ts'
import { openEvmIntake } from '../../packages/server/src/kinds/evm/evmIntake.ts'
import type { EvmChainSetup } from '../../packages/server/src/kinds/evm/evmSetup.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { decodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import type { DevNode } from './devNode.ts'
import { emptyPipelineStart } from './emptyPipelineStart.ts'
import { profileOf } from './storedMarket.ts'

export type MarketIndexerOptions = {
  node: DevNode
  /** Node URLs, most preferred first. */
  urls: readonly string[]
  startBlock: number
}

export type IndexedMarket = {
  /** Hash of the engine's state without supplies and holders. */
  stateHash: string
  pairs: number
  tokens: number
  swaps: number
  progress: PipelineProgress
}

const limits = {
  resolveMsMax: 60_000,
  rpcMsMax: 60_000,
  rpcBatchRequestsMax: 50,
  ignoreMs: 600_000,
  creationSearchesMax: 0,
  shareReadsMax: 0,
  logRangeBlocksMax: 2_000,
  backfillRangesMax: 2,
  entriesAheadMax: 256,
}

/** Indexes a chain up to its head without a store: it starts empty and stops at the head. */
export async function indexMarket(options: MarketIndexerOptions): Promise<IndexedMarket> {
  const { node, urls, startBlock } = options
  const profile = profileOf(node.profile)
  const setup: EvmChainSetup = {
    kind: 'evm',
    profile,
    storeName: profile.name,
    startBlock,
    limits,
    chainId: undefined,
    blocks: {},
    pollMs: 20,
    finality: { type: 'depth', blocks: 16 },
    multicall3: node.profile.multicall3,
    endpoints: urls.map((httpUrl) => ({ httpUrl })),
  }
  const logger = createLogger('silent')
  const stopping = new AbortController()
  const { signal } = stopping
  const begin = { setup, known: [], firstNumber: null, finalizedNumber: -1 }
  const intake = await openEvmIntake({ ...begin, logger, signal })
  const engine = createEngine({ profile })
  const { number: head } = await node.readHead()
  let swaps = 0
  const pipeline = createPipeline({
    start: emptyPipelineStart(setup),
    intake,
    store: {
      findPairs: async () => [],
      findCouples: async () => [],
      listPairs: async () => [],
      findTokens: async () => [],
      loadBalances: async (keys) => keys.map(() => 0n),
      loadSupplies: async () => [],
    },
    sendEntry(handed) {
      const entry = decodeEntry(handed.bytes)
      // Skipped: which blocks are final at a time depends on the machine's speed.
      if (entry.type === 'finalize') return
      if (entry.type !== 'commit') return void engine.apply(entry)
      // Supplies are removed: holders are counted in the background and reported with any later
      // block.
      engine.apply({ ...entry, block: { ...entry.block, supplies: [] } })
      swaps += entry.block.events.filter(({ type }) => type === 'swap').length
      if (entry.block.ref.number === head) stopping.abort()
    },
    logger,
    signal,
  })
  await pipeline.run()
  const progress = pipeline.progress()
  intake.close()
  const counts = { pairs: engine.pairCount(), tokens: engine.tokenCount(), swaps }
  return { stateHash: engine.stateHash(), ...counts, progress }
}
