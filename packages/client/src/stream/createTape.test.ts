// Streams from the real feed and the real WebSocket server, over a connection that is cut, frozen
// and refused.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTapeService } from '../../../../test/support/tapeService.ts'
import { pollOptions, until } from '../../../../test/support/until.ts'
import { InputError, KeyError, LimitError } from '../errors.ts'
import { socketClassOf } from './openSocket.ts'
import type { Stream } from './stream.ts'

const pairId = 'pair-1-local'
let service: Awaited<ReturnType<typeof startTapeService>>

beforeEach(async () => {
  service = await startTapeService()
})

afterEach(async () => {
  await service.stop()
  vi.unstubAllGlobals()
})

type Item = { id: string; cursor: string | null }

/** Collects items until the stream is closed. */
function collect<item extends { cursor: string | null }>(stream: Stream<item>) {
  const items: item[] = []
  const ended = stream.each((item) => void items.push(item)).catch((error: unknown) => error)
  return { items, ended }
}

async function take<item extends { cursor: string | null }>(stream: Stream<item>, count: number) {
  const items: item[] = []
  for await (const item of stream) if (items.push(item) === count) break
  return items
}

const idsOf = (items: readonly unknown[]) => (items as Item[]).map(({ id }) => id)
const swapIds = (block: { number: number }, count: number) =>
  Array.from({ length: count }, (_, at) => `${block.number}-${at}`)

test('default: a subscription asks for pushes from now on, without snapshot and revisions', async () => {
  const { tape } = service.open()
  await tape.swaps(pairId).opened()
  await tape.prices(['4-local']).opened()
  await tape.trending('local').opened()
  expect(service.sentParams('subscribe')).toMatchInlineSnapshot(`
    [
      [
        "tx",
        "pair-1",
        "local",
        {
          "heartbeat": 60,
          "revisions": false,
          "snapshot": false,
        },
      ],
      [
        "price",
        [
          "4-local",
        ],
        {
          "heartbeat": 60,
          "revisions": false,
          "snapshot": false,
        },
      ],
      [
        "trending",
        "local",
        {
          "heartbeat": 60,
          "revisions": false,
          "snapshot": false,
        },
      ],
    ]
  `)
})

describe('topics', () => {
  test('default: swaps of a pair, with their places', async () => {
    const { tape, types } = service.open()
    const swaps = tape.swaps(pairId)
    await swaps.opened()
    const block = service.trade(2)
    const items = await take(swaps, 2)
    expect(idsOf(items)).toEqual(swapIds(block, 2))
    expect(items[0]).toMatchObject({ pair_address: 'pair-1', from_amount: '60', direction: 'buy' })
    expect(items[1]!.cursor).toMatch(new RegExp(`^${block.number}-[0-9a-f]{8}-1$`))
    expect(types()).toEqual(['connected', 'subscribed'])
    await expect
      .poll(() => service.sentParams('unsubscribe'), pollOptions)
      .toEqual([['tx', 'pair-1', 'local']])
  })

  test('behavior: every other topic, all on one socket', async () => {
    const { tape } = service.open()
    const tokenSwaps = collect(tape.tokenSwaps('token-4-local'))
    const klines = collect(tape.klines(pairId, 'k1'))
    const several = tape.multiKlines([
      [pairId, 's1'],
      ['pair-0-local', 'k5'],
    ])
    const prices = collect(tape.prices([pairId, 'token-0-local']))
    const trending = collect(tape.trending('local'))
    const pairs = collect(tape.newPairs('local', { snapshot: true }))
    const ofWallets = tape.wallet(['alice-local', 'bob-local'])
    const ofChain = tape.trades({ chain: 'local', min_usd: 1 })
    const wallets = collect(ofWallets)
    const large = collect(ofChain)
    const launches = collect(tape.launches('local'))
    const holders = collect(tape.holders('token-4-local'))
    const screened = collect(tape.screener({ chain: 'local', of: 'pairs', min_price: 0 }))
    const seconds = collect(several)
    for (const stream of [several, ofWallets, ofChain]) await stream.opened()
    await expect.poll(() => prices.items.length, pollOptions).toBe(2)
    const block = service.trade()
    await expect.poll(() => idsOf(tokenSwaps.items), pollOptions).toEqual(swapIds(block, 1))
    await expect.poll(() => idsOf(large.items), pollOptions).toEqual(swapIds(block, 1))
    await expect.poll(() => idsOf(wallets.items), pollOptions).toEqual(swapIds(block, 1))
    expect(launches.items).toEqual([])
    expect(holders.items).toEqual([])
    await expect.poll(() => screened.items[0], pollOptions).toMatchObject({ snapshot: true })
    expect(service.sentParams('subscribe').map(([topic]) => topic)).toEqual(
      expect.arrayContaining(['wallet', 'trades', 'launches', 'holders', 'screener']),
    )
    await expect.poll(() => klines.items.length, pollOptions).toBeGreaterThan(0)
    expect(klines.items[0]).toMatchObject({ id: pairId, interval: '1', topic: 'kline' })
    await expect.poll(() => seconds.items[0]?.interval, pollOptions).toBe('s1')
    await expect.poll(() => prices.items.length, pollOptions).toBeGreaterThan(2)
    expect(prices.items.at(-1)).toMatchObject({ pair: 'pair-1', direction: expect.any(String) })
    await expect.poll(() => trending.items[0], pollOptions).toMatchObject({ topic: 'trending' })
    await expect.poll(() => pairs.items[0]?.snapshot, pollOptions).toBe(true)
    expect(service.socketCount()).toBe(1)
  })

  test('behavior: the same twice is on two sockets, since one has each once', async () => {
    const { tape } = service.open()
    const both = [tape.swaps(pairId), tape.swaps(pairId)].map((stream) => ({
      stream,
      ...collect(stream),
    }))
    for (const { stream } of both) await stream.opened()
    const block = service.trade()
    for (const { items } of both)
      await expect.poll(() => idsOf(items), pollOptions).toEqual(swapIds(block, 1))
    expect(service.socketCount()).toBe(2)
  })

  test('behavior: liquidity, and a signal that ends a stream', async () => {
    const { tape } = service.open()
    const controller = new AbortController()
    const stream = tape.liquidity(pairId, { signal: controller.signal })
    const { ended } = collect(stream)
    await stream.opened()
    expect(service.sentParams('subscribe')[0].slice(0, 3)).toEqual(['liq', 'pair-1', 'local'])
    controller.abort()
    expect(await ended).toBeUndefined()
  })
})

