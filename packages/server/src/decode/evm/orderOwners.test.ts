import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../test/support/eventAbi.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import type { DecodeEvmOptions } from './decodeEvmBlock.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const [solver, one, other, pool, router] = ['50', '01', '02', 'aa', 'bb'].map(address)
const cow = '0x9008d19f58aabd9ed0d60971565aa8510560ab41'
const reactor = '0x00000011f84b9aa48e5f8aa8b9897600006289be'
const entryPoint = '0x0000000071727de22e5e9d8baf0edac6f37da032'
const hash = `0x${'07'.repeat(32)}`

type Written = readonly [abi: string, args: object, by: string]
const swap: Written = [
  eventAbi.swapV2,
  { sender: router, to: router, amount0In: 1n, amount1In: 0n, amount0Out: 0n, amount1Out: 1n },
  pool!,
]
const trade = (owner: string, by = cow): Written => {
  const rest = { sellToken: one, buyToken: other, sellAmount: 1n, buyAmount: 1n, feeAmount: 0n }
  return [venueAbi.tradeCow, { owner, ...rest, orderUid: '0x00' }, by]
}
const fill = (swapper: string, by = reactor): Written => [
  venueAbi.fillUniswapX,
  { orderHash: hash, filler: solver, swapper, nonce: 1n },
  by,
]
const operation = (sender: string, by = entryPoint): Written => {
  const cost = { nonce: 1n, success: true, actualGasCost: 1n, actualGasUsed: 1n }
  return [venueAbi.userOperation, { userOpHash: hash, sender, paymaster: one, ...cost }, by]
}

/** Wallets of the swaps of one transaction signed by the solver. */
const walletsOf = (...written: Written[]) => walletsWith({}, ...written)

function walletsWith(options: DecodeEvmOptions, ...written: Written[]): string[] {
  const logs: EvmLog[] = written.map(([abi, args, by], logIndex) =>
    encodeLog(abi, args as never, { address: by, logIndex, transactionHash: hash }),
  )
  const ref = { number: 1, hash, parentNumber: 0, parentHash: hash, timeS: 0 }
  const { events, counts } = decodeLogs({ ref, logs, senders: new Map([[hash, solver!]]) }, options)
  expect(counts).toEqual({ malformed: 0, unknownSenders: 0, spoofed: 0 })
  return events.flatMap((event) => (event.type === 'swap' ? event.wallet : []))
}

test('default: trades for an order are its owner’s', () => {
  expect(walletsOf(trade(one!), swap, swap)).toEqual([one, one])
  expect(walletsOf(swap, trade(one!), trade(one!), swap)).toEqual([one, one])
  expect(walletsOf(swap, swap, fill(one!))).toEqual([one, one])
})

test('behavior: trades of several owners in the same tokens stay unattributed', () => {
  expect(walletsOf(trade(one!), trade(other!), swap)).toEqual([solver])
  expect(walletsOf(swap, fill(one!), fill(other!), swap, fill(one!))).toEqual([solver, solver])
})

const [tokenA, tokenB, tokenC, tokenD, third] = ['a1', 'b2', 'c3', 'd4', '03'].map(address)
const order = (
  owner: string,
  sellToken: string,
  buyToken: string,
  [sellAmount, buyAmount, feeAmount] = [1n, 1n, 0n],
): Written => {
  const rest = { sellToken, buyToken, sellAmount, buyAmount, feeAmount }
  return [venueAbi.tradeCow, { owner, ...rest, orderUid: '0x00' }, cow]
}
const move = (token: string, from: string, to: string, value: bigint): Written => [
  eventAbi.transfer,
  { from, to, value },
  token,
]
/** A trade in a new pool, from one token to another, with both transfers. */
const trading = (
  at: string,
  sold: string,
  into: bigint,
  bought: string,
  out: bigint,
): Written[] => [
  move(sold, router!, at, into),
  move(bought, at, router!, out),
  [
    eventAbi.swapV2,
    { sender: router, to: router, amount0In: into, amount1In: 0n, amount0Out: 0n, amount1Out: out },
    at,
  ],
]

