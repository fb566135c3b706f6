// Pools that pay one another inside their manager, with unknown hooks: their ids do not reveal the
// tokens.
import { expect, test } from 'vitest'
import {
  deposit,
  hooks,
  manager,
  native,
  pool,
  poolId,
  router,
  swapV3,
  swapV4,
  tokenA,
  tokenB,
  tokenC,
  tokenD,
  tokensOf,
  trader,
  transfer,
  withdrawal,
  wrapped,
} from '../../../../../test/support/tradeReceipts.ts'

const into = (token: string, amount: bigint) => transfer(token, trader, manager, amount)
const outOf = (token: string, amount: bigint) => transfer(token, manager, trader, amount)

test('behavior: what neither enters nor leaves between two pools is the native coin where it comes first in both', () => {
  expect(
    tokensOf(
      into(tokenB, 700n),
      swapV4(poolId('01'), 1000n, -700n),
      swapV4(poolId('02'), -1000n, 300n),
      outOf(tokenA, 300n),
    ),
  ).toEqual([
    [tokenB, native],
    [native, tokenA],
  ])
})

test('behavior: a token between two pools that is second in one of them is not guessed', () => {
  // Native to B, B to a hidden token, that to C, which leaves.
  expect(
    tokensOf(
      swapV4(poolId('01'), -1000n, 900n),
      swapV4(poolId('02'), -900n, 800n),
      swapV4(poolId('03'), -800n, 700n),
      outOf(tokenD, 700n),
    ),
  ).toEqual([
    [native, null],
    [null, null],
    [null, tokenD],
  ])
})

test('behavior: a withdrawal after one trade does not identify another', () => {
  expect(
    tokensOf(
      into(tokenA, 1000n),
      swapV4(poolId('01'), -1000n, 900n),
      swapV4(poolId('02'), 800n, -900n),
      outOf(tokenB, 800n),
    ),
  ).toEqual([
    [tokenA, null],
    [null, tokenB],
  ])
})

test('behavior: a token is followed from pool to pool, even if hooks took part of it', () => {
  // The hook takes 10 of the A that the trader paid in: the pool sees the rest.
  expect(
    tokensOf(
      into(tokenA, 1000n),
      transfer(tokenA, manager, hooks, 10n),
      swapV4(poolId('01'), -990n, 900n),
      swapV4(poolId('02'), 800n, -900n),
      outOf(tokenB, 799n),
      transfer(tokenB, manager, hooks, 1n),
    ),
  ).toEqual([
    [tokenA, null],
    [null, tokenB],
  ])
})

test('behavior: trades paid together are found by the sums that moved', () => {
  expect(
    tokensOf(
      into(tokenB, 1000n),
      swapV4(poolId('01'), 300n, -600n),
      swapV4(poolId('02'), 200n, -400n),
      outOf(tokenA, 500n),
    ),
  ).toEqual([
    [tokenB, tokenA],
    [tokenB, tokenA],
  ])
})

test('behavior: what left its manager and was unwrapped comes back as the native coin', () => {
  expect(
    tokensOf(
      into(tokenA, 1000n),
      swapV4(poolId('01'), -1000n, 900n),
      transfer(wrapped, manager, router, 900n),
      withdrawal(router, 900n),
      swapV4(poolId('02'), -900n, 800n),
      outOf(tokenC, 800n),
    ),
  ).toEqual([
    [tokenA, wrapped],
    [native, tokenC],
  ])
  expect(
    tokensOf(
      into(tokenA, 1000n),
      swapV4(poolId('01'), 900n, -1000n),
      deposit(router, 900n),
      transfer(wrapped, router, pool, 900n),
      transfer(tokenB, pool, trader, 800n),
      swapV3(-800n, 900n),
    ),
  ).toEqual([
    [tokenA, native],
    [wrapped, tokenB],
  ])
})

test('behavior: trades of one token in several pools add up to what moved of it', () => {
  // A round trip with a gain: the tokens in between are not guessed.
  expect(
    tokensOf(
      swapV4(poolId('01'), 900n, -1000n),
      swapV4(poolId('02'), -900n, 1005n),
      outOf(tokenB, 5n),
    ),
  ).toEqual([
    [tokenB, null],
    [null, tokenB],
  ])
  expect(
    tokensOf(
      into(tokenB, 1000n),
      swapV4(poolId('01'), 300n, -600n),
      swapV4(poolId('02'), 350n, -400n),
      swapV4(poolId('03'), -350n, 210n),
      outOf(tokenC, 210n),
      outOf(tokenA, 300n),
    ),
  ).toEqual([
    [tokenB, tokenA],
    [tokenB, native],
    [native, tokenC],
  ])
})

test('behavior: of two tokens between pools neither is taken for the native coin', () => {
  expect(
    tokensOf(
      into(tokenD, 1000n),
      swapV4(poolId('01'), 900n, -1000n),
      swapV4(poolId('02'), 800n, -900n),
      swapV4(poolId('03'), -800n, 700n),
      outOf(tokenC, 700n),
    ),
  ).toEqual([
    [tokenD, null],
    [null, null],
    [null, tokenC],
  ])
})
