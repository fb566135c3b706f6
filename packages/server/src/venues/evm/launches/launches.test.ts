// Facts from the other logs of a transaction: the quote of curve trades, the pool that got a
// curve's tokens, and the curve's progress.
import { expect, test } from 'vitest'
import { decodeLogs } from '../../../../../../test/support/decodeLogs.ts'
import { encodeLog } from '../../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../../test/support/eventAbi.ts'
import { venueAbi } from '../../../../../../test/support/venueAbi.ts'
import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import { createPoolIds } from '../decoding/poolIds.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const [platform, token, usdt, wallet, pool, factory, zero] = [
  ...['a1', 'b1', 'e1', 'c1', 'd1', 'f1', '00'].map(address),
] as [string, string, string, string, string, string, string]
const [tx, otherTx] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]
const ref = { number: 7, hash: tx, parentNumber: 6, parentHash: tx, timeS: 1_700_000_000 }
const ids = createPoolIds()
const one = 10n ** 18n

type Written = readonly [abi: string, args: Record<string, unknown>, by?: string]

/** Decodes logs of one transaction, between two unrelated payments. */
function decode(...written: Written[]) {
  const around = encodeLog(eventAbi.transfer, { from: wallet, to: platform, value: 101n })
  const place = (logIndex: number, by = platform) => ({ address: by, logIndex })
  const logs: EvmLog[] = [
    { ...around, ...place(0, factory), transactionHash: otherTx },
    ...written.map(([abi, args, by], i) =>
      encodeLog(abi, args, { ...place(i + 1, by), transactionHash: tx }),
    ),
    { ...around, ...place(90, factory), transactionHash: `0x${'03'.repeat(32)}` },
  ]
  const senders = new Map([tx, otherTx, `0x${'03'.repeat(32)}`].map((hash) => [hash, wallet]))
  const { events, counts } = decodeLogs({ ref, logs, senders })
  expect(counts.malformed).toBe(0)
  return events.filter(({ type }) => type !== 'transfer')
}

const transfer = (by: string, from: string, to: string, value: bigint): Written => [
  eventAbi.transfer,
  { from, to, value },
  by,
]
const purchase = (over: Record<string, unknown> = {}): Written => [
  venueAbi.purchaseFourMeme,
  {
    token,
    account: wallet,
    price: one / 4n,
    amount: 400n,
    cost: 100n,
    fee: 1n,
    offers: 200_000_000n * one,
    funds: 5_000n,
    ...over,
  },
]
const sale: Written = [venueAbi.saleFourMeme, purchase()[1]]

test('default: a purchase on four.meme reports price, remaining tokens and funds raised', () => {
  const curve = ids.curveOf(platform, token, 'native')
  expect(decode(transfer(token, platform, wallet, 400n), purchase())).toMatchObject([
    {
      type: 'swap',
      pool: curve,
      wallet,
      amount0: -400n,
      amount1: 100n,
      priceRaw: 0.25,
      reserve0: 200_000_000n * one,
      reserve1: 5_000n,
      venues: ['fourMeme'],
      curve: { platform, token0: token, token1: 'native', venue: 'fourMeme' },
    },
    { type: 'curve', pool: curve, filledPpm: 750_000 },
  ])
})

test.each([
  ['with the fee', 101n],
  ['without it', 100n],
])('behavior: a purchase is paid in the token that moved to the platform %s', (_, paid) => {
  const events = decode(transfer(usdt, wallet, platform, paid), purchase())
  const curve = ids.curveOf(platform, token, usdt)
  expect(events[0]).toMatchObject({ pool: curve, curve: { token1: usdt } })
})

test('behavior: a sale is paid in the token that moved from the platform, before or after its event', () => {
  const paid = transfer(usdt, platform, wallet, 99n)
  for (const events of [decode(paid, sale), decode(sale, paid)])
    expect(events[0]).toMatchObject({ amount0: 400n, amount1: -100n, curve: { token1: usdt } })
  // Another amount or another payee does not count.
  const others = [transfer(usdt, platform, wallet, 98n), transfer(usdt, wallet, pool, 99n)]
  expect(decode(...others, sale)[0]).toMatchObject({ curve: { token1: 'native' } })
})

test('behavior: a native payment that the chain logs as a transfer is not a token', () => {
  const paid = transfer(`0x${'f'.repeat(39)}e`, wallet, platform, 101n)
  expect(decode(paid, purchase())[0]).toMatchObject({ curve: { token1: 'native' } })
})

test('behavior: a launch on four.meme has the quote of its first purchase', () => {
  const args = { creator: wallet, token, requestId: 1n, name: 'Coin', symbol: 'C' }
  const numbers = { totalSupply: 10n ** 27n, launchTime: 1n, launchFee: 1n }
  const create: Written = [venueAbi.createFourMeme, { ...args, ...numbers }]
  const launch = { type: 'launch', creator: wallet, token0: token, platform }
  expect(decode(create)[0]).toMatchObject({ ...launch, token1: 'native' })
  const paid = transfer(usdt, wallet, platform, 101n)
  expect(decode(create, paid, purchase())[0]).toMatchObject({ ...launch, token1: usdt })
})

