// The price of a curve before its first trade, and of a pool that receives a curve's liquidity.
import { expect, test } from 'vitest'
import { recordedTransactions } from '../../../../../test/support/solana/recorded.ts'
import {
  hex,
  keyOf,
  TransactionBuilder,
  u64,
} from '../../../../devnet/src/solana/transactionBuilder.ts'
import type { DecodedEvent, DecodedSwap } from '../../model/decodedBlock.ts'
import { decodeSolanaTransactions } from './decodeSolanaBlock.ts'

const launchLab = 'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj'
const user = keyOf('user')

/** The recorded transactions with an event of this type and venue. */
function recordedWith(type: DecodedEvent['type'], venue: string) {
  return [...recordedTransactions().values()]
    .map((transaction) => decodeSolanaTransactions([transaction]))
    .filter((events) =>
      events.some(
        (event) => event.type === type && 'venues' in event && event.venues?.[0] === venue,
      ),
    )
}

test('default: a launch on pump.fun says what the first token costs, and the first trade goes on from there', () => {
  const launches = recordedWith('launch', 'pumpFun')
  const started = launches.filter((events) => events.some(({ type }) => type === 'sync'))
  expect(started.length).toBeGreaterThan(1)
  for (const events of started) {
    const at = events.findIndex(({ type }) => type === 'launch')
    const [launch, start] = events.slice(at)
    // 30 SOL for 1,073 million tokens, of which 793.1 million are for sale.
    expect(start).toMatchObject({
      type: 'sync',
      index: launch!.index,
      pool: launch!.type === 'launch' && launch!.pool,
      reserve0: 793_100_000_000_000n,
      reserve1: 0n,
      priceRaw: 30e9 / 1_073e12,
    })
    const swap = events.find((event) => event.type === 'swap')
    if (swap?.type === 'swap') expect(swap.priceRaw!).toBeGreaterThan(30e9 / 1_073e12)
  }
})

/** An initialize_v2 of LaunchLab that emits an event. */
function launchOn(event: Buffer): readonly DecodedEvent[] {
  const builder = new TransactionBuilder(user)
  const accounts = ['payer', 'creator', 'config', 'platform', 'authority', 'pool', 'base', 'quote']
  const keys = [user, ...accounts.slice(1).map(keyOf), keyOf('vault0'), keyOf('vault1')]
  builder.call(launchLab, keys, hex('4399af27da102620'), () => {
    builder.log(event)
    builder.tell(launchLab, event)
  })
  return decodeSolanaTransactions([builder.build()])
}

// From 5ZxegX4f29HjLVtryernuWg4b7uE5jyUXjxrUapRmfYscf2rr9GkmXeaHiWuGpPc6g9CaperFG3p9GWfF5HEBbyr on
// mainnet.
const createEvent =
  'l9fiCXahc65UknmKOspUfWM2DcfvlHZ4wZYNvwNV3XlMZ4qN/d5z3w1OVmnnq/fhqYCSvd2VLF8T00dTBub4zzA6DMMdSlI6lwkPgfPK0C981xYNMhPBDVZ9JP4oCk6uHZSKWb2syGIGCQAAAHdhdGVyY29pbgUAAABXQVRFUjYAAABodHRwczovL21ldGFkYXRhLmo3dHJhY2tlci5pby9tZXRhZGF0YS8xWkYzczJxYXI2Lmpzb24AAIDGpH6NAwAAeMX7UdECAH2pOvQBAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='

test('behavior: a launch on LaunchLab costs at first what makes its curve raise its target and end at the price of the pool', () => {
  const events = launchOn(Buffer.from(createEvent, 'base64'))
  expect(events).toMatchObject([{ type: 'launch' }, { type: 'sync', index: 0, reserve1: 0n }])
  const { priceRaw } = events[1] as { priceRaw: number }
  // The virtual reserve of such a curve, as reported by trades of others with this supply and sale.
  const [virtualBase, sold, supply, raised] = [
    1_073_025_606_127_268, 793_100_000_000_000, 1_000_000_000_000_000, 8_392_452_477,
  ]
  const virtualQuote = priceRaw * virtualBase
  const product = virtualBase * virtualQuote
  expect(product / (virtualBase - sold) - virtualQuote).toBeCloseTo(raised, -2)
  const last = product / (virtualBase - sold) ** 2
  expect(last / (raised / (supply - sold))).toBeCloseTo(1, 6)
})