test('behavior: tokens attribute trades to the owners of several orders, along a route too', () => {
  const [first, second, last] = ['e1', 'e2', 'e3'].map(address) as [string, string, string]
  const orders = [order(one!, tokenA!, tokenC!), order(other!, tokenD!, tokenA!)]
  // The first owner sells A for B for C, the other D for A.
  const route = [
    ...trading(first, tokenA!, 10n, tokenB!, 20n),
    ...trading(second, tokenB!, 20n, tokenC!, 30n),
    ...trading(last, tokenD!, 40n, tokenA!, 50n),
  ]
  expect(walletsOf(...orders, ...route)).toEqual([one, one, other])
  // The pool in the middle trades no token of the orders.
  const long = [
    ...trading(first, tokenA!, 10n, tokenB!, 20n),
    ...trading(second, tokenB!, 20n, third!, 30n),
    ...trading(last, third!, 30n, tokenC!, 60n),
  ]
  expect(walletsOf(...orders, ...long)).toEqual([one, one, one])
})

test('behavior: transfers from and to owners attribute several filled orders', () => {
  const [first, second] = ['e1', 'e2'].map(address) as [string, string]
  const filled = [
    move(tokenA!, one!, router!, 10n),
    move(tokenC!, other!, router!, 30n),
    ...trading(first, tokenA!, 10n, tokenB!, 20n),
    ...trading(second, tokenC!, 30n, tokenD!, 40n),
    move(tokenB!, router!, one!, 20n),
    fill(one!),
    move(tokenD!, router!, other!, 40n),
    fill(other!),
  ]
  expect(walletsOf(...filled)).toEqual([one, other])
})

const weth = address('ee')
const unwrap = (wad: bigint): Written => [eventAbi.withdrawal, { src: router, wad }, weth]

test('behavior: an owner paid in the native coin bought the unwrapped amount', () => {
  const [first, second] = ['e1', 'e2'].map(address) as [string, string]
  const trades = [
    ...trading(first, tokenA!, 10n, weth, 20n),
    unwrap(20n),
    ...trading(second, tokenA!, 30n, tokenB!, 40n),
  ]
  const solved = (coin: string) => [order(one!, tokenA!, coin), order(other!, tokenA!, tokenB!)]
  for (const wrappedTokens of [undefined, new Set([weth])])
    for (const coin of [weth, `0x${'e'.repeat(40)}`, address('00')])
      expect(walletsWith({ wrappedTokens }, ...solved(coin), ...trades)).toEqual([one, other])
  // Fills name no tokens, and the first owner received none.
  const filled = [
    move(tokenA!, one!, router!, 10n),
    move(tokenA!, other!, router!, 30n),
    ...trades,
    fill(one!),
    move(tokenB!, router!, other!, 40n),
    fill(other!),
  ]
  expect(walletsOf(...filled)).toEqual([one, other])
})

test('behavior: equal amounts between two pools, but for dust, are a route', () => {
  const [first, second, last] = ['e1', 'e2', 'e3'].map(address) as [string, string, string]
  // The deposit for the second owner is not a swap; the first owner wants coins, too.
  const orders = [order(one!, tokenA!, weth), order(other!, tokenB!, tokenD!)]
  const trades = [
    ...trading(first, tokenA!, 500n, weth, 20n),
    ...trading(second, tokenB!, 7n, tokenC!, 4_417_112n),
    ...trading(last, tokenC!, 4_417_111n, weth, 30n),
  ]
  expect(walletsOf(...orders, ...trades)).toEqual([one, other, other])
  const apart = trading(last, tokenC!, 4_000_000n, weth, 30n)
  expect(walletsOf(...orders, ...trades.slice(0, 6), ...apart)).toEqual([one, other, one])
})

test('behavior: what one pool paid and the next one took comes before other traders of these tokens', () => {
  const [first, second, last] = ['e1', 'e2', 'e3'].map(address) as [string, string, string]
  // The first owner sells the token that the other's route passes, for the same token.
  const orders = [order(one!, tokenB!, tokenC!), order(other!, tokenA!, tokenC!)]
  const trades = [
    ...trading(first, tokenB!, 10n, tokenC!, 20n),
    ...trading(second, tokenA!, 500n, tokenB!, 7n),
    ...trading(last, tokenB!, 7n, tokenC!, 14n),
  ]
  expect(walletsOf(...orders, ...trades)).toEqual([one, other, other])
  // Pools that call one another emit the last swap first.
  const backwards = [trades.slice(6), trades.slice(3, 6), trades.slice(0, 3)].flat()
  expect(walletsOf(...orders, ...backwards)).toEqual([other, other, one])
})

