import { expect, test } from 'vitest'
import {
  deposit,
  describer,
  exchange,
  hooks,
  manager,
  native,
  pool,
  poolId,
  receiptOf,
  router,
  swapV2,
  swapV3,
  swapV4,
  tokenA,
  tokenB,
  tokenC,
  tokenD,
  tokensIn,
  tokensOf,
  trader,
  transfer,
  type Written,
  withdrawal,
  wrapped,
} from '../../../../../test/support/tradeReceipts.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'

// Tokens of unknown pools, in transactions where transfers do not determine them.

test('behavior: what was unwrapped for a pool, or wrapped after it, is the native coin', () => {
  expect(
    tokensOf(
      transfer(wrapped, trader, router, 1000n),
      withdrawal(router, 1000n),
      transfer(tokenA, pool, router, 990n),
      exchange(1000n, 990n),
    ),
  ).toEqual([[native, tokenA]])
  expect(
    tokensOf(transfer(tokenA, router, pool, 500n), exchange(500n, 480n), deposit(router, 480n)),
  ).toEqual([[tokenA, native]])
  // A pool of the wrapped coin receives the coin itself, whichever account wrapped it.
  expect(
    tokensOf(
      deposit(router, 1000n),
      transfer(wrapped, router, pool, 1000n),
      transfer(tokenA, pool, router, 990n),
      exchange(1000n, 990n),
    ),
  ).toEqual([[wrapped, tokenA]])
})

test('behavior: pools that pay one another inside a manager reveal the tokens of each other', () => {
  const made: Written = [
    venueAbi.initializeV4,
    {
      id: poolId('01'),
      currency0: tokenA,
      currency1: tokenB,
      fee: 777,
      tickSpacing: 7,
      hooks,
      sqrtPriceX96: 1n << 96n,
      tick: 0,
    },
    manager,
  ]
  const [ab, bc] = [swapV4(poolId('01'), -1000n, 900n), swapV4(poolId('02'), -900n, 810n)]
  const [paidIn, paidOut] = [
    transfer(tokenA, trader, manager, 1000n),
    transfer(tokenC, manager, trader, 810n),
  ]
  expect(tokensOf(made, ab, bc, paidIn, paidOut)).toEqual([
    [tokenA, tokenB],
    [tokenB, tokenC],
  ])
})

test('behavior: searches by a pool’s id stop after a number of failures', () => {
  let searches = 0
  const isPoolOf = () => {
    searches++
    return false
  }
  const { describe } = describer({ uniswapV4: { hasNative: 'maybe', isPoolOf } })
  const receipt = receiptOf([swapV4(poolId('01'), -1000n, 900n)])
  for (let at = 0; at < 100; at++) describe([receipt])
  const few = searches
  for (let at = 0; at < 100; at++) describe([receipt])
  expect(few).toBeGreaterThan(0)
  expect(searches).toBe(few)
})

test('behavior: a coin’s number means another token where a pool trades what its coins stand for', () => {
  const plain = [
    transfer(tokenA, trader, pool, 400n),
    transfer(tokenB, pool, trader, 300n),
    exchange(400n, 300n),
  ]
  const underlying = [
    transfer(tokenA, trader, pool, 1000n),
    transfer(tokenC, pool, trader, 900n),
    exchange(1000n, 900n, venueAbi.exchangeUnderlyingCurve),
  ]
  expect(tokensIn(plain, underlying)).toEqual([
    [tokenA, tokenB],
    [tokenA, tokenC],
  ])
  expect(tokensIn(underlying, plain)).toEqual([
    [tokenA, tokenC],
    [tokenA, tokenB],
  ])
})

test('behavior: a payment in both tokens buys the one that comes out', () => {
  const [in0, in1] = [transfer(tokenA, trader, pool, 900n), transfer(tokenB, trader, pool, 500n)]
  const linesOf = (...written: Written[]) =>
    describer()
      .describe([receiptOf(written)])
      .map(({ sold, bought }) => ({ sold, bought }))
  expect(
    linesOf(in0, in1, transfer(tokenB, pool, trader, 100n), swapV2(900n, 500n, 0n, 100n)),
  ).toEqual([{ sold: { token: tokenA, amount: '900' }, bought: { token: tokenB, amount: '100' } }])
  expect(
    linesOf(in0, in1, transfer(tokenA, pool, trader, 100n), swapV2(900n, 500n, 100n, 0n)),
  ).toEqual([{ sold: { token: tokenB, amount: '500' }, bought: { token: tokenA, amount: '100' } }])
})

