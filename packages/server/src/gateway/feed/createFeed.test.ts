import { expect, test } from 'vitest'
import { type Message, sentMs } from '../../../../../test/support/feedMarket.ts'
import {
  buy,
  createManualMarket,
  microtask,
  transactionIds,
} from '../../../../../test/support/manualMarket.ts'
import { pair, swap, sync, token } from '../../../../../test/support/marketChain.ts'
import type { FinishedEvent } from '../../model/finishedBlock.ts'
import type { LogEntry } from '../../model/logEntry.ts'

test('default: a subscriber gets the swaps of its pair until it unsubscribes', () => {
  const { subscribe, unsubscribe, commit } = createManualMarket()
  const reader = subscribe('tx:pair-1-local', 42)
  commit({ events: [buy('0xaa')] })
  expect(reader.messages).toMatchObject([
    {
      id: 42,
      jsonrpc: '2.0',
      result: {
        id: 'pair-1',
        topic: 'tx',
        tx: {
          transaction: '0xaa',
          direction: 'buy',
          from_address: 'token-0',
          to_address: 'token-4',
          from_amount: '60',
          to_amount: '100',
          from_reserve: '1060',
          to_reserve: '1900',
          amount_usd: '120000',
          amount_eth: '60',
          block_number: 2,
          id: '2-0',
          tx_seq: '0',
        },
      },
      sent_time: sentMs,
    },
  ])
  unsubscribe(reader)
  commit({ events: [buy('0xab')] })
  expect(reader.messages).toHaveLength(1)
})

test('behavior: detailed pushes carry a cursor and times', () => {
  const { subscribe, commit } = createManualMarket()
  const reader = subscribe('tx:pair-1-local', 1, { revisions: true })
  const ref = commit({ events: [sync(0, 1_000, 2_000_000), buy('0xaa')] })
  const hash8 = ref.hash.slice(2, 10)
  expect(reader.messages[0]).toMatchObject({
    cursor: `2-${hash8}-1`,
    block_time: ref.timeS,
    received_time: ref.timeS * 1_000 + 7,
    sent_time: sentMs,
  })
  // A client that missed this push resumes before it.
  expect(reader.pushes[0]?.cursor).toBe(`2-${hash8}-0`)
})

test('behavior: an unknown pair or token can be subscribed before it exists', async () => {
  const { subscribe, commit } = createManualMarket()
  const tx = subscribe('tx:pair-2-local')
  const multi = subscribe('multi_tx:token-6-local')
  const price = subscribe('price:token-6-local')
  await microtask()
  expect(price.messages[0].result).toEqual({ prices: [], topic: 'price' })
  const born = { tokens: [token(6)], pairs: [pair(2, 6, 0)], events: [sync(2, 1_000, 1_000)] }
  commit(born)
  commit({ events: [{ ...swap(2, [-10, 10], [990, 1_010]), txHash: '0xcc' } as FinishedEvent] })
  expect(transactionIds(tx.messages)).toEqual(['3-0'])
  expect(transactionIds(multi.messages)).toEqual(['3-0'])
  expect(price.messages.at(-1).result.prices[0]).toMatchObject({ pair: 'pair-2', token: 'token-6' })
})

test('behavior: an untrusted pair has no TVL and no volume in any push', () => {
  const { subscribe, commit } = createManualMarket()
  const [news, price, tx, kline] = [
    ...['new_pairs:local', 'price:pair-2-local', 'tx:pair-2-local', 'kline:pair-2-local:k1'],
  ].map((key) => subscribe(key))
  const usd_reason = 'untrusted_pool'
  const traded = { ...swap(2, [-1, 1_000], [1, 1_000_000]), txHash: '0xcc' } as FinishedEvent
  commit({ tokens: [token(6)], pairs: [pair(2, 6, 1, false)], events: [traded] })
  expect(news!.messages.at(-1).result.pair).toMatchObject({
    is_trusted: false,
    tvl: '0',
    usd_reason,
  })
  expect(price!.messages.at(-1).result.prices[0]).toMatchObject({
    pair: 'pair-2',
    tvl: '0',
    volume_24_u: '0',
    usd_reason,
  })
  expect(tx!.messages.at(-1).result.tx).toMatchObject({
    pair_liquidity_usd: '0',
    pair_liquidity_eth: '0',
    amount_usd: '0',
    amount_eth: '0',
    usd_reason,
  })
  expect(kline!.messages.at(-1).result.kline).toMatchObject({
    usd: { volume: '0', volume_24h: '0', usd_reason },
    eth: { volume: '0' },
  })
})

