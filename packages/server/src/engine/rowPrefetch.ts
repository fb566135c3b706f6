import type { FinishedEvent } from '../model/finishedBlock.ts'
import type { MarketState } from './marketState.ts'
import { pairColumn } from './tables/pairTable.ts'
import { walletHash } from './windows/walletHash.ts'

// Bindings of its own: fields of an imported constant are read at each use, those of a local one are part of the code.
const P = pairColumn

/** Few enough that what they need stays in the cache until they are applied. */
export const aheadEvents = 128

/**
 * Rows of rare pairs are far away in memory, and an event that is applied waits for them one after
 * another. Reading those of many events first, each kind in a short loop of its own, lets the waits
 * overlap.
 */
export class RowPrefetch {
  /** Of the swaps' wallets, by place among the events that were read. */
  readonly hashes = new Float64Array(aheadEvents)
  private readonly state: MarketState
  /** Pairs with a new state, those that traded before the others. */
  private readonly pairRows = new Int32Array(aheadEvents)
  private readonly tradedHashes = new Float64Array(aheadEvents)
  /** A sum of what was read, which means nothing: reads whose values go nowhere would be left out. */
  private seen = 0

  constructor(state: MarketState) {
    this.state = state
  }

  /** Events from one place up to another, at most `aheadEvents`. */
  read(events: readonly FinishedEvent[], from: number, to: number): void {
    const { pairRows } = this
    const { pairs } = this.state
    let seen = 0
    let traded = 0
    let end = aheadEvents
    for (let index = from; index < to; index += 1) {
      const event = events[index]!
      if (event.type === 'swap') {
        seen += event.wallet.charCodeAt(0)
        pairRows[traded] = event.pairId + 1
        traded += 1
      } else if (event.type === 'sync' || event.type === 'liquidity') {
        end -= 1
        pairRows[end] = event.pairId + 1
      }
    }
    for (let index = 0; index < traded; index += 1) seen += pairs.touch(pairRows[index]!)
    for (let index = end; index < aheadEvents; index += 1) seen += pairs.touch(pairRows[index]!)
    this.hash(events, from, to)
    this.seen = seen + this.readTargets(0, traded) + this.readTargets(end, aheadEvents)
    this.readTraded(traded)
  }

  private hash(events: readonly FinishedEvent[], from: number, to: number): void {
    let traded = 0
    for (let index = from; index < to; index += 1) {
      const event = events[index]!
      if (event.type !== 'swap') continue
      const hash = walletHash(event.wallet)
      this.hashes[index - from] = hash
      this.tradedHashes[traded] = hash
      traded += 1
    }
  }

  private readTargets(from: number, to: number): number {
    const { pairs, tokens } = this.state
    let seen = 0
    for (let index = from; index < to; index += 1) {
      const row = this.pairRows[index]!
      seen += tokens.touch(pairs.page(row)[pairs.at(row) + P.targetToken]! + 1)
    }
    return seen
  }

  private readTraded(traded: number): void {
    const { pairRows, tradedHashes } = this
    const { pairs, klines, windows } = this.state
    const { makers, roundTrips } = windows
    let { seen } = this
    for (let index = 0; index < traded; index += 1) {
      const row = pairRows[index]!
      seen += makers.touch(pairs.page(row), pairs.at(row), tradedHashes[index]!)
    }
    for (let index = 0; index < traded; index += 1)
      seen += roundTrips.touch(pairRows[index]!, tradedHashes[index]!)
    for (let index = 0; index < traded; index += 1) {
      const row = pairRows[index]!
      seen += klines.rows.touch(pairs.page(row)[pairs.at(row) + P.kline]!)
    }
    for (let index = 0; index < traded; index += 1) {
      const row = pairRows[index]!
      seen += klines.touchNext(pairs.page(row)[pairs.at(row) + P.kline]!)
    }
    this.seen = seen
  }
}