describe('lost connections', () => {
  test('default: every swap once and in order, however often the line is cut', async () => {
    const { tape, events } = service.open()
    const stream = tape.swaps(pairId)
    const { items } = collect(stream)
    await stream.opened()
    const expected: string[] = []
    const trade = (count: number) => expected.push(...swapIds(service.trade(count), count))
    trade(2)
    await expect.poll(() => items.length, pollOptions).toBe(2)
    for (let cut = 0; cut < 5; cut += 1) {
      // In flight, or while disconnected.
      trade(3)
      service.proxy.cut()
      trade(1)
      await expect.poll(() => items.length, pollOptions).toBe(expected.length)
    }
    expect(idsOf(items)).toEqual(expected)
    const resumed = events.filter(({ type }) => type === 'resumed')
    expect(resumed.length).toBeGreaterThanOrEqual(5)
    expect(events.some(({ type }) => type === 'gap')).toBe(false)
  })

  test('behavior: each count of holders that was missed comes once, and then what is new', async () => {
    const { tape, events } = service.open()
    service.count(3)
    const stream = tape.holders('token-4-local')
    const { items } = collect(stream)
    await expect.poll(() => items.length, pollOptions).toBe(1)
    service.proxy.cut()
    service.count(4)
    service.count(6)
    await expect.poll(() => items.length, pollOptions).toBe(3)
    service.count(5)
    await expect.poll(() => items.length, pollOptions).toBe(4)
    expect(items.map((item) => [item.holders_before, item.holders])).toEqual([
      [null, 3],
      [3, 4],
      [4, 6],
      [6, 5],
    ])
    expect(events).toContainEqual(expect.objectContaining({ type: 'resumed', stream: stream.name }))
  })

  test('behavior: a pair that is quiet goes on from the heartbeat', async () => {
    const { tape, events } = service.open({ heartbeatS: 1 })
    const stream = tape.swaps(pairId)
    const { items } = collect(stream)
    await expect.poll(() => stream.cursor, pollOptions).toMatch(/^1-[0-9a-f]{8}-\d+$/)
    service.proxy.cut()
    const block = service.trade()
    await expect.poll(() => idsOf(items), pollOptions).toEqual(swapIds(block, 1))
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'resumed', stream: 'tx:pair-1-local' }),
    )
  })

  test('behavior: a line on which nothing comes any more is given up', async () => {
    const { tape, types } = service.open({ heartbeatS: 1 })
    const stream = tape.swaps(pairId)
    const { items } = collect(stream)
    await expect.poll(() => stream.cursor, pollOptions).not.toBeNull()
    service.proxy.freeze()
    const block = service.trade()
    await expect.poll(() => idsOf(items), pollOptions).toEqual(swapIds(block, 1))
    expect(types()).toContain('silent')
  })

  test('behavior: it tries until it gets through', async () => {
    service.proxy.refuse(true)
    const { tape, events } = service.open()
    const stream = tape.swaps(pairId)
    const { items } = collect(stream)
    const attempts = () => events.filter(({ type }) => type === 'disconnected').length
    await expect.poll(attempts, pollOptions).toBeGreaterThan(2)
    service.proxy.refuse(false)
    await stream.opened()
    service.trade()
    await expect.poll(() => items.length, pollOptions).toBe(1)
  })
})

