import type { PairFactsCache } from '../chain/pairFacts.ts'
import {
  type RecentBlock,
  type RepeatedEvent,
  type TradeEvent,
  tradeDataOf,
} from '../chain/recentBlock.ts'
import type { OrphanBlock } from '../chain/recentBlocks.ts'

/**
 * An event of a reverted block. `trade` is null for pair news, which are the same whenever they
 * repeat.
 */
type RevertedEvent = {
  trade: TradeEvent | null
  pairAddress: string
  revertedStep: number
  repeat: RepeatedEvent
}

/**
 * Events of reverted blocks that no new block has repeated yet.
 * A repeat is a trade with the same transaction, position and content, or the same pair created or
 * graduated again. Subscribers that already have the first push need no second one.
 */
export class RevertedEvents {
  /** Reverted events by key, the most recently reverted last. */
  readonly #byKey = new Map<string, RevertedEvent>()
  /** Number of further blocks after which an event no longer counts as repeated. */
  readonly #blocksMax: number
  /** Number of blocks committed or reverted so far, the clock for forgetting old events. */
  #stepCount = 0

  constructor(blocksMax: number) {
    this.#blocksMax = blocksMax
  }

  addReverted({ block, facts }: OrphanBlock, revertedSeq: number): void {
    this.#stepCount += 1
    const revertedStep = this.#stepCount
    const put = (key: string, trade: TradeEvent | null, pairAddress: string) => {
      this.#byKey.delete(key)
      this.#byKey.set(key, {
        trade,
        pairAddress,
        revertedStep,
        repeat: { seq: block.seq, revertedSeq },
      })
    }
    for (const [key, event] of keyed(block)) {
      const address = facts.get(tradeDataOf(event).pairId)?.address
      if (address !== undefined) put(key, event, address)
    }
    for (const { name, pairId } of namedNews(block)) {
      const address = facts.get(pairId)?.address
      if (address !== undefined) put(`${name} ${address}`, null, address)
    }
  }

  /** Marks the events of a new block that repeat events of reverted blocks. */
  markRepeats(block: RecentBlock, facts: PairFactsCache): void {
    this.#stepCount += 1
    if (this.#byKey.size === 0) return
    for (const [key, event] of keyed(block)) {
      const found = this.#byKey.get(key)
      if (found === undefined || found.trade === null) continue
      const { address } = facts.get(tradeDataOf(event).pairId)
      if (address !== found.pairAddress || !isSame(event, found.trade)) continue
      block.repeats ??= new Map()
      block.repeats.set(event, found.repeat)
      this.#byKey.delete(key)
    }
    for (const [index, { name, pairId }] of namedNews(block).entries()) {
      const key = `${name} ${facts.get(pairId).address}`
      const found = this.#byKey.get(key)
      if (found === undefined) continue
      block.repeatedNews ??= new Map()
      block.repeatedNews.set(index, found.repeat)
      this.#byKey.delete(key)
    }
    for (const [key, { revertedStep }] of this.#byKey) {
      if (revertedStep >= this.#stepCount - this.#blocksMax) break
      this.#byKey.delete(key)
    }
  }
}

/** Pair news of a block, followed by its bonding-curve steps. */
function namedNews(block: RecentBlock): { name: string; pairId: number }[] {
  return [
    ...block.pairNews().map(({ event, pairId }) => ({ name: event, pairId })),
    ...block.curveSteps().map(({ filledPpm, pairId }) => ({ name: `filled ${filledPpm}`, pairId })),
  ]
}

/**
 * Yields each trade with a key: its transaction and its position among that transaction's trades.
 */
function* keyed(block: RecentBlock): Generator<[string, TradeEvent], void, undefined> {
  const counts = new Map<string, number>()
  for (const event of block.events) {
    if (event.type !== 'swap' && event.type !== 'liquidity') continue
    const { txHash } = tradeDataOf(event)
    const count = counts.get(txHash) ?? 0
    counts.set(txHash, count + 1)
    yield [`${txHash}:${count}`, event]
  }
}

function isSame(event: TradeEvent, other: TradeEvent): boolean {
  if (event.type !== other.type) return false
  const a = tradeDataOf(event)
  const b = tradeDataOf(other)
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
