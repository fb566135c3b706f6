import { originOf, type RecentBlock, type Repeat, type TradeEvent } from '../recent/recentBlock.ts'
import type { OrphanBlock } from '../recent/recentBlocks.ts'
import type { PairFactsCache } from './pairFacts.ts'

/** Null `trade`: news of the pair, which say the same whenever they come. */
type Taken = { trade: TradeEvent | null; pairAddress: string; takenStep: number; repeat: Repeat }

/**
 * What blocks that were reverted said and no other has said since. A trade that comes again (same transaction, same
 * place in it, same content) and a pair that is created or graduated again are known to those who had them.
 */
export class RevertedTrades {
  /** The last to be reverted come last. */
  private readonly taken = new Map<string, Taken>()
  /** After this many further blocks it does not come back as the same. */
  private readonly blocksMax: number
  /** Blocks that came or were reverted so far. */
  private stepCount = 0

  constructor(blocksMax: number) {
    this.blocksMax = blocksMax
  }

  take({ block, facts }: OrphanBlock, takenSeq: number): void {
    this.stepCount += 1
    const takenStep = this.stepCount
    const put = (key: string, trade: TradeEvent | null, pairAddress: string) => {
      this.taken.delete(key)
      this.taken.set(key, { trade, pairAddress, takenStep, repeat: { seq: block.seq, takenSeq } })
    }
    for (const [key, event] of keyed(block)) {
      const address = facts.get(originOf(event).pairId)?.address
      if (address !== undefined) put(key, event, address)
    }
    for (const { name, pairId } of namedNews(block)) {
      const address = facts.get(pairId)?.address
      if (address !== undefined) put(`${name} ${address}`, null, address)
    }
  }

  /** Marks what the block brings again. */
  match(block: RecentBlock, facts: PairFactsCache): void {
    this.stepCount += 1
    if (this.taken.size === 0) return
    for (const [key, event] of keyed(block)) {
      const found = this.taken.get(key)
      if (found === undefined || found.trade === null) continue
      const { address } = facts.get(originOf(event).pairId)
      if (address !== found.pairAddress || !isSame(event, found.trade)) continue
      block.repeats ??= new Map()
      block.repeats.set(event, found.repeat)
      this.taken.delete(key)
    }
    for (const [index, { name, pairId }] of namedNews(block).entries()) {
      const key = `${name} ${facts.get(pairId).address}`
      const found = this.taken.get(key)
      if (found === undefined) continue
      block.repeatedNews ??= new Map()
      block.repeatedNews.set(index, found.repeat)
      this.taken.delete(key)
    }
    for (const [key, { takenStep }] of this.taken) {
      if (takenStep >= this.stepCount - this.blocksMax) break
      this.taken.delete(key)
    }
  }
}

/** News of pairs, and behind them the steps of curves. */
function namedNews(block: RecentBlock): { name: string; pairId: number }[] {
  return [
    ...block.news().map(({ event, pairId }) => ({ name: event, pairId })),
    ...block.curveSteps().map(({ filledPpm, pairId }) => ({ name: `filled ${filledPpm}`, pairId })),
  ]
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
