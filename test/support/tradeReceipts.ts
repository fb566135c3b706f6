import { createSwapDescriber } from '../../packages/server/src/offline/evm/describeSwaps.ts'
import { venueTraces } from '../../packages/server/src/offline/evm/venueTraces.ts'
import { knownVenues } from '../../packages/server/src/venues/evm/venues.ts'
import { encodeLog } from './encodeLog.ts'
import { eventAbi } from './eventAbi.ts'
import { venueAbi } from './venueAbi.ts'

// Hand-written receipts of trades in pools that are unknown to the decoder, and helpers to decode
// them.

const address = (byte: string) => `0x${byte.repeat(20)}`

export const tokenA = address('1a')
export const tokenB = address('2b')
export const tokenC = address('3c')
export const tokenD = address('4d')
export const wrapped = address('ee')
export const native = address('00')
export const pool = address('aa')
export const router = address('bb')
export const trader = address('77')
export const manager = address('44')
export const hooks = address('55')
export const poolId = (byte: string) => `0x${byte.repeat(32)}`

/** An event, its arguments and the emitting contract. */
export type Written = readonly [abi: string, args: object, by: string]

export const transfer = (token: string, from: string, to: string, value: bigint): Written => [
  eventAbi.transfer,
  { from, to, value },
  token,
]
export const withdrawal = (src: string, wad: bigint): Written => [
  eventAbi.withdrawal,
  { src, wad },
  wrapped,
]
export const deposit = (dst: string, wad: bigint): Written => [
  eventAbi.deposit,
  { dst, wad },
  wrapped,
]
/** Exchange of coin 0 for coin 1. */
export const exchange = (
  sold: bigint,
  bought: bigint,
  abi: string = venueAbi.exchangeCurve,
): Written => [
  abi,
  { buyer: router, sold_id: 0n, tokens_sold: sold, bought_id: 1n, tokens_bought: bought },
  pool,
]
export const swapV2 = (in0: bigint, in1: bigint, out0: bigint, out1: bigint): Written => [
  eventAbi.swapV2,
  {
    ...{ sender: router, to: trader },
    ...{ amount0In: in0, amount1In: in1, amount0Out: out0, amount1Out: out1 },
  },
  pool,
]
export const swapV3 = (amount0: bigint, amount1: bigint, by = pool): Written => [
  eventAbi.swapV3,
  {
    ...{ sender: router, recipient: trader, amount0, amount1 },
    ...{ sqrtPriceX96: 1n << 96n, liquidity: 1n, tick: 0 },
  },
  by,
]
/** A V4 swap with amounts from the swapper's view. */
export const swapV4 = (id: string, amount0: bigint, amount1: bigint, fee = 777): Written => [
  venueAbi.swapV4,
  {
    ...{ id, sender: router, amount0, amount1 },
    ...{ sqrtPriceX96: 1n << 96n, liquidity: 1n, tick: 0, fee },
  },
  manager,
]

export function describer(traces = venueTraces) {
  return createSwapDescriber({
    venues: knownVenues,
    traces,
    wrapped,
    managers: new Map(),
    makers: new Map(),
    platforms: null,
    quotes: [wrapped],
  })
}

export function receiptOf(written: readonly Written[], txByte = '05') {
  const txHash = poolId(txByte)
  const logs = written.map(([abi, args, by], logIndex) =>
    encodeLog(abi, args as never, { address: by, logIndex, transactionHash: txHash }),
  )
  return { txHash, from: trader, logs }
}

/** Sold and bought tokens of each swap in the transactions. */
export function tokensIn(...transactions: (readonly Written[])[]) {
  const receipts = transactions.map((written, at) => receiptOf(written, `0${at + 1}`))
  const lines = describer().describe(receipts)
  return lines.map(({ sold, bought }) => [sold.token, bought.token])
}

/** Sold and bought tokens of the swaps in one transaction. */
export const tokensOf = (...written: Written[]) => tokensIn(written)
