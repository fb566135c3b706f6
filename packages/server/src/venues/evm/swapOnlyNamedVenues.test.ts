import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const [tokenA, tokenB, trader, pool] = ['0a', '0b', '77', 'aa'].map(address) as [
  ...[string, string, string, string],
]
const native = address('00')
const hash = `0x${'07'.repeat(32)}`

function swapsOf(abi: string, args: object) {
  const log = encodeLog(abi, args as never, { address: pool, logIndex: 1, transactionHash: hash })
  const ref = { number: 1, hash, parentNumber: 0, parentHash: hash, timeS: 0 }
  const { events } = decodeLogs({ ref, logs: [log], senders: new Map([[hash, trader]]) })
  return events.flatMap((event) => {
    if (event.type !== 'swap') return []
    const { venues, couple, amount0, amount1, wallet } = event
    return [{ venue: venues?.[0], couple, amount0, amount1, wallet, pool: event.pool }]
  })
}

const sold = { couple: [tokenA, tokenB], amount0: 10n, amount1: -7n, wallet: trader, pool }

test('default: events of Trident, Mento and Bancor name the sold and bought tokens', () => {
  const trade = { tokenIn: tokenA, tokenOut: tokenB, amountIn: 10n, amountOut: 7n }
  expect(swapsOf(venueAbi.swapTrident, { recipient: trader, ...trade })).toEqual([
    { venue: 'trident', ...sold },
  ])
  const exchange = { exchangeProvider: trader, exchangeId: hash, trader }
  expect(swapsOf(venueAbi.swapMento, { ...exchange, ...trade })).toEqual([
    { venue: 'mento', ...sold },
  ])
  const amounts = { _trader: trader, _amount: 10n, _return: 7n, _conversionFee: 1n }
  expect(
    swapsOf(venueAbi.conversionBancor, { _fromToken: tokenA, _toToken: tokenB, ...amounts }),
  ).toEqual([{ venue: 'bancorV2', ...sold }])
  // The venue's address for the native coin.
  expect(
    swapsOf(venueAbi.conversionBancor, { _fromToken: address('ee'), _toToken: tokenB, ...amounts }),
  ).toEqual([{ venue: 'bancorV2', ...sold, couple: [native, tokenB] }])
})

test('default: Ambient reports both flows of its pool', () => {
  const asked = { poolIdx: 420n, isBuy: true, inBaseQty: true, qty: 10n, tip: 0 }
  const limits = { limitPrice: 1n, minOut: 1n, reserveFlags: 0 }
  const flows = { baseFlow: 10n, quoteFlow: -7n }
  const args = { quote: tokenB, ...asked, ...limits, ...flows }
  expect(swapsOf(venueAbi.swapAmbient, { base: tokenA, ...args })).toEqual([
    { venue: 'ambient', ...sold },
  ])
  expect(swapsOf(venueAbi.swapAmbient, { base: native, ...args })).toEqual([
    { venue: 'ambient', ...sold, couple: [native, tokenB] },
  ])
})

test('behavior: GMX’s router repeats the event of its vault and is not decoded', () => {
  const abi =
    'event Swap(address account, address tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut)'
  const trade = { tokenIn: tokenA, tokenOut: tokenB, amountIn: 10n, amountOut: 7n }
  expect(swapsOf(abi, { account: trader, ...trade })).toEqual([])
})

test('behavior: DefiPlaza’s event is decoded only from its pool', () => {
  const args = { sender: trader, inputToken: tokenA, outputToken: tokenB }
  const amounts = { inputAmount: 10n, outputAmount: 7n }
  expect(swapsOf(venueAbi.swappedDefiPlaza, { ...args, ...amounts })).toEqual([])
})