test('behavior: a curve of four.meme ends in the pool that receives its tokens', () => {
  const added = (quote: string): Written => [
    venueAbi.liquidityAddedFourMeme,
    { base: token, offers: 5n, quote, funds: 6n },
  ]
  const mint: Written = [eventAbi.mintV2, { sender: platform, amount0: 5n, amount1: 6n }, pool]
  const given = transfer(token, platform, pool, 5n)
  const curve = ids.curveOf(platform, token, 'native')
  expect(decode(given, mint, added(zero)).slice(-2)).toMatchObject([
    { type: 'graduation', curve, pool, terms: { token1: 'native', venue: 'fourMeme' } },
    { type: 'sync', pool: curve, reserve0: 0n, reserve1: 0n },
  ])
  const inUsdt = decode(given, mint, added(usdt)).at(-2)
  expect(inUsdt).toMatchObject({ curve: ids.curveOf(platform, token, usdt) })
  // A pool that others fill in the same transaction does not count.
  expect(decode(mint, added(zero)).some(({ type }) => type === 'graduation')).toBe(false)
})

const bought: Written = [
  venueAbi.boughtFlap,
  { ts: 1n, token, buyer: wallet, amount: 400n, eth: 100n, fee: 1n, postPrice: one / 8n },
]

test('behavior: flap reports a curve’s quote at its creation and its progress beside each trade', () => {
  const created: Written = [
    venueAbi.createFlap,
    { ts: 1n, creator: wallet, nonce: 1n, token, name: 'Coin', symbol: 'C', meta: '' },
  ]
  const quoteSet: Written = [venueAbi.quoteSetFlap, { token, quoteToken: usdt }]
  expect(decode(created)[0]).toMatchObject({ type: 'launch', token1: 'native', creator: wallet })
  expect(decode(created, quoteSet)[0]).toMatchObject({ token1: usdt })
  const progress = (newProgress: bigint): Written => [venueAbi.progressFlap, { token, newProgress }]
  const supply: Written = [venueAbi.supplyFlap, { token, newSupply: 400_000_000n * one }]
  const filled = (...written: Written[]) =>
    decode(...written).flatMap((event) => (event.type === 'curve' ? event.filledPpm : []))
  expect(decode(bought)).toMatchObject([{ amount0: -400n, amount1: 100n, priceRaw: 0.125 }])
  expect(filled(bought)).toEqual([])
  expect(filled(supply, bought)).toEqual([500_000])
  expect(filled(progress(one / 10n), bought, bought, progress(one / 5n))).toEqual([
    100_000, 200_000,
  ])
})

test('behavior: a flap token goes to the named pool, or to the pool of the named id', () => {
  const launched: Written = [venueAbi.launchedFlap, { token, pool, amount: 5n, eth: 6n }]
  expect(decode(launched)[0]).toMatchObject({ type: 'graduation', pool })
  const poolId = `0x${'9a'.repeat(32)}`
  const made: Written = [venueAbi.poolCreatedFlap, { token, poolId, sqrtPriceX96: 1n }]
  expect(decode(made, launched)[0]).toMatchObject({ type: 'graduation', pool: poolId })
  const paid = transfer(usdt, platform, pool, 6n)
  expect(decode(paid, launched)[0]).toMatchObject({ curve: ids.curveOf(platform, token, usdt) })
})

test('behavior: a Virtuals token launches with its pair and leaves it with its last purchase', () => {
  const pairAt = address('d2')
  const launched: Written = [venueAbi.launchedVirtuals, { token, pair: pairAt, count: 1n }]
  const made: Written = [
    eventAbi.pairCreated,
    { token0: token, token1: usdt, pair: pairAt, count: 1n },
    factory,
  ]
  const launch = { type: 'launch', pool: pairAt, token0: token, token1: usdt, platform }
  expect(decode(made, launched).find(({ type }) => type === 'launch')).toMatchObject(launch)
  expect(decode(launched)).toEqual([])
  const swap: Written = [
    venueAbi.swapVirtuals,
    { amount0In: 0n, amount0Out: 7n, amount1In: 3n, amount1Out: 0n },
    pairAt,
  ]
  const mint: Written = [eventAbi.mintV2, { sender: platform, amount0: 5n, amount1: 6n }, pool]
  const given = transfer(token, platform, pool, 5n)
  const graduated: Written = [venueAbi.graduatedVirtuals, { token, agentToken: token }]
  expect(decode(swap, given, mint, graduated).at(-1)).toMatchObject({
    type: 'graduation',
    curve: pairAt,
    pool,
  })
})

test('behavior: a clanker token of Uniswap V3 trades in the pool that receives its tokens', () => {
  const admins = { creatorAdmin: wallet, interfaceAdmin: zero, creatorRewardRecipient: zero }
  const numbers = { positionId: 1n, amountTokensBought: 0n, vaultDuration: 0n, vaultPercentage: 0 }
  const texts = { name: 'Coin', symbol: 'C', metadata: '' }
  const created: Written = [
    venueAbi.createClankerV3,
    {
      tokenAddress: token,
      ...admins,
      ...numbers,
      ...texts,
      msgSender: wallet,
      interfaceRewardRecipient: zero,
      startingTickIfToken0IsNewToken: 0,
    },
  ]
  const ticks = { owner: platform, tickLower: -10, tickUpper: 10 }
  const mint: Written = [
    eventAbi.mintV3,
    { sender: platform, ...ticks, amount: 1n, amount0: 5n, amount1: 0n },
    pool,
  ]
  const given = transfer(token, platform, pool, 5n)
  expect(decode(mint, given, created).at(-1)).toMatchObject({
    type: 'launch',
    isInPool: true,
    pool,
    token0: token,
    creator: wallet,
  })
})
