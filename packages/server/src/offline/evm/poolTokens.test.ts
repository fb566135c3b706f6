// Tokens of a pool, from several transactions together.
import { expect, test } from 'vitest'
import {
  describer,
  pool,
  receiptOf,
  swapV3,
  tokenA,
  tokenB,
  tokenC,
  tokensIn,
  trader,
  transfer,
  type Written,
} from '../../../../../test/support/tradeReceipts.ts'

const trade = (bought: bigint, ...others: Written[]) => [
  transfer(tokenA, trader, pool, 1000n),
  transfer(tokenB, pool, trader, bought),
  ...others,
  swapV3(1000n, -bought),
]
/** A reward in exactly the bought amount. */
const doubtful = trade(900n, transfer(tokenC, pool, trader, 900n))

test('behavior: a token that moved in the same amount once does not stand for the pool’s own elsewhere', () => {
  const own = [tokenA, tokenB]
  expect(tokensIn(doubtful, trade(901n), trade(902n))).toEqual([own, own, own])
  expect(tokensIn(trade(901n), doubtful)).toEqual([own, own])
})

test('behavior: what moved in a transaction itself is believed before what others say', () => {
  const other = [
    transfer(tokenA, trader, pool, 1000n),
    transfer(tokenC, pool, trader, 800n),
    swapV3(1000n, -800n),
  ]
  expect(tokensIn(other, other, trade(901n))).toEqual([
    [tokenA, tokenC],
    [tokenA, tokenC],
    [tokenA, tokenB],
  ])
})

test('behavior: where nothing moved most transactions are believed', () => {
  const silent = [swapV3(1000n, -900n)]
  const strange = [
    transfer(tokenA, trader, pool, 1000n),
    transfer(tokenC, pool, trader, 800n),
    swapV3(1000n, -800n),
  ]
  expect(tokensIn(strange, trade(901n), trade(902n), silent).at(-1)).toEqual([tokenA, tokenB])
})

test('behavior: what is learned first holds for what is described before', () => {
  const { learn, describe } = describer()
  learn([receiptOf(doubtful, '01'), receiptOf(trade(901n), '02')])
  const [line] = describe([receiptOf([swapV3(1000n, -900n)], '03')])
  expect([line?.sold.token, line?.bought.token]).toEqual([tokenA, tokenB])
})