describe('places', () => {
  test('default: a place that was reverted long ago goes back to one that holds', async () => {
    const block = service.trade(2)
    const { tape, events } = service.open()
    const items = await take(tape.swaps(pairId, { since: `${block.number}-ffffffff-0` }), 2)
    expect(idsOf(items)).toEqual(swapIds(block, 2))
    expect(events).toContainEqual(expect.objectContaining({ type: 'rewound' }))
  })

  test('behavior: a place that nobody knows is a gap, and the stream goes on from now', async () => {
    const { tape, events } = service.open()
    const stream = tape.swaps(pairId, { since: '999999-ffffffff-0' })
    const { items } = collect(stream)
    const gaps = () => events.filter(({ type }) => type === 'gap')
    await expect
      .poll(gaps, pollOptions)
      .toEqual([expect.objectContaining({ stream: stream.name, cursor: '999999-ffffffff-0' })])
    await expect
      .poll(() => events.some(({ type }) => type === 'subscribed'), pollOptions)
      .toBe(true)
    const block = service.trade()
    await expect.poll(() => idsOf(items), pollOptions).toEqual(swapIds(block, 1))
  })

  test('behavior: what a reorg reverts comes again, marked', async () => {
    const { tape, events } = service.open()
    const stream = tape.swaps(pairId, { revisions: true })
    const { items } = collect(stream)
    await stream.opened()
    const block = service.trade()
    service.market.revert()
    await expect
      .poll(() => items.map(({ retracted = false }) => retracted), pollOptions)
      .toEqual([...[false, true]])
    expect(idsOf(items)).toEqual([...swapIds(block, 1), ...swapIds(block, 1)])
    expect(events).toContainEqual(expect.objectContaining({ type: 'retracted', item: items[1] }))
  })

  test('behavior: a store has the next run go on behind what was done', async () => {
    const saved = new Map<string, string>()
    const store = {
      load: async (name: string) => saved.get(name),
      save: async (name: string, cursor: string) => void saved.set(name, cursor),
    }
    const first = service.open({ store })
    const stream = first.tape.swaps(pairId)
    await stream.opened()
    service.trade(3)
    const done: string[] = []
    for await (const { id } of stream) {
      // Leaves the loop with this item in hand: it does not count as done.
      if (done.length === 2) break
      done.push(id)
    }
    await first.tape.close()
    expect([...saved]).toEqual([['tx:pair-1-local', stream.cursor]])
    const later = service.trade(2)
    const second = service.open({ store })
    expect(idsOf(await take(second.tape.swaps(pairId), 3))).toEqual([
      `${later.number - 1}-2`,
      ...swapIds(later, 2),
    ])
    expect(second.types()).not.toContain('gap')
  })

  test('error: a store that cannot load, or save', async () => {
    const store = {
      load: () => Promise.reject(new Error('no disk')),
      save: () => Promise.reject(new Error('no disk')),
    }
    const { tape, events } = service.open()
    await expect(take(tape.swaps(pairId, { store }), 1)).rejects.toThrow('could not be loaded')
    const stream = tape.swaps(pairId, { store, since: '1-ffffffff-0' })
    void collect(stream)
    const unsaved = () => events.some(({ type }) => type === 'unsaved')
    await expect.poll(unsaved, pollOptions).toBe(true)
  })
})

