// Tokens of pools that nobody knows, where transfers alone do not tell them.
import { expect, test } from 'vitest'
import { encodeLog } from '../../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../../test/support/eventAbi.ts'
import { venueAbi } from '../../../../../../test/support/venueAbi.ts'
import { uniswapV4 } from '../../../venues/evm/uniswap/uniswapV4.ts'
import { createVenueSet } from '../../../venues/evm/venueSet.ts'
import { knownVenues } from '../../../venues/evm/venues.ts'
import { createSwapDescriber } from './describeSwaps.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const [tokenA, tokenB, tokenC, wrapped] = ['1a', '2b', '3c', 'ee'].map(address) as [
  ...[string, string, string, string],
]
const [pool, router, trader, manager, hooks] = ['aa', 'bb', '77', '44', '55'].map(address)
const native = address('00')
const txHash = `0x${'05'.repeat(32)}`
const id = (byte: string) => `0x${byte.repeat(32)}`

type Written = readonly [abi: string, args: object, by: string]
const transfer = (token: string, from: string, to: string, value: bigint): Written => [
  eventAbi.transfer,
  { from, to, value },
  token,
]
const withdrawal = (src: string, wad: bigint): Written => [
  eventAbi.withdrawal,
  { src, wad },
  wrapped,
]
const deposit = (dst: string, wad: bigint): Written => [eventAbi.deposit, { dst, wad }, wrapped]
const exchange = (sold: bigint, bought: bigint): Written => [
  venueAbi.exchangeCurve,
  { buyer: router, sold_id: 0n, tokens_sold: sold, bought_id: 1n, tokens_bought: bought },
  pool!,
]
/** As the swapper sees it. */
const managed = (poolId: string, amount0: bigint, amount1: bigint): Written => [
  venueAbi.swapV4,
  {
    id: poolId,
    sender: router,
    amount0,
    amount1,
    sqrtPriceX96: 1n << 96n,
    liquidity: 1n,
    tick: 0,
    fee: 777,
  },
  manager!,
]

function describer(venues = knownVenues) {
  return createSwapDescriber({
    venues,
    wrapped,
    managers: new Map(),
    makers: new Map(),
    platforms: null,
    quotes: [wrapped],
  })
}

function receiptOf(...written: Written[]) {
  const logs = written.map(([abi, args, by], logIndex) =>
    encodeLog(abi, args as never, { address: by, logIndex, transactionHash: txHash }),
  )
  return { txHash, from: trader!, logs }
}

function tokensOf(...written: Written[]) {
  const lines = describer().describe([receiptOf(...written)])
  return lines.map(({ sold, bought }) => [sold.token, bought.token])
}

test('behavior: what was unwrapped for a pool, or wrapped after it, is the native coin', () => {
  expect(
    tokensOf(
      transfer(wrapped, trader!, router!, 1000n),
      withdrawal(router!, 1000n),
      transfer(tokenA, pool!, router!, 990n),
      exchange(1000n, 990n),
    ),
  ).toEqual([[native, tokenA]])
  expect(
    tokensOf(transfer(tokenA, router!, pool!, 500n), exchange(500n, 480n), deposit(router!, 480n)),
  ).toEqual([[tokenA, native]])
  // A pool of the wrapped coin gets it itself, whoever wrapped it.
  expect(
    tokensOf(
      deposit(router!, 1000n),
      transfer(wrapped, router!, pool!, 1000n),
      transfer(tokenA, pool!, router!, 990n),
      exchange(1000n, 990n),
    ),
  ).toEqual([[wrapped, tokenA]])
})

test('behavior: pools that pay one another inside a manager tell the tokens of each other', () => {
  const made: Written = [
    venueAbi.initializeV4,
    {
      id: id('01'),
      currency0: tokenA,
      currency1: tokenB,
      fee: 777,
      tickSpacing: 7,
      hooks,
      sqrtPriceX96: 1n << 96n,
      tick: 0,
    },
    manager!,
  ]
  const [ab, bc] = [managed(id('01'), -1000n, 900n), managed(id('02'), -900n, 810n)]
  const [paidIn, paidOut] = [
    transfer(tokenA, trader!, manager!, 1000n),
    transfer(tokenC, manager!, trader!, 810n),
  ]
  expect(tokensOf(made, ab, bc, paidIn, paidOut)).toEqual([
    [tokenA, tokenB],
    [tokenB, tokenC],
  ])
})

test('behavior: a pool whose id tells nothing is not searched by it without end', () => {
  let searches = 0
  const isPoolOf = () => {
    searches++
    return false
  }
  const venues = createVenueSet([{ ...uniswapV4, traces: { hasNative: 'maybe', isPoolOf } }])
  const { describe } = describer(venues)
  const receipt = receiptOf(managed(id('01'), -1000n, 900n))
  for (let at = 0; at < 100; at++) describe([receipt])
  const few = searches
  for (let at = 0; at < 100; at++) describe([receipt])
  expect(few).toBeGreaterThan(0)
  expect(searches).toBe(few)
})
