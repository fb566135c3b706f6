// Pools whose swap events equal those of Uniswap V3.
import { expect, test } from 'vitest'
import {
  describer,
  pool,
  receiptOf,
  router,
  swapV3,
  tokenA,
  tokenB,
  trader,
  transfer,
  type Written,
} from '../../../../../test/support/tradeReceipts.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'

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
