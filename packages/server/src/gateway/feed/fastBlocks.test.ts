// Blocks that share a second, as on chains with five blocks a second.
import { expect, test } from 'vitest'
import type { Message } from '../../../../../test/support/feedMarket.ts'
import {
  buy,
  createManualMarket,
  microtask,
  rest,
  transactionIds,
} from '../../../../../test/support/manualMarket.ts'
import { state, sync } from '../../../../../test/support/marketChain.ts'
import type { FinishedEvent } from '../../model/finishedBlock.ts'

const stepS = 0.15
const startMs = 1_700_000_001_000

const deposit = {
  type: 'liquidity',
  kind: 'add',
  index: 0,
  txHash: '0xdd',
  wallet: 'alice',
  sender: 'alice',
  pairId: 1,
  amount0: 10n,
  amount1: 5n,
  ...state(1_900, 1_060),
} as FinishedEvent

/** Commits a block with two swaps and a deposit. The first swap is of the wallet `alice`. */
function trade({ commit }: ReturnType<typeof createManualMarket>, at: number): void {
  const reserves = (by: number): [number, number] => [1_900 - 10 * at - by, 1_060 + 10 * at + by]
  commit({ events: [buy(`0xa${at}`, reserves(0)), deposit, buy(`0xb${at}`, reserves(1))] }, stepS)
}

const timesOf = (messages: readonly Message[]) =>
  messages.map(({ result }) => [result.tx.time, result.tx.time_ms])

test('default: trades of five blocks in one second are pushed in chain order', () => {
  const market = createManualMarket()
  const [tx, multi, wallet] = [
    'tx:pair-1-local',
    'multi_tx:token-4-local',
    'wallet:alice-local',
  ].map((key) => market.subscribe(key))
  const liq = market.subscribe('liq:pair-1-local')
  for (let at = 0; at < 5; at += 1) trade(market, at)
  const numbers = [2, 3, 4, 5, 6]
  const steps = [150, 300, 450, 600, 750].map((ms) => [startMs / 1_000, startMs + ms])
  for (const reader of [tx!, multi!, wallet!]) {
    expect(transactionIds(reader.messages)).toEqual(
      numbers.flatMap((number) => [`${number}-0`, `${number}-2`]),
    )
    expect(timesOf(reader.messages)).toEqual(steps.flatMap((step) => [step, step]))
  }
  expect(transactionIds(liq.messages)).toEqual(numbers.map((number) => `${number}-1`))
  expect(timesOf(liq.messages)).toEqual(steps)
})

test('behavior: the kline of that second opens with the first trade and closes with the last', () => {
  const market = createManualMarket()
  const tx = market.subscribe('tx:pair-1-local')
  const kline = market.subscribe('kline:pair-1-local:s1')
  for (let at = 0; at < 5; at += 1) trade(market, at)
  const prices = tx.messages.map(({ result }) => result.tx.to_price_usd)
  const klines = kline.messages.map(({ result }) => result.kline.usd)
  expect(klines.map(({ time }) => time)).toEqual(Array(5).fill(startMs / 1_000))
  expect(klines.map(({ close }) => close)).toEqual(prices.filter((_, at) => at % 2 === 1))
  expect(new Set(klines.map(({ open }) => open))).toEqual(new Set([klines[0].open]))
  expect(klines.at(-1).high).toBe(prices.at(-1))
})

test('behavior: pushes of a block without milliseconds omit them', () => {
  const { subscribe, commit } = createManualMarket()
  const reader = subscribe('tx:pair-1-local')
  commit({ events: [buy('0xaa')] })
  expect(reader.messages[0].result.tx.time).toBe(startMs / 1_000 + 1)
  expect(reader.messages[0].result.tx).not.toHaveProperty('time_ms')
})

test('behavior: prices that a block changed have its milliseconds, first prices do not', async () => {
  const market = createManualMarket()
  const reader = market.subscribe('price:pair-1-local')
  await microtask()
  trade(market, 0)
  market.commit({ events: [sync(1, 1_800, 1_100)] }, stepS)
  trade(market, 2)
  const prices = reader.messages.map(({ result }) => result.prices[0])
  expect(new Set(prices.map(({ uprice }) => uprice)).size).toBe(4)
  const second = startMs / 1_000
  expect(prices.map(({ time, time_ms }) => [time, time_ms])).toEqual([
    [second, undefined],
    [second, startMs + 150],
    [second, startMs + 300],
    [second, startMs + 450],
  ])
})

test('behavior: a replay from memory or the store equals the live pushes', async () => {
  const market = createManualMarket()
  const live = market.subscribe('tx:pair-1-local', 1, { revisions: true })
  const since = `1-${market.refs[0]!.hash.slice(2, 10)}-2147483647`
  for (let at = 0; at < 5; at += 1) trade(market, at)
  for (const persistedNumber of [-1, 6]) {
    market.store.persistedNumber = persistedNumber
    const resumed = market.subscribe('tx:pair-1-local', 1, { since })
    await rest()
    expect(resumed.messages.map(({ result }) => result)).toEqual(
      live.messages.map(({ result }) => result),
    )
  }
})

test('behavior: retractions carry the time of the retracted push', () => {
  const market = createManualMarket()
  const reader = market.subscribe('tx:pair-1-local', 1, { revisions: true })
  trade(market, 0)
  market.revert()
  expect(timesOf(reader.messages)).toEqual(
    Array.from({ length: 4 }, () => [startMs / 1_000, startMs + 150]),
  )
})