test('behavior: a flash loan repaid in the same token reveals that token only', () => {
  expect(
    tokensOf(
      transfer(tokenA, pool, router, 1000n),
      transfer(tokenA, router, pool, 1010n),
      swapV2(1010n, 0n, 1000n, 0n),
    ),
  ).toEqual([[tokenA, null]])
})

test('behavior: a token is found even if the other did not move', () => {
  expect(tokensOf(transfer(tokenB, pool, trader, 900n), swapV3(0n, -900n))).toEqual([
    [null, tokenB],
  ])
  // Neither is it the native coin.
  expect(tokensOf(transfer(tokenA, trader, pool, 1n), exchange(1n, 0n))).toEqual([[tokenA, null]])
  const clear = [
    transfer(tokenA, trader, pool, 1000n),
    transfer(tokenB, pool, trader, 900n),
    swapV3(1000n, -900n),
  ]
  expect(tokensIn([transfer(tokenA, trader, pool, 1n), swapV3(1n, 0n)], clear)[0]).toEqual([
    tokenA,
    tokenB,
  ])
})

test('behavior: shares that a pool makes and gives up stand for what is traded, and are not it', () => {
  const [sharesA, sharesB, lender] = [tokenC, tokenD, router]
  expect(
    tokensOf(
      transfer(tokenA, trader, pool, 1000n),
      transfer(tokenA, pool, lender, 1000n),
      transfer(sharesA, native, pool, 1000n),
      transfer(sharesB, pool, native, 990n),
      transfer(tokenB, lender, trader, 990n),
      exchange(1000n, 990n, venueAbi.exchangeUnderlyingCurve),
    ),
  ).toEqual([[tokenA, tokenB]])
})

// Pools whose swap events equal those of Uniswap V3.

const trade = [
  transfer(tokenA, trader, pool, 1000n),
  transfer(tokenB, pool, trader, 900n),
  swapV3(1000n, -900n),
]
const venuesOf = (...transactions: (readonly Written[])[]) =>
  describer()
    .describe(transactions.map((written, at) => receiptOf(written, `0${at + 1}`)))
    .map(({ venue }) => venue)
const fee = (by: string): Written => ['event Fee(uint16 fee)', { fee: 100 }, by]

test.each([
  ['a fee', fee(pool), 'algebra'],
  [
    'a fee for each way',
    ['event Fee(uint16 feeZto, uint16 feeOtz)', { feeZto: 1, feeOtz: 2 }, pool],
    'algebra',
  ],
  [
    'the fee of a swap',
    [
      'event SwapFee(address indexed sender, uint24 overrideFee, uint24 pluginFee)',
      { sender: router, overrideFee: 1, pluginFee: 2 },
      pool,
    ],
    'algebra',
  ],
  [
    'tokens in excess',
    ['event ExcessTokens(uint256 amount0, uint256 amount1)', { amount0: 1n, amount1: 2n }, pool],
    'algebra',
  ],
  [
    'fees of a gauge',
    [
      'event CollectFees(address indexed recipient, uint128 amount0, uint128 amount1)',
      { recipient: router, amount0: 1n, amount1: 2n },
      pool,
    ],
    'slipstream',
  ],
  [
    'its creation',
    [venueAbi.poolAlgebra, { token0: tokenA, token1: tokenB, pool }, router],
    'algebra',
  ],
] as [string, Written, string][])(
  'behavior: %s identifies the venue of the pool in all transactions',
  (_, event, venue) => {
    expect(venuesOf([event, ...trade])).toEqual([venue])
    expect(venuesOf(trade, [event])).toEqual([venue])
  },
)

test('behavior: events of another contract identify nothing', () => {
  expect(venuesOf([fee(router), ...trade])).toEqual(['uniswapV3'])
})