describe('slow consumers', () => {
  test('default: a stream of events pauses, and loses nothing', async () => {
    const { tape, types } = service.open()
    const stream = tape.swaps(pairId, { bufferMax: 4 })
    await stream.opened()
    const blocks = [service.trade(30), service.trade(5)]
    await until('it pauses', () => types().includes('paused'))
    const expected = blocks.flatMap((block, at) => swapIds(block, [30, 5][at]!))
    expect(idsOf(await take(stream, expected.length))).toEqual(expected)
    await expect
      .poll(() => service.sentParams('unsubscribe').length, pollOptions)
      .toBeGreaterThan(1)
  })

  test('behavior: a callback that takes its time is waited for', async () => {
    const { tape } = service.open()
    const stream = tape.swaps(pairId, { bufferMax: 4 })
    const ids: string[] = []
    let running = 0
    const ended = stream.each(async ({ id }) => {
      running += 1
      expect(running).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      ids.push(id)
    })
    await stream.opened()
    const block = service.trade(25)
    await expect.poll(() => ids, pollOptions).toEqual(swapIds(block, 25))
    await stream.close()
    await ended
  })

  test('behavior: of klines the newest of each is left', async () => {
    const { tape, types } = service.open()
    const stream = tape.klines(pairId, 's1', { bufferMax: 4 })
    await stream.opened()
    for (let block = 0; block < 12; block += 1) service.trade()
    await until('it conflates', () => types().includes('conflated'))
    const newestS = service.market.refs.at(-1)!.timeS
    for await (const { kline } of stream) if (kline.usd.time === newestS) break
  })

  test('behavior: by choice it fails, and says where it was', async () => {
    const { tape } = service.open()
    const stream = tape.swaps(pairId, { bufferMax: 4, overflow: 'close' })
    await stream.opened()
    const iterator = stream[Symbol.asyncIterator]()
    const first = iterator.next()
    service.trade(30)
    await first
    await expect.poll(() => stream.isEnded, pollOptions).toBe(true)
    await expect(iterator.next()).rejects.toBeInstanceOf(LimitError)
    expect(stream.cursor).toMatch(/-0$/)
  })
})

describe('refusals', () => {
  test('error: what cannot be subscribed says why', async () => {
    const { tape } = service.open()
    await expect(take(tape.swaps('pair-1-nowhere'), 1)).rejects.toBeInstanceOf(InputError)
    await expect(take(tape.swaps('pair-1-nowhere'), 1)).rejects.toMatchObject({
      code: 'unknown_chain',
      message: expect.stringContaining('local'),
    })
    expect(() => tape.swaps('nothing')).toThrow('"nothing" is not <address>-<chain>')
    await expect(tape.swaps('pair-1-nowhere').opened()).rejects.toBeInstanceOf(InputError)
  })

  test('error: a key that is refused ends the stream; one that is renewed is tried', async () => {
    const { tape } = service.open({ key: 'wrong' })
    await expect(take(tape.swaps(pairId), 1)).rejects.toBeInstanceOf(KeyError)
    const keys = ['old', 'key']
    const renewed = service.open({ key: () => keys.shift() ?? 'key' })
    await renewed.tape.swaps(pairId).opened()
    const never = service.open({ key: () => 'wrong' })
    await expect(take(never.tape.swaps(pairId), 1)).rejects.toBeInstanceOf(KeyError)
  })

  test('behavior: a platform without WebSocket takes that of the package ws', async () => {
    vi.stubGlobal('WebSocket', undefined)
    const { tape } = service.open({ WebSocket: undefined as never })
    const stream = tape.swaps(pairId)
    await stream.opened()
    const block = service.trade()
    expect(idsOf(await take(stream, 1))).toEqual(swapIds(block, 1))
  })

  test('error: a platform without WebSocket and without the package ws', async () => {
    vi.stubGlobal('WebSocket', undefined)
    const asked: string[] = []
    const missing = socketClassOf({}, async (name) => {
      asked.push(name)
      throw new Error('not found')
    })
    await expect(missing).rejects.toMatchObject({
      code: 'missing_param',
      message: expect.stringContaining('install the package ws'),
    })
    expect(asked).toEqual(['ws'])
  })

  test('behavior: an interval by any of its names is one item', async () => {
    const { tape } = service.open()
    const streams = (['k5', '5', 5] as const).map((interval) => tape.klines(pairId, interval))
    for (const stream of streams) await stream.opened()
    expect(service.sentParams('subscribe').map((params) => params.slice(0, 2))).toEqual(
      Array(3).fill(['multi_kline', ['pair-1', 'k5', 'local']]),
    )
    expect(service.socketCount()).toBe(3)
    const unknown = 7 as never
    expect(() => tape.klines(pairId, unknown)).toThrow("7 is not an interval (example: 'k5'")
  })

  test('behavior: bounds of a screener are those of its rows', () => {
    const { tape } = service.open()
    void tape.screener({ chain: 'local', min_holders: 1, sort: 'holders' }).close()
    // @ts-expect-error pairs have no holders
    void tape.screener({ chain: 'local', of: 'pairs', min_holders: 1 }).close()
    // @ts-expect-error mistyped
    void tape.screener({ chain: 'local', min_holder: 1 }).close()
  })

  test('behavior: more subscriptions than messages are taken at once', async () => {
    const plan = { ...service.holder.plan, messagesPerS: 300 }
    service.holder.plan = plan
    const { tape } = service.open()
    const streams = Array.from({ length: 700 }, (_, n) => tape.swaps(`p${n}-local`))
    await Promise.all(streams.map((stream) => stream.opened()))
    expect(service.socketCount()).toBe(1)
  })
})
