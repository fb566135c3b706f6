// A client of the topic `holders` that is checked against the chain's own counts.

import { expect } from 'vitest'
import { formatCursor, parseCursor } from '../../packages/server/src/gateway/chain/cursor.ts'
import type { FinishedBlock } from '../../packages/server/src/model/finishedBlock.ts'
import type { FeedMarket, Message, TestSubscriber } from './feedMarket.ts'

/** Number of holders before and after one block. */
type CountChange = { before: number | null; after: number; cursor: string }

/** A count known at a position of the stream; undefined if it came from a reverted branch. */
type CountState = { count: number | null | undefined; place: number }

// Few different counts, so that blocks often leave a count unchanged.
const countsMax = 4

/** The block with holder counts for its new tokens and for some older ones. */
export function withSupplies(block: FinishedBlock): FinishedBlock {
  const { ref, tokens } = block
  // The first four tokens are created in the first block.
  const ids = new Set([ref.timeS % 2, 2 + (ref.timeS % 2), ...tokens.map(({ id }) => id)])
  const supplies = Array.from(ids, (tokenId) => ({
    tokenId,
    total: 1_000n,
    burnt: 0n,
    locked: 0n,
    other: 0n,
    holders: (ref.timeS * (tokenId + 1) + ref.number) % countsMax,
    isComplete: true,
  }))
  return { ...block, supplies }
}

export class HoldersReader {
  cursor: string | null = null
  private readonly address: string
  private readonly revisions: boolean
  /** Start of the recorded changes. */
  private from: CountState | null = null
  private changes: CountChange[] = []
  private seen = 0

  constructor(key: string, revisions: boolean) {
    this.address = key.slice('holders:'.length, key.lastIndexOf('-'))
    this.revisions = revisions
  }

  read(subscriber: TestSubscriber): void {
    for (; this.seen < subscriber.messages.length; this.seen += 1)
      this.take(subscriber.messages[this.seen])
  }

  returned(): void {
    this.seen = 0
  }

  /** Checks the current count and, with revisions, every change that led to it. */
  check({ engine, store }: FeedMarket): void {
    const tokenId = engine.findToken(this.address)
    if (tokenId === undefined) return
    const { count } = this
    if (count !== undefined) expect(count).toBe(engine.tokenState(tokenId).supply?.holders ?? null)
    if (!this.revisions || this.from === null) return
    const since = this.from.place
    const all = changesIn(store, tokenId).filter(({ cursor }) => placeOf(cursor) > since)
    expect(this.changes).toEqual(all)
  }

  private get count(): number | null | undefined {
    const last = this.changes.at(-1)
    return last === undefined ? this.from?.count : last.after
  }

  private take({ error, result, cursor }: Message): void {
    if (error !== undefined) {
      expect(error.data.code).toBe('cursor_orphaned')
      this.fall(error.data.cursor)
      return
    }
    // A heartbeat without a cursor is sent while the reader is behind; keep the last cursor.
    this.cursor = cursor ?? this.cursor
    if (result.topic === 'heartbeat') return
    const { holders: after, holders_before: before } = result.holders
    if (result.retracted === true) this.retract({ before, after, cursor })
    else if (before === null) this.begin({ count: after, place: placeOf(cursor) })
    else {
      if (this.count !== undefined) expect(before).toBe(this.count)
      // Only the largest holders changed, or a reorg without revisions repeats the current count.
      if (before === after) return
      if (this.revisions) this.add({ before, after, cursor })
      else this.begin({ count: after, place: placeOf(cursor) })
    }
  }

  /** Replaced blocks without a change are not reported, so the position may be one of theirs. */
  private add(change: CountChange): void {
    const { from } = this
    if (from !== null && this.changes.length === 0)
      from.place = Math.min(from.place, placeOf(change.cursor) - 1)
    this.changes.push(change)
  }

  private begin(state: CountState): void {
    this.from = state
    this.changes = []
  }

  private retract({ before, after, cursor }: CountChange): void {
    if (this.count !== undefined) expect(after).toBe(this.count)
    if (this.changes.pop() === undefined) this.begin({ count: before, place: placeOf(cursor) })
  }

  /** Drops changes after the cursor. */
  private fall(cursor: string): void {
    this.cursor = cursor
    const place = placeOf(cursor)
    this.changes = this.changes.filter((change) => placeOf(change.cursor) <= place)
    if (this.from === null || this.from.place > place) this.begin({ count: undefined, place })
  }
}

/** Changes computed from the supplies of the blocks. */
function changesIn({ blocks }: FeedMarket['store'], tokenId: number): CountChange[] {
  let before: number | null = null
  return blocks.flatMap(({ ref, events }) =>
    events.flatMap((event) => {
      if (event.type !== 'supply' || event.supply.tokenId !== tokenId) return []
      const change = { before, after: event.supply.holders, cursor: formatCursor(ref, 0) }
      before = change.after
      return change.before === change.after ? [] : [change]
    }),
  )
}

function placeOf(cursor: string): number {
  const { number, index } = parseCursor(cursor)!
  return number * 10 + Math.min(index, 9)
}