// Transaction
// 4C9hua8FG9mZz128Mj3oB3KWqdojwDfgPceLuMCr88ZDtKYNJE91bJaC6vypNf1fKNqPgNQBprvDZsxG8s4rTaiY on
// mainnet.
const mintOnMoonshot =
  '032ca4b87b0df5b30800000047616d6573746f700400000024474d454400000068747470733a2f2f63646e2e64657873637265656e65722e636f6d2f636d732f746f6b656e732f6d657461646174612f55676e4e766179684175384b3937616f543342380900000064a7b3b6e00d010000000000000000000000'

test('behavior: a curve of Moonshot has a price from its launch on where it is a constant product', () => {
  const launch = (data: Buffer) => {
    const builder = new TransactionBuilder(user)
    const accounts = ['backend', 'curve', 'mint', 'metadata', 'vault', 'config'].map(keyOf)
    builder.call('MoonCVVNZFSYkqNXP6bxHLPL6QQJiMagDL3qcqUQTrG', [user, ...accounts], data)
    return decodeSolanaTransactions([builder.build()])
  }
  const product = hex(mintOnMoonshot)
  const kindAt = product.length - 12
  const linear = Buffer.from(product)
  linear[kindAt] = 0
  const [supply, virtualTokens, lamports] = [10n ** 18n, 1_073n * 10n ** 15n, 30n * 10n ** 9n]
  expect(launch(linear)).toMatchObject([{ type: 'launch' }])
  expect(launch(linear)).toHaveLength(1)
  expect(launch(product)).toMatchObject([
    { type: 'launch', pool: keyOf('curve') },
    {
      ...{ type: 'sync', index: 0, pool: keyOf('curve'), reserve0: supply, reserve1: null },
      priceRaw: Number(lamports) / Number(virtualTokens),
    },
  ])
  const otherSupply = Buffer.from(product)
  otherSupply[kindAt - 1] = 0
  expect(launch(otherSupply)).toHaveLength(1)
  expect(launch(product.subarray(0, kindAt))).toHaveLength(1)
  // A recorded sale on mainnet received what these reserves give.
  const [events] = recordedWith('swap', 'moonshot')
  const sale = events!.find((event) => event.type === 'swap') as DecodedSwap
  const after = virtualTokens - supply + sale.reserve0!
  const quoteAt = (tokens: bigint) => (virtualTokens * lamports) / tokens
  expect(quoteAt(after - sale.amount0) - quoteAt(after)).toBe(-sale.amount1)
})

test('behavior: a fixed price is what is raised for half of the supply, and a price that rises in a line has no start', () => {
  const whole = Buffer.from(createEvent, 'base64')
  // Kind, three numbers and the migration type, then three numbers of the vesting and the fee
  // payer.
  const head = whole.subarray(0, whole.length - (1 + 3 * 8 + 1 + 3 * 8 + 1))
  const curveOf = (kind: string) =>
    Buffer.concat([head, hex(kind), u64(1_000n, 250n), hex('01'), u64(200n, 0n, 0n), hex('00')])
  expect(launchOn(curveOf('01'))).toMatchObject([{ type: 'launch' }, { priceRaw: 250 / 400 }])
  expect(launchOn(curveOf('02'))).toMatchObject([{ type: 'launch' }])
  expect(launchOn(curveOf('02'))).toHaveLength(1)
  // A truncated event has no start price.
  expect(launchOn(whole.subarray(0, whole.length - 40))).toHaveLength(1)
})

const dbc = 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN'

/** A launch on DBC in the transaction that makes the configuration `made`. */
function launchOnDbc(tag: string, made: { tag: string; config: string; data: Buffer }) {
  const builder = new TransactionBuilder(user)
  const [mint, vault0, vault1] = ['mint', 'vault0', 'vault1'].map(keyOf) as [string, string, string]
  const keys = ['config', 'authority', 'creator'].map(keyOf)
  builder.call(dbc, [keyOf(made.config), user], Buffer.concat([hex(made.tag), made.data]))
  builder.openNew(vault0, mint, keyOf('authority'))
  builder.openNew(vault1, keyOf('quote'), keyOf('authority'))
  const accounts = [...keys, mint, ...['quote', 'pool'].map(keyOf), vault0, vault1, user]
  builder.call(dbc, accounts, hex(tag), () => builder.mint(mint, vault0, user, 1_000n))
  return decodeSolanaTransactions([builder.build()])
}

