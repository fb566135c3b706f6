import { expect, test, vi } from 'vitest'
import type { Message, TestSubscriber } from '../../../../../../test/support/feedMarket.ts'
import { createManualMarket, rest } from '../../../../../../test/support/manualMarket.ts'
import { pair, swap, sync, token } from '../../../../../../test/support/marketChain.ts'
import { pollOptions } from '../../../../../../test/support/until.ts'
import { createScreenerBoards } from '../../lists/screenerBoards.ts'

/** A market that evaluates filters only on demand, and counts the evaluations. */
function createMarket() {
  let evaluations = 0
  const market = createManualMarket({
    screener(clock) {
      const screener = createScreenerBoards(clock)
      return {
        ...screener,
        board(...args) {
          evaluations += 1
          return screener.board(...args)
        },
      }
    },
  })
  // Sets the clock to the newest block, so that its trades are within the windows.
  market.clock.ms = market.refs.at(-1)!.timeS * 1_000
  return {
    ...market,
    evaluations: () => evaluations,
    /** Advances the clock by a second and waits until all filters are evaluated. */
    async tick(filters = 1) {
      const before = evaluations
      market.clock.ms += 1_000
      market.feed.tick(market.clock.ms)
      await vi.waitFor(() => expect(evaluations).toBe(before + filters), pollOptions)
      await rest()
    },
  }
}

type Row = { id: string } & Record<string, unknown>

/** The rows that a reader has after all its messages. */
function known({ messages }: TestSubscriber): Row[] {
  let rows = new Map<string, Row>()
  let order: string[] = []
  for (const { result } of messages as Message[]) {
    if (result.snapshot) rows = new Map()
    for (const row of [...result.entered, ...result.updated]) rows.set(row.id, row)
    for (const id of result.left) expect(rows.delete(id)).toBe(true)
    if (result.order.length > 0) order = result.order
  }
  return order.filter((id) => rows.has(id)).map((id) => rows.get(id)!)
}

const trade = (pairId: number, wallet = 'alice') => swap(pairId, [-100, 60], [1_900, 1_060], wallet)
const newToken = (id: number) => ({
  tokens: [token(id)],
  pairs: [pair(id - 4, id, 0)],
  events: [sync(id - 4, 1_000, 1_000 + id)],
})

test('default: a snapshot, then rows that enter, change and leave', async () => {
  const market = createMarket()
  const reader = market.subscribe('screener:local:max_trades_24h=1&sort=price')
  expect(reader.messages).toEqual([])
  await market.tick()
  const [{ result: first }] = reader.messages
  expect(first).toMatchObject({ snapshot: true, topic: 'screener', of: 'tokens', left: [] })
  expect(first.id).toBe('local:max_trades_24h=1&sort=price')
  expect(first.entered.map(({ id }: Row) => id)).toEqual(first.order)
  expect(first.order).toContain('token-4-local')

  market.commit(newToken(6))
  await market.tick()
  const entered = reader.messages[1].result
  expect(entered).not.toHaveProperty('snapshot')
  expect(entered.entered.map(({ id }: Row) => id)).toEqual(['token-6-local'])
  expect(entered.order).toContain('token-6-local')

  market.commit({ events: [trade(2)] })
  await market.tick()
  const { updated, left, entered: none } = reader.messages[2].result
  const changed = updated.find(({ id }: Row) => id === 'token-6-local')
  expect([changed.trades_24h, left, none]).toEqual([1, [], []])

  market.commit({ events: [trade(2)] })
  await market.tick()
  expect(reader.messages[3].result.left).toContain('token-6-local')
  const count = reader.messages.length
  await market.tick()
  expect(reader.messages).toHaveLength(count)
})

test.each([
  'screener:local',
  'screener:local:limit=2&order=asc&sort=price',
  'screener:local:max_volume_24h=200000&of=pairs',
])('behavior: changes of %s add up to what a new reader is sent, also over reorgs', async (key) => {
  const market = createMarket()
  const reader = market.subscribe(key)
  for (let step = 0; step < 12; step += 1) {
    if (step % 5 === 4) market.revert()
    else if (step % 3 === 0) market.commit(newToken(market.engine.tokenCount()))
    else market.commit({ events: [trade(1, `wallet ${step}`), trade(0)] }, 1_000 * step)
    await market.tick()
    const late = market.subscribe(key, 2)
    expect(late.messages).toHaveLength(1)
    expect(late.messages[0].result.snapshot).toBe(true)
    expect(known(late)).toEqual(known(reader))
    market.unsubscribe(late)
  }
  const { updated, order } = reader.messages.at(-1).result
  expect(updated.length + order.length).toBeGreaterThan(0)
  // A reader that subscribes when all others have left gets the same rows.
  market.unsubscribe(reader)
  const fresh = market.subscribe(key)
  expect(fresh.messages).toEqual([])
  await market.tick()
  expect(known(fresh)).toEqual(known(reader))
})

test('behavior: a filter is evaluated once a second for all subscribers, and never without any', async () => {
  const market = createMarket()
  const readers = Array.from({ length: 20 }, (_, id) => market.subscribe('screener:local', id))
  const other = market.subscribe('screener:local:of=pairs', 50)
  await market.tick(2)
  expect(market.evaluations()).toBe(2)
  const texts = readers.map(({ messages }) => JSON.stringify(messages[0].result))
  expect(new Set(texts).size).toBe(1)
  market.unsubscribe(other)
  await market.tick(1)
  for (const reader of readers) market.unsubscribe(reader)
  await market.tick(0)
  expect(market.evaluations()).toBe(3)
})

test('behavior: a slow evaluation delays the next one', async () => {
  const market = createMarket()
  market.subscribe('screener:local')
  market.subscribe('screener:local:of=pairs', 2)
  for (let seconds = 0; seconds < 5; seconds += 1) market.feed.tick(market.clock.ms)
  await vi.waitFor(() => expect(market.evaluations()).toBe(2), pollOptions)
  await rest()
  expect(market.evaluations()).toBe(2)
})
