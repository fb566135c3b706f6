import { decodeEvmBlock } from '../../packages/server/src/decode/evm/decodeEvmBlock.ts'
import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { EvmBlock } from '../../packages/server/src/model/evm/evmBlock.ts'
import type { BalanceChange } from '../../packages/server/src/model/finishedBlock.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { createPoolIds } from '../../packages/server/src/venues/evm/decoding/poolIds.ts'
import type { ReadKlines } from '../oracle/compareKlines.ts'
import type { CompareMarketOptions } from '../oracle/compareMarket.ts'
import { bucketStartS, intervalsS } from '../oracle/klines.ts'
import type { DevNode } from './devNode.ts'
import { createMemoryHistory, type MemoryHistory } from './memoryHistory.ts'
import { createServiceStages } from './serviceStages.ts'

type InProcessReads = Pick<CompareMarketOptions, 'reads' | 'klines' | 'holders' | 'trades'> & {
  tokenKlines: ReadKlines
}

/** The service's stages in this process, with memory instead of the store. */
export type InProcessIndex = InProcessReads & {
  /** Resolves when the block with this hash is the head. */
  reach(hash: string): Promise<void>
  stop(): Promise<void>
}

export function indexInProcess({ rpcUrl, profile }: DevNode, startBlock = 0): InProcessIndex {
  const abort = new AbortController()
  const { multicall3 } = profile
  const { signal } = abort
  const stages = createServiceStages({ rpcUrl, profile, multicall3, startBlock, signal })
  const { source, resolver, ledger, engine } = stages
  const history = createMemoryHistory()
  const poolIds = createPoolIds()
  const wrappedTokens = new Set([profile.native.wrappedToken])
  const changes = new Map<string, readonly BalanceChange[]>()
  const waits: { hash: string; resolve(): void; reject(reason: unknown): void }[] = []
  const apply = (entry: LogEntry, ref: BlockRef) => history.keep(engine.apply(entry), ref)

  async function commit(block: EvmBlock, receivedMs: number): Promise<void> {
    const decoded = decodeEvmBlock(block, { poolIds, wrappedTokens })
    const { isLive } = source.progress()
    const result = await ledger.apply(await resolver.resolve(decoded, { receivedMs, isLive }))
    changes.set(block.ref.hash, result.changes)
    history.applyBalances(result.changes, 'after')
    apply({ type: 'commit', block: result.block }, block.ref)
    for (const facts of resolver.takeLateFacts()) apply({ type: 'late', facts }, block.ref)
  }

  function revert(ref: BlockRef): void {
    resolver.revert(ref)
    ledger.revert(ref)
    history.revert(ref, changes.get(ref.hash)!)
    apply({ type: 'revert', ref }, ref)
  }

  async function run(): Promise<void> {
    for await (const event of source.events()) {
      if (event.type === 'commit') await commit(event.block, event.receivedMs)
      else if (event.type === 'revert') revert(event.ref)
      else engine.apply(event)
      for (const wait of waits) if (engine.head()?.hash === wait.hash) wait.resolve()
    }
  }

  const running = run().catch((error: unknown) => {
    for (const wait of waits) wait.reject(error)
    throw error
  })
  running.catch(() => {})
  return {
    ...readsOf(engine, history),
    reach(hash) {
      if (engine.head()?.hash === hash) return Promise.resolve()
      const reached = new Promise<void>((resolve, reject) => waits.push({ hash, resolve, reject }))
      // If indexing has failed already, only this promise would reject.
      return Promise.race([reached, running])
    },
    async stop() {
      abort.abort()
      await running.catch(() => {})
      resolver.close()
      stages.rpc.close()
    },
  }
}

function readsOf(reads: MarketReads, history: MemoryHistory): InProcessReads {
  const allKlines = (id: number, interval: number) => {
    const open = reads.openKline(id, interval)
    const closed = history.klinesOf(id, interval)
    return open ? [...closed, open] : closed
  }
  return {
    reads,
    klines(pairAddress, interval) {
      const pairId = reads.findPair(pairAddress)
      return pairId === undefined ? [] : allKlines(pairId, interval)
    },
    tokenKlines(tokenAddress, interval) {
      const tokenId = reads.findToken(tokenAddress)
      const parts = tokenId === undefined ? [] : (reads.tokenSeries(tokenId)?.parts ?? [])
      const startOf = (timeS: number) => bucketStartS(timeS, intervalsS[interval]!)
      return parts.flatMap(({ id, fromS }, at) => {
        const next = parts[at + 1]
        return allKlines(id, interval).filter(
          ({ startS }) => startS >= startOf(fromS) && (!next || startS < startOf(next.fromS)),
        )
      })
    },
    holders(tokenAddress) {
      const tokenId = reads.findToken(tokenAddress)
      return tokenId === undefined ? new Map() : history.holdersOf(tokenId)
    },
    trades(pairAddress) {
      const pairId = reads.findPair(pairAddress)
      return pairId === undefined ? [] : history.tradesOf(pairId)
    },
  }
}