test('behavior: a kline is pushed once per block and interval', () => {
  const { subscribe, commit } = createManualMarket()
  const k1 = subscribe('kline:pair-1-local:k1')
  const s1 = subscribe('multi_kline:pair-1-local:s1')
  commit({ events: [buy('0xaa'), buy('0xab', [1_800, 1_120])] })
  commit({ events: [sync(0, 1_000, 2_000_000)] })
  commit({ events: [buy('0xac', [1_700, 1_200])] }, 60)
  expect(k1.messages).toHaveLength(2)
  expect(s1.messages).toHaveLength(2)
  const [first, second] = k1.messages.map(({ result }) => result)
  expect(first).toMatchObject({ id: 'pair-1-local', interval: '1', topic: 'kline' })
  expect(first.kline.usd).toMatchObject({ volume: '240000', count_24h: '2', swap: '' })
  expect(second.kline.usd.open).toBe(first.kline.usd.close)
  expect(second.kline.eth.open).toBe(first.kline.eth.close)
  expect(second.kline.usd.time % 60).toBe(0)
  expect(k1.pushes[0]!.conflateKey).not.toBe(k1.pushes[1]!.conflateKey)
})

test('behavior: prices of one request share a push, each pair and token once', async () => {
  const { subscribe, commit } = createManualMarket()
  const socket = {}
  const keys = ['price:pair-1-local', 'price:token-4-local', 'price:pair-0-local']
  const readers = keys.map((key) => subscribe(key, 5, {}, socket))
  const alone = subscribe('price:token-4-local', 5)
  await microtask()
  const all = () => readers.flatMap(({ messages }) => messages)
  expect(all()).toHaveLength(1)
  expect(all()[0].result.prices.map(({ pair: of }: Message) => of)).toEqual([
    'pair-1',
    'pair-1',
    'pair-0',
  ])
  expect(alone.messages[0].result.prices).toHaveLength(1)
  const move = { ...swap(0, [1, -2_000], [1_001, 1_998_000]), txHash: '0x01' } as FinishedEvent
  commit({ events: [buy('0xaa'), move] })
  expect(all()).toHaveLength(2)
  expect(all()[1].result.prices.map(({ pair: of }: Message) => of)).toEqual([
    'pair-1',
    'pair-1',
    'pair-0',
  ])
  expect(alone.messages[1].result.prices.map(({ pair: of }: Message) => of)).toEqual(['pair-1'])
  // A block that changes no price causes no push.
  commit({ events: [] })
  expect(all()).toHaveLength(2)
})

test('behavior: a token and its main pair have separate price changes', async () => {
  const { subscribe, commit } = createManualMarket()
  commit({ pairs: [pair(2, 4, 0)], events: [sync(2, 2_000, 1_000)] })
  // Doubles the price on the old main pair.
  commit({ events: [buy('0xaa', [1_900, 1_060]), buy('0xab', [1_500, 1_500])] })
  for (let left = 6; left > 0; left -= 1) commit({ events: [sync(2, 4_000, 3_000)] })
  const socket = {}
  const keys = ['price:token-4-local', 'price:pair-2-local']
  const [reader] = keys.map((key) => subscribe(key, 5, {}, socket))
  await microtask()
  const [ofToken, ofPair] = reader!.messages[0].result.prices
  expect([ofToken.pair, ofPair.pair]).toEqual(['pair-2', 'pair-2'])
  commit({ events: [{ ...swap(2, [-100, 60], [3_900, 3_060]), txHash: '0x02' } as FinishedEvent] })
  const [nextToken, nextPair] = reader!.messages[1].result.prices
  expect(Number(nextToken.price_change_24h)).toBeCloseTo(
    (3_060 / 3_900 / (1_060 / 1_900) - 1) * 100,
  )
  expect(nextPair.price_change_24h).toBe('0')
})