test('behavior: amounts tell owners of the same tokens apart', () => {
  const [first, second, last] = ['e1', 'e2', 'e3'].map(address) as [string, string, string]
  const orders = [
    order(one!, tokenA!, tokenB!, [100n, 40n, 1n]),
    order(other!, tokenA!, tokenB!, [300n, 130n, 0n]),
  ]
  // Minus the fee, and without it.
  const paid = [
    ...trading(first, tokenA!, 300n, tokenB!, 131n),
    ...trading(second, tokenA!, 99n, tokenB!, 41n),
  ]
  expect(walletsOf(...orders, ...paid)).toEqual([other, one])
  expect(walletsOf(...orders, ...trading(last, tokenA!, 298n, tokenB!, 130n))).toEqual([other])
  expect(walletsOf(...orders, ...trading(last, tokenA!, 399n, tokenB!, 171n))).toEqual([solver])
  // Fills name no amounts, so the amounts that their owners sent count.
  const filled = [
    move(tokenA!, one!, router!, 99n),
    move(tokenA!, other!, router!, 300n),
    ...paid,
    move(tokenB!, router!, one!, 41n),
    fill(one!),
    move(tokenB!, router!, other!, 130n),
    fill(other!),
  ]
  expect(walletsOf(...filled)).toEqual([other, one])
})

test('behavior: the only seller of a token has its trades, even if another owner buys what they pass', () => {
  const [first, second, last] = ['e1', 'e2', 'e3'].map(address) as [string, string, string]
  const sale = order(one!, tokenA!, tokenD!)
  const trade = trading(first, tokenA!, 10n, tokenB!, 20n)
  expect(walletsOf(sale, order(other!, tokenC!, tokenB!), ...trade)).toEqual([one])
  const buyers = [order(other!, tokenC!, tokenB!), order(third!, tokenC!, tokenB!)]
  expect(walletsOf(sale, ...buyers, ...trade)).toEqual([one])
  // Neither of two sellers has the trades, and the buyer did not sell the token.
  expect(
    walletsOf(sale, order(other!, tokenA!, tokenC!), order(third!, tokenC!, tokenB!), ...trade),
  ).toEqual([solver])
  // The first owner's trade passes token B, which another owner sells: the trade is split there.
  const split = [
    ...trade,
    ...trading(second, tokenB!, 12n, tokenD!, 30n),
    ...trading(last, tokenB!, 8n, tokenD!, 19n),
  ]
  expect(walletsOf(sale, order(other!, tokenB!, tokenC!), ...split)).toEqual([one, one, one])
})

test('behavior: an unknown reactor is accepted if allowed and the transfers agree', () => {
  const isAnyReactor = true
  const trades = trading(pool!, tokenA!, 10n, tokenB!, 20n)
  const took = move(tokenA!, one!, router!, 10n)
  const gave = move(tokenB!, router!, one!, 20n)
  const filled = fill(one!, router)
  expect(walletsWith({ isAnyReactor }, took, ...trades, gave, filled)).toEqual([one])
  expect(walletsOf(took, ...trades, gave, filled)).toEqual([solver])
  expect(walletsWith({ isAnyReactor }, took, ...trades, filled)).toEqual([solver])
  expect(walletsWith({ isAnyReactor }, ...trades, gave, filled)).toEqual([solver])
  const elsewhere = move(tokenC!, one!, router!, 10n)
  expect(walletsWith({ isAnyReactor }, elsewhere, ...trades, gave, filled)).toEqual([solver])
  // Paid in the native coin.
  const toCoin = trading(pool!, tokenA!, 10n, weth, 20n)
  expect(walletsWith({ isAnyReactor }, took, ...toCoin, unwrap(20n), filled)).toEqual([one])
})

test('behavior: an operation’s trades are those since the one before', () => {
  const bundle = [swap, operation(one!), swap, swap, operation(other!), swap]
  expect(walletsOf(...bundle)).toEqual([one, other, other, solver])
})

test('behavior: contracts that check no signatures put nothing down to anybody', () => {
  expect(walletsOf(swap, trade(one!, router), fill(one!, router), operation(one!, router))).toEqual(
    [solver],
  )
})
