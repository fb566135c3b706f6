import type { PairFactsCache } from './pairFacts.ts'
import { originOf, type RecentBlock, type TradeEvent } from './recentBlock.ts'
import type { OrphanBlock } from './recentBlocks.ts'

type Taken = { event: TradeEvent; pairAddress: string; firstSeq: number; seq: number }

/**
 * Trades of blocks that were taken back and have not come again. One that comes again (same transaction, same place
 * in it, same content) is known to those who had it.
 */
export class TakenBack {
  private readonly trades = new Map<string, Taken>()
  /** After this many further blocks a trade does not come back as the same. */
  private readonly blocksMax: number

  constructor(blocksMax: number) {
    this.blocksMax = blocksMax
  }

  take({ block, facts }: OrphanBlock): void {
    for (const [key, event] of keyed(block)) {
      const pairAddress = facts.get(originOf(event).pairId)?.address
      const firstSeq = block.repeats?.get(event) ?? block.seq
      if (pairAddress === undefined) continue
      this.trades.delete(key)
      this.trades.set(key, { event, pairAddress, firstSeq, seq: block.seq })
    }
  }

  /** Marks what the block brings again. */
  match(block: RecentBlock, facts: PairFactsCache): void {
    if (this.trades.size === 0) return
    for (const [key, event] of keyed(block)) {
      const taken = this.trades.get(key)
      if (taken === undefined) continue
      const { address } = facts.get(originOf(event).pairId)
      if (address !== taken.pairAddress || !isSame(event, taken.event)) continue
      block.repeats ??= new Map()
      block.repeats.set(event, taken.firstSeq)
      this.trades.delete(key)
    }
    for (const [key, { seq }] of this.trades) {
      if (seq >= block.seq - this.blocksMax) break
      this.trades.delete(key)
    }
  }

  clear(): void {
    this.trades.clear()
  }
}

/** Each trade by its transaction and its place among the trades of that transaction. */
function* keyed(block: RecentBlock): Generator<[string, TradeEvent], void, undefined> {
  const counts = new Map<string, number>()
  for (const event of block.events) {
    if (event.type !== 'swap' && event.type !== 'liquidity') continue
    const { txHash } = originOf(event)
    const count = counts.get(txHash) ?? 0
    counts.set(txHash, count + 1)
    yield [`${txHash}:${count}`, event]
  }
}

function isSame(event: TradeEvent, other: TradeEvent): boolean {
  if (event.type !== other.type) return false
  const a = originOf(event)
  const b = originOf(other)
  return (
    a.amount0 === b.amount0 &&
    a.amount1 === b.amount1 &&
    a.reserve0 === b.reserve0 &&
    a.reserve1 === b.reserve1 &&
    a.priceRaw === b.priceRaw &&
    a.wallet === b.wallet &&
    a.sender === b.sender &&
    (a.type === 'swap' ? a.to : a.kind) === (b.type === 'swap' ? b.to : b.kind)
  )
}
