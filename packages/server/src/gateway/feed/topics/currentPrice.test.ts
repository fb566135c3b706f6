import { expect, test } from 'vitest'
import { buy, createManualMarket, microtask } from '../../../../../../test/support/manualMarket.ts'
import { pair, swap, sync } from '../../../../../../test/support/marketChain.ts'
import type { FinishedEvent } from '../../../model/finishedBlock.ts'

/**
 * A block that changes the native coin's price. Token 4 is quoted in the native coin and not
 * traded.
 */
const nativeAt = (usd: number) => ({ events: [sync(0, 1_000, usd * 1_000)] })

test('default: a price moved by its quote token is pushed once per block', async () => {
  const { engine, subscribe, commit } = createManualMarket()
  commit({ events: [buy('0xaa', [2_000, 1_000])] })
  const socket = {}
  const ofToken = subscribe('price:token-4-local', 1, {}, socket)
  const ofPair = subscribe('price:pair-1-local', 2)
  await microtask()
  commit(nativeAt(3_000))
  commit({ events: [] })
  for (const { messages } of [ofToken, ofPair]) {
    expect(messages).toHaveLength(2)
    expect(messages[1].result.prices).toMatchObject([
      { pair: 'pair-1', uprice: '1500', last_price: '1000', direction: 'up' },
    ])
    expect(messages[1].result.prices[0]).not.toHaveProperty('time_ms')
  }
  expect(engine.tokenState(4).price!.usd).toBe(1_500)
})

test('behavior: a price moved by a trade uses the rates after its block', () => {
  const { engine, subscribe, commit } = createManualMarket()
  const reader = subscribe('price:pair-1-local')
  commit({ events: [sync(0, 1_000, 3_000_000), buy('0xaa', [1_000, 1_000])] })
  const [entry] = reader.messages.at(-1).result.prices
  expect(entry.uprice).toBe('3000')
  expect(engine.pairState(1).price0Usd).toBe(3_000)
})

test('behavior: prices are pushed only if they moved and are subscribed', () => {
  const { subscribe, commit } = createManualMarket()
  const stable = subscribe('price:token-1-local')
  const kline = subscribe('kline:pair-0-local:k1')
  commit({ events: [buy('0xaa')] })
  expect(stable.messages).toEqual([])
  expect(kline.messages).toEqual([])
})

test('behavior: figures of a token cover all its pairs, and the push names the main pair', async () => {
  const { engine, subscribe, commit } = createManualMarket()
  commit({ pairs: [pair(2, 4, 0)], events: [sync(2, 400, 200)] })
  const reader = subscribe('price:token-4-local', 1)
  const ofPair = subscribe('price:pair-1-local', 2)
  await microtask()
  commit({
    events: [
      buy('0xaa', [1_900, 1_060]),
      { ...swap(2, [-10, 6], [390, 206], 'bob'), txHash: '0xbb' } as FinishedEvent,
    ],
  })
  const { tvlUsd } = engine.tokenState(4)
  expect(tvlUsd).toBeGreaterThan(engine.pairState(1).tvlUsd)
  expect(reader.messages.at(-1).result.prices).toMatchObject([
    {
      token: 'token-4',
      pair: 'pair-1',
      volume_24_u: '132000',
      tx_count_24h: '2',
      tx_amount_24h: '110',
      makers_24h: '2',
      tvl: `${tvlUsd}`,
      reserve0: '1900',
      reserve1: '1060',
    },
  ])
  expect(ofPair.messages.at(-1).result.prices).toMatchObject([
    { volume_24_u: '120000', tx_count_24h: '1', tx_amount_24h: '100', makers_24h: '1' },
  ])
})

test('behavior: the open kline closes at the current price, once per block and without volume', () => {
  const { engine, subscribe, commit } = createManualMarket()
  const reader = subscribe('kline:pair-1-local:k60')
  commit({ events: [buy('0xaa', [2_000, 1_000])] })
  commit(nativeAt(3_000))
  commit({ events: [] })
  expect(reader.messages).toHaveLength(2)
  const [first, second] = reader.messages.map(({ result }) => result.kline)
  expect(first.usd).toMatchObject({ close: '1000', high: '1000', volume: '120000' })
  expect(second.usd).toMatchObject({
    time: first.usd.time,
    close: '1500',
    high: '1500',
    high_24h: '1500',
    low_24h: '1000',
    volume: '120000',
    count_24h: '1',
  })
  expect(second.eth).toMatchObject({ close: '0.5', volume: '60' })
  expect(engine.openKline(1, 5)!.usd.close).toBe(1_000)
})

test('behavior: a kline ends at its last trade, even if a later price was pushed', () => {
  const { subscribe, commit } = createManualMarket()
  const plain = subscribe('kline:pair-1-local:k1')
  const marked = subscribe('kline:pair-1-local:k1', 2, { revisions: true })
  commit({ events: [buy('0xaa', [2_000, 1_000])] })
  commit(nativeAt(3_000))
  commit({ events: [] }, 60)
  for (const { messages } of [plain, marked]) {
    const closes = messages.map(({ result }) => result.kline.usd.close)
    expect(closes).toEqual(['1000', '1500', '1000'])
    expect(messages[2].result.kline.usd.time).toBe(messages[0].result.kline.usd.time)
  }
  expect(marked.messages.map(({ result }) => result.final)).toEqual([false, false, true])
  // If the price did not move after the last trade, readers without revisions already have the
  // final kline.
  commit({ events: [buy('0xab', [2_000, 1_000])] })
  commit({ events: [] }, 60)
  expect(plain.messages).toHaveLength(4)
})

test('behavior: an open kline without trades disappears when its bucket ends', () => {
  const { subscribe, commit } = createManualMarket()
  commit({ events: [buy('0xaa', [2_000, 1_000])] })
  commit({ events: [] }, 600)
  const reader = subscribe('kline:pair-1-local:k1', 1, { revisions: true })
  commit(nativeAt(3_000))
  commit({ events: [] }, 60)
  expect(reader.messages).toMatchObject([
    { result: { final: false, kline: { usd: { open: '1000', close: '1500', volume: '0' } } } },
    { result: { retracted: true, kline: { usd: { close: '1500' } } } },
  ])
})

test('behavior: a revert restores the price', () => {
  const { subscribe, commit, revert } = createManualMarket()
  const price = subscribe('price:pair-1-local')
  const kline = subscribe('kline:pair-1-local:k60', 2)
  commit({ events: [buy('0xaa', [2_000, 1_000])] })
  commit(nativeAt(3_000))
  revert()
  expect(price.messages.at(-1).result.prices).toMatchObject([
    { uprice: '1000', last_price: '1500' },
  ])
  expect(kline.messages.at(-1).result.kline.usd.close).toBe('1000')
})
