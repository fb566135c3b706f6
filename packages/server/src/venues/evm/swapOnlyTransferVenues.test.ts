// Events without tokens or an amount, with the transfers that DssLitePsm and Masset make before
// them.
import { expect, test } from 'vitest'
import {
  describer,
  native,
  pool,
  receiptOf,
  router,
  tokenA,
  tokenB,
  tokenC,
  trader,
  transfer,
  type Written,
} from '../../../../../test/support/tradeReceipts.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'

const swapsOf = (...written: Written[]) =>
  describer()
    .describe([receiptOf(written)])
    .map(({ venue, sold, bought }) => [venue, sold.token, sold.amount, bought.token, bought.amount])

const [gem, dai, keg] = [tokenB, tokenA, router]
const wad = 10n ** 12n
const gems = (abi: string, fee: bigint): Written => [abi, { owner: trader, value: 500n, fee }, pool]

test('default: a peg stability module sells Dai minus its fee and buys it plus its fee', () => {
  const sold = [transfer(gem, trader, keg, 500n), transfer(dai, pool, trader, 500n * wad - 7n)]
  expect(swapsOf(...sold, gems(venueAbi.sellGemMaker, 7n))).toEqual([
    ['makerPsm', gem, '500', dai, '499999999999993'],
  ])
  const bought = [transfer(dai, trader, pool, 500n * wad + 7n), transfer(gem, keg, trader, 500n)]
  expect(swapsOf(...bought, gems(venueAbi.buyGemMaker, 7n))).toEqual([
    ['makerPsm', dai, '500000000000007', gem, '500'],
  ])
})

test('behavior: a coin of 18 decimals moves in the same amount as Dai', () => {
  const sold = [transfer(gem, trader, keg, 500n), transfer(dai, native, trader, 500n)]
  expect(swapsOf(...sold, gems(venueAbi.sellGemMaker, 0n))).toEqual([
    ['makerPsm', gem, '500', dai, '500'],
  ])
})

test('behavior: an event of a module without transfers is not decoded', () => {
  const sold = [transfer(gem, trader, keg, 500n), transfer(dai, pool, trader, 500n * wad)]
  expect(swapsOf(...sold, gems(venueAbi.sellGemMaker, 7n))).toEqual([])
  expect(swapsOf(gems(venueAbi.sellGemMaker, 0n), ...sold)).toEqual([])
})

test('default: mStable received what the swapper sent', () => {
  const args = { swapper: trader, input: tokenA, output: tokenB, outputAmount: 99n }
  const trade = [
    transfer(tokenA, trader, tokenC, 3n),
    transfer(tokenA, trader, pool, 100n),
    transfer(tokenB, pool, router, 99n),
  ]
  const wanted = [['mStable', tokenA, '100', tokenB, '99']]
  const newer: Written = [
    venueAbi.swappedMStable,
    { ...args, scaledFee: 1n, recipient: router },
    pool,
  ]
  expect(swapsOf(...trade, newer)).toEqual(wanted)
  expect(
    swapsOf(...trade, [venueAbi.swappedMStableV1, { ...args, recipient: router }, pool]),
  ).toEqual(wanted)
  expect(swapsOf(newer)).toEqual([])
})
