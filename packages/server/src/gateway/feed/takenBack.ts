import type { PairFactsCache } from './pairFacts.ts'
import { originOf, type RecentBlock, type TradeEvent } from './recentBlock.ts'
import type { OrphanBlock } from './recentBlocks.ts'

/** Where a push that comes again was before: the `seq` of its block, and the one at which that was taken back. */
export type Repeat = { seq: number; takenSeq: number }

/** Null `trade`: news of the pair, which say the same whenever they come. */
type Taken = { trade: TradeEvent | null; pairAddress: string; repeat: Repeat }

/**
 * What blocks that were taken back said and no other has said since. A trade that comes again (same transaction, same
 * place in it, same content) and a pair that is created or graduated again are known to those who had them.
 */
export class TakenBack {
  /** The last to be taken back come last. */
  private readonly taken = new Map<string, Taken>()
  /** After this many further blocks it does not come back as the same. */
  private readonly blocksMax: number

  constructor(blocksMax: number) {
    this.blocksMax = blocksMax
  }

  take({ block, facts }: OrphanBlock, takenSeq: number): void {
    const put = (key: string, trade: TradeEvent | null, pairAddress: string) => {
      this.taken.delete(key)
      this.taken.set(key, { trade, pairAddress, repeat: { seq: block.seq, takenSeq } })
    }
    for (const [key, event] of keyed(block)) {
      const address = facts.get(originOf(event).pairId)?.address
      if (address !== undefined) put(key, event, address)
    }
    for (const { event, pairId } of block.news()) {
      const address = facts.get(pairId)?.address
      if (address !== undefined) put(`${event} ${address}`, null, address)
    }
  }

  /** Marks what the block brings again. */
  match(block: RecentBlock, facts: PairFactsCache): void {
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
    for (const [index, { event, pairId }] of block.news().entries()) {
      const key = `${event} ${facts.get(pairId).address}`
      const found = this.taken.get(key)
      if (found === undefined) continue
      block.repeatedNews ??= new Map()
      block.repeatedNews.set(index, found.repeat)
      this.taken.delete(key)
    }
    for (const [key, { repeat }] of this.taken) {
      if (repeat.takenSeq >= block.seq - this.blocksMax) break
      this.taken.delete(key)
    }
  }

  clear(): void {
    this.taken.clear()
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