test('behavior: the first price of a stablecoin names its deepest pair with the native coin', async () => {
  const { subscribe, commit } = createManualMarket()
  const reader = subscribe('price:token-1-local')
  await microtask()
  expect(reader.messages[0].result.prices).toMatchObject([
    { token: 'token-1', target_token: 'token-0', pair: 'pair-0', uprice: '1', is_main_pair: true },
  ])
  commit({
    events: [{ ...swap(0, [1, -2_000], [1_001, 1_998_000]), txHash: '0x01' } as FinishedEvent],
  })
  // The swap moved the main pair of the stablecoin, but not the stablecoin's price.
  expect(reader.messages).toHaveLength(1)
})

test('behavior: the price of a token follows its main pair, and kline subscribers get the switch', async () => {
  const { subscribe, unsubscribe, commit } = createManualMarket()
  commit({ pairs: [pair(2, 4, 0)], events: [sync(2, 2_000, 1_000)] })
  const price = subscribe('price:token-4-local')
  const old = subscribe('kline:pair-1-local:k1')
  const next = subscribe('multi_kline:pair-2-local:k5')
  const gone = subscribe('kline:pair-2-local:k60')
  unsubscribe(gone)
  await microtask()
  expect(price.messages[0].result.prices[0]).toMatchObject({ pair: 'pair-1', is_main_pair: true })
  for (let left = 6; left > 0; left -= 1) commit({ events: [sync(2, 4_000, 3_000)] })
  const switches = old.messages.filter(({ result }) => result.status === 'ok')
  expect(switches).toHaveLength(1)
  expect(switches[0]).toEqual({
    id: 1,
    jsonrpc: '2.0',
    result: {
      data: {
        chain: 'local',
        event: 'switch_main_pair',
        id: 'pair-1-local',
        tag: '',
        new_main_pair: 'pair-2',
        old_main_pair: 'pair-1',
        token: 'token-4',
        new_main_pair_data: {
          amm: 'uniswapv2',
          chain: 'local',
          pair: 'pair-2',
          tag: '',
          target_token: 'token-4',
          init_reserve0: 2_000,
          init_reserve1: 1_000,
          reserve0: 4_000,
          reserve1: 3_000,
          token0_address: 'token-4',
          token0_decimal: 0,
          token0_symbol: 'T4',
          token1_address: 'token-0',
          token1_decimal: 0,
          token1_symbol: 'T0',
          tvl: 12_000_000,
        },
      },
      status: 'ok',
    },
  })
  expect(next.messages.filter(({ result }) => result.status === 'ok')).toEqual(switches)
  expect(gone.messages).toEqual([])
  expect(price.messages.at(-1).result.prices[0]).toMatchObject({
    pair: 'pair-2',
    is_main_pair: true,
  })
})

test('behavior: a main pair that changed without subscribers is known to the next one', async () => {
  const { subscribe, unsubscribe, commit } = createManualMarket()
  commit({ pairs: [pair(2, 4, 0)], events: [sync(2, 2_000, 1_000)] })
  const before = subscribe('price:token-4-local')
  await microtask()
  expect(before.messages[0].result.prices[0]).toMatchObject({ pair: 'pair-1', is_main_pair: true })
  unsubscribe(before)
  for (let left = 6; left > 0; left -= 1) commit({ events: [sync(2, 4_000, 3_000)] })
  const after = subscribe('price:token-4-local', 2)
  await microtask()
  expect(after.messages[0].result.prices[0]).toMatchObject({ pair: 'pair-2', is_main_pair: true })
})

