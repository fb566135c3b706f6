import { createEvmBlockSource } from '../../packages/server/src/chain/evm/blockSource.ts'
import { createEvmRpc } from '../../packages/server/src/chain/evm/evmRpc.ts'
import { createMulticall } from '../../packages/server/src/chain/evm/multicall.ts'
import { createCurveIds } from '../../packages/server/src/decode/evm/curveIds.ts'
import { decodeEvmBlock, evmTopics0 } from '../../packages/server/src/decode/evm/decodeEvmBlock.ts'
import { createEngine, type Engine } from '../../packages/server/src/engine/engine.ts'
import { createLedger, type LedgerResult } from '../../packages/server/src/ledger/ledger.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { EvmBlock } from '../../packages/server/src/model/evmBlock.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { createEvmReader } from '../../packages/server/src/resolve/evmReader.ts'
import { createResolver } from '../../packages/server/src/resolve/resolver.ts'
import type { ReadKlines } from './compareKlines.ts'
import type { ReadHolders } from './compareToken.ts'
import { createMemoryHistory } from './memoryHistory.ts'

export type IndexInProcessOptions = {
  rpcUrl: string
  profile: ChainProfile
  multicall3: string
  /** @default 0 */
  startBlock?: number | undefined
  /** Indexing ends with it, though the chain goes on. @default none */
  lastBlock?: number | undefined
}

/** The service's own stages in one row, with memory in the place of the store. */
export type InProcessIndex = {
  reads: Engine
  klines: ReadKlines
  holders: ReadHolders
  /** Resolves when the block with this hash is the head. */
  reach(hash: string): Promise<void>
  stop(): Promise<void>
}

const finalityBlocks = 32
// What is checked is what a block says in the end, not how soon.
const patienceMs = 60_000

export function indexInProcess(options: IndexInProcessOptions): InProcessIndex {
  const { rpcUrl, profile, multicall3 } = options
  const logger = createLogger('warn')
  const abort = new AbortController()
  const rpc = createEvmRpc({
    endpoints: [{ httpUrl: rpcUrl }],
    timeoutMs: 30_000,
    hedgeAfterMs: 10_000,
    batchSizeMax: 50,
    logger,
  })
  const source = createEvmBlockSource({
    chain: profile.name,
    rpc,
    startBlock: options.startBlock ?? 0,
    known: [],
    reorgDepthMax: profile.reorgDepthMax,
    finality: { type: 'depth', blocks: finalityBlocks },
    pollMs: 50,
    backfill: { rangeBlocks: 500, parallelRanges: 2 },
    topics0: evmTopics0,
    clock: { nowMs: Date.now },
    logger,
    signal: abort.signal,
  })
  const multicall = createMulticall({ rpc, address: multicall3 })
  const resolver = createResolver({
    profile,
    reader: createEvmReader({ profile, rpc, multicall, multicallAddress: multicall3 }),
    records: { findPairs: async () => [], findTokens: async () => [] },
    nextTokenId: 0,
    nextPairId: 0,
    limits: { budgetMs: patienceMs },
    logger,
  })
  const balances = {
    loadBalances: async (keys: readonly unknown[]) => keys.map(() => 0n),
    loadSupplies: async () => [],
  }
  const ledger = createLedger({
    profile,
    balances,
    limits: { budgetMs: patienceMs },
    logger,
  })
  const engine = createEngine({ profile })
  const history = createMemoryHistory()
  const curveIds = createCurveIds()
  const wrappedTokens = new Set([profile.native.wrappedToken])
  const results = new Map<string, LedgerResult>()
  const waits: { hash: string; resolve(): void; reject(reason: unknown): void }[] = []

  const apply = (entry: LogEntry, ref: BlockRef) => history.keep(engine.apply(entry), ref)

  async function commit(block: EvmBlock, receivedMs: number): Promise<void> {
    const decoded = decodeEvmBlock(block, { curveIds, wrappedTokens })
    const { isLive } = source.progress()
    const resolved = await resolver.resolve(decoded, { receivedMs, isLive })
    const result = await ledger.apply(resolved)
    results.set(block.ref.hash, result)
    history.moveBalances(result.changes, 'after')
    apply({ type: 'commit', block: result.block }, block.ref)
    for (const facts of resolver.lateFacts()) apply({ type: 'late', facts }, block.ref)
  }

  function revert(ref: BlockRef): void {
    resolver.revert(ref)
    ledger.revert(ref)
    history.revert(ref, results.get(ref.hash)!.changes)
    apply({ type: 'revert', ref }, ref)
  }

  async function run(): Promise<void> {
    for await (const event of source.events()) {
      if (event.type === 'commit') await commit(event.block, event.receivedMs)
      else if (event.type === 'revert') revert(event.ref)
      else engine.apply(event)
      for (const wait of waits) if (engine.head()?.hash === wait.hash) wait.resolve()
      if (engine.head()?.number === options.lastBlock) return
    }
  }

  const running = run().catch((error: unknown) => {
    for (const wait of waits) wait.reject(error)
    throw error
  })
  running.catch(() => {})
  return {
    reads: engine,
    async klines(pairAddress, interval) {
      const pairId = engine.findPair(pairAddress)
      if (pairId === undefined) return []
      const open = engine.openKline(pairId, interval)
      const closed = history.klinesOf(pairId, interval)
      return open ? [...closed, open] : closed
    },
    async holders(tokenAddress) {
      const tokenId = engine.findToken(tokenAddress)
      return tokenId === undefined ? new Map() : history.holdersOf(tokenId)
    },
    reach(hash) {
      if (engine.head()?.hash === hash) return Promise.resolve()
      const reached = new Promise<void>((resolve, reject) => waits.push({ hash, resolve, reject }))
      // When indexing has failed already, nobody would reject it.
      return Promise.race([reached, running])
    },
    async stop() {
      abort.abort()
      await running.catch(() => {})
      resolver.close()
      rpc.close()
    },
  }
}
