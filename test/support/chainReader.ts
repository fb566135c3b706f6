import assert from 'node:assert/strict'
import { createEvmBlockSource } from '../../packages/server/src/chain/evm/blockSource.ts'
import { createEvmRpc, type EvmRpcOptions } from '../../packages/server/src/chain/evm/rpc/evmRpc.ts'
import type {
  EvmBlockSourceOptions,
  EvmChainEvent,
} from '../../packages/server/src/chain/evm/sourceState.ts'
import type { RpcMetric } from '../../packages/server/src/chain/rpc/rpcCall.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import type { EvmBlock } from '../../packages/server/src/model/evm/evmBlock.ts'
import { indexedTopics } from './chainNode.ts'

const logger = createLogger('silent')

export type ReaderOptions = {
  endpoints: EvmRpcOptions['endpoints']
  rpc?: Partial<EvmRpcOptions> | undefined
  source?: Partial<EvmBlockSourceOptions> | undefined
}

/**
 * A block source under test with the chain that results from its events. Every event is checked on
 * arrival.
 */
export type ChainReader = {
  events: EvmChainEvent[]
  /** The chain after all events, oldest block first. */
  blocks: EvmBlock[]
  /** The highest block that was final when it was emitted. */
  finalizedNumber(): number
  metrics: RpcMetric[]
  progress: ReturnType<typeof createEvmBlockSource>['progress']
  confirm: ReturnType<typeof createEvmBlockSource>['confirm']
  rpc: ReturnType<typeof createEvmRpc>
  /** Reads on until the condition holds. */
  until(condition: () => boolean): Promise<void>
  close(): Promise<void>
}

export function openReader(options: ReaderOptions): ChainReader {
  const metrics: RpcMetric[] = []
  const rpc = createEvmRpc({
    endpoints: options.endpoints,
    timeoutMs: 10_000,
    hedgeAfterMs: 1_000,
    batchSizeMax: 50,
    retryDelayMs: 5,
    logger,
    onMetric: (metric) => metrics.push(metric),
    ...options.rpc,
  })
  const stop = new AbortController()
  const known = options.source?.known ?? []
  const source = createEvmBlockSource({
    chain: 'local',
    rpc,
    startBlock: 0,
    known: [],
    reorgDepthMax: 32,
    finality: { type: 'depth', blocks: 32 },
    pollMs: 5,
    retryMs: 10,
    backfill: { rangeBlocks: 40, parallelRanges: 3 },
    topics0: indexedTopics,
    clock: { nowMs: () => Date.now() },
    logger,
    signal: stop.signal,
    ...options.source,
  })
  const iterator = source.events()[Symbol.asyncIterator]()
  const events: EvmChainEvent[] = []
  const blocks: EvmBlock[] = known.map((ref) => ({ ref, logs: [], senders: new Map() }))
  let finalized = -1
  let settled = -1

  function apply(event: EvmChainEvent): void {
    events.push(event)
    const tip = blocks.at(-1)
    if (event.type === 'commit') {
      if (tip) assert.equal(event.block.ref.parentHash, tip.ref.hash)
      if (tip) assert.equal(event.block.ref.parentNumber, tip.ref.number)
      if (!options.source?.isSparse && tip) assert.equal(event.block.ref.number, tip.ref.number + 1)
      blocks.push(event.block)
      const { number } = event.block.ref
      if (number <= source.progress().settledNumber) settled = Math.max(settled, number)
    } else if (event.type === 'revert') {
      assert.deepEqual(event.ref, tip?.ref)
      assert(event.ref.number > finalized, 'A final block was reverted')
      assert(event.ref.number > settled, 'A block that came as final was reverted')
      blocks.pop()
    } else {
      const ours = blocks.find(({ ref }) => ref.number === event.ref.number)
      assert.equal(ours?.ref.hash, event.ref.hash)
      assert(event.ref.number > finalized)
      finalized = event.ref.number
    }
  }

  return {
    events,
    blocks,
    finalizedNumber: () => settled,
    metrics,
    progress: source.progress,
    confirm: source.confirm,
    rpc,
    async until(condition) {
      while (!condition()) {
        const { value, done } = await iterator.next()
        assert(!done, 'The source ended')
        apply(value)
      }
    },
    async close() {
      stop.abort()
      await iterator.return?.()
      rpc.close()
    },
  }
}