// Fees, modes and shares, the amount to raise and the root of the price, 3/2, as in the program's
// interface.
const baseFee = Buffer.alloc(27, 7)
const price = Buffer.concat([Buffer.alloc(9, 1), u64(85_000_000_000n, 2n ** 63n, 1n)])
const fixedFee = Buffer.concat([baseFee, hex('00'), price])
const movingFee = Buffer.concat([baseFee, hex('01'), Buffer.alloc(32, 9), price])

test.each([
  ['8c55d7b06636684f', 'c9cff3724b6f2fbd', fixedFee],
  ['a976334e916edc9b', 'c9cff3724b6f2fbd', movingFee],
  ['b60de9b12a918702', 'd825013958e21929', fixedFee],
  ['a2d0681ceb203b31', '09ca18cb8fd4fc51', movingFee],
  ['b40c1c96a766a29d', '09ca18cb8fd4fc51', fixedFee],
  ['e2af7f0d26833af3', 'd2f79f1d8e1ed6e3', fixedFee],
])(
  'behavior: a launch on DBC by %s has the first price of the configuration made beside it',
  (tag, configTag, data) => {
    expect(launchOnDbc(tag, { tag: configTag, config: 'config', data })).toMatchObject([
      { type: 'launch', pool: keyOf('pool'), token0: keyOf('mint'), creator: keyOf('creator') },
      {
        type: 'sync',
        index: 0,
        pool: keyOf('pool'),
        reserve0: 1_000n,
        reserve1: 0n,
        priceRaw: 2.25,
      },
    ])
    // An event of another configuration, and a truncated one, have no price.
    for (const other of [
      { tag: configTag, config: 'other', data },
      { tag: configTag, config: 'config', data: data.subarray(0, -1) },
    ])
      expect(launchOnDbc(tag, other)).toMatchObject([{ type: 'launch', pool: keyOf('pool') }])
  },
)

test('behavior: the pool that a curve of DBC ends in has a price from its creation', () => {
  const graduations = recordedWith('sync', 'meteoraDbc').filter((events) =>
    events.some(({ type }) => type === 'graduation'),
  )
  expect(graduations.length).toBeGreaterThan(0)
  for (const events of graduations) {
    const created = events.find((event) => event.type === 'liquidity' && event.kind === 'create')
    expect(created?.type === 'liquidity' && created.priceRaw).toBeCloseTo(
      Number((created as { reserve1: bigint }).reserve1) /
        Number((created as { reserve0: bigint }).reserve0),
      9,
    )
  }
})

test.each([
  ['initialize_permissionless_constant_product_pool_with_config', '07a68aabceabecf4', 3, 4 / 8],
  ['initialize_permissionless_pool, whose curve may be another', '76ad299dad486167', 2, null],
])('behavior: a pool of DAMM v1 made by %s', (_, tag, first, priceRaw) => {
  const keys = Array.from({ length: first + 16 }, (_, at) => keyOf(`account ${at}`))
  keys[first + 15] = user
  const [mint0, mint1] = [first, first + 1].map((at) => keys[at]!) as [string, string]
  const builder = new TransactionBuilder(user)
  for (const [at, mint] of [mint0, mint1].entries()) {
    builder.open(keyOf(`mine ${at}`), mint, user, 1_000n)
    builder.open(keys[first + 4 + at]!, mint, keyOf('vault owner'), 500n)
  }
  builder.call('Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB', keys, hex(tag), () => {
    builder.transfer(keyOf('mine 0'), keys[first + 4]!, user, 8n)
    builder.transfer(keyOf('mine 1'), keys[first + 5]!, user, 4n)
  })
  expect(decodeSolanaTransactions([builder.build()])).toMatchObject([
    { type: 'pool', token0: mint0, token1: mint1 },
    { type: 'liquidity', kind: 'create', amount0: 8n, amount1: 4n, priceRaw },
  ])
})