test('behavior: heartbeats are sent once per request and chain, at their interval', () => {
  const { subscribe, unsubscribe, feed, refs } = createManualMarket()
  const socket = {}
  const first = subscribe('price:pair-1-local', 1, { heartbeatS: 5 }, socket)
  const second = subscribe('price:pair-0-local', 1, { heartbeatS: 5 }, socket)
  const beats = () =>
    [...first.messages, ...second.messages].filter(({ result }) => result.topic === 'heartbeat')
  for (let s = 0; s <= 10; s += 1) feed.tick(sentMs + s * 1_000)
  expect(beats()).toHaveLength(3)
  expect(beats()[0].result).toMatchObject({
    chain: 'local',
    state: 'live',
    head_block: 1,
    head_time: refs[0]!.timeS,
    head_age_s: Math.floor(sentMs / 1_000) - refs[0]!.timeS,
  })
  unsubscribe(first)
  feed.tick(sentMs + 60_000)
  expect(beats()).toHaveLength(4)
  unsubscribe(second)
  feed.tick(sentMs + 120_000)
  expect(beats()).toHaveLength(4)
})

test('behavior: trending pushes all ranks when they change', () => {
  const { subscribe, commit, clock } = createManualMarket()
  const reader = subscribe('trending:local')
  expect(reader.messages[0].result).toEqual({ chain: 'local', tokens: [], topic: 'trending' })
  clock.ms = 1_700_000_010_000
  commit({ events: [buy('0xaa')] })
  const [, message] = reader.messages
  expect(message.result.tokens[0]).toMatchObject({
    rank: 1,
    rank_before: null,
    token: 'token-4',
    symbol: 'T4',
    main_pair: 'pair-1',
    tx_count_24h: 1,
    tx_volume_u_24h: '120000',
  })
  clock.ms += 10_000
  commit({ events: [] })
  expect(reader.messages).toHaveLength(2)
})

test('behavior: unsubscribing during a push does not affect other subscribers', () => {
  const { subscribe, unsubscribe, commit } = createManualMarket()
  const readers = Array.from({ length: 9 }, () => subscribe('tx:pair-1-local'))
  const first = readers[0]!
  const send = first.send.bind(first)
  first.send = (push) => {
    send(push)
    unsubscribe(first)
    unsubscribe(readers[5]!)
  }
  commit({ events: [buy('0xaa')] })
  expect(readers.map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1, 1, 0, 1, 1, 1])
})

test('behavior: a subscriber that throws does not stop the market', () => {
  const { subscribe, commit, engine } = createManualMarket()
  const reader = subscribe('tx:pair-1-local')
  reader.send = () => {
    throw new Error('broken')
  }
  expect(() => commit({ events: [buy('0xaa')] })).not.toThrow()
  expect(engine.head()?.number).toBe(2)
})

test('behavior: subscriptions survive the replacement of a market', () => {
  const old = createManualMarket()
  const reader = old.subscribe('tx:pair-1-local')
  const fresh = createManualMarket()
  old.chains.set('local', fresh.chain)
  const entry: LogEntry = {
    type: 'commit',
    block: {
      ref: {
        number: 2,
        hash: '0x02',
        timeS: 1_700_000_009,
        parentNumber: 1,
        parentHash: fresh.refs[0]!.hash,
      },
      receivedMs: 0,
      tokens: [],
      pairs: [],
      supplies: [],
      nativeUsd: null,
      events: [buy('0xbb')],
    },
  }
  const applied = { chain: 'local', seq: 3, entry, events: fresh.engine.apply(entry) }
  fresh.chain.recent.applied(applied)
  old.feed.onApplied(applied)
  expect(reader.messages.map(({ result }) => result.tx.transaction)).toEqual(['0xbb'])
})
