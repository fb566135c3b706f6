// Venues that share an event, need a parameter for their price, or keep pools of several tokens in
// a vault, through all stages. Ensures that the venue interface supports such venues before they
// are added.
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { afterEach, expect, test } from 'vitest'
import type { FinishedBlock } from '../packages/server/src/model/finishedBlock.ts'
import { encodeCall, selector } from '../packages/server/src/venues/evm/asking/callWords.ts'
import { createPoolIds } from '../packages/server/src/venues/evm/decoding/poolIds.ts'
import { uniswapV2 } from '../packages/server/src/venues/evm/uniswap/uniswapV2.ts'
import type { EvmVenue } from '../packages/server/src/venues/evm/venue.ts'
import { createVenueSet } from '../packages/server/src/venues/evm/venueSet.ts'
import { knownVenues as venues } from '../packages/server/src/venues/evm/venues.ts'
import { encodeLog } from './support/encodeLog.ts'
import { eventAbi } from './support/eventAbi.ts'
import { profile as plainProfile } from './support/resolverFixture.ts'
import { venueAbi } from './support/venueAbi.ts'
import { type Contracts, openVenueStages } from './support/venueStages.ts'

const address = (digits: string) => `0x${digits.repeat(40 / digits.length)}`
const [usd, coin, gold] = [address('11'), address('22'), address('33')] as [string, string, string]
const [factory2, curveFactory, vault] = [address('f2'), address('fc'), address('fa')]
const [pair, volatile, stable] = [address('a0'), address('a1'), address('a2')]
const trader = address('77')
const word = (value: string | number) => encodeCall('0x', value)
const words = (...values: (string | number)[]) =>
  `0x${values.map((value) => word(value).slice(2)).join('')}`

const profile = {
  ...plainProfile,
  native: { symbol: 'COIN', decimals: 18, wrappedToken: coin },
  stables: [usd],
  quotes: [usd, coin],
  venues: [
    { address: factory2!, venue: 'uniswapV2', amm: 'uniswapv2' },
    { address: curveFactory!, venue: 'solidly', amm: 'aerodrome' },
    { address: vault!, venue: 'balancerV2', amm: 'balancerv2' },
  ],
  launchPlatforms: [],
}

const pairAnswers = (token0: string, token1: string, factory: string) => ({
  [selector.token0]: word(token0),
  [selector.token1]: word(token1),
  [selector.factory]: word(factory),
  [selector.getReserves]: words(1, 2, 3),
})
const curveAnswers = (isStable: number, scale0: number, scale1: number) => ({
  ...pairAnswers(usd, coin, curveFactory!),
  [selector.stable]: word(isStable),
  [selector.metadata]: words(scale0, scale1, 0, 0, isStable, usd, coin),
})
const tokenAnswers = { [selector.decimals]: word(6), [selector.totalSupply]: word(1_000) }

const poolId = `${address('b0')}${'00'.repeat(12)}`
const couple = (one: string, other: string) => createPoolIds().coupleOf(poolId, [one, other])
/** The vault's balances of the pool after each block. */
const balancesAt = (number: number): bigint[] => {
  if (number < 20) return [1_000_000n, 2_000_000n, 4_000_000n]
  if (number < 21) return [1_100_000n, 1_850_000n, 4_000_000n]
  return [1_150_000n, 1_850_000n, 3_840_000n]
}

const contracts: Contracts = ({ to, data }, number) => {
  if (to === vault && data === encodeCall(selector.getPoolTokens, poolId)) {
    const types = parseAbiParameters('address[], uint256[], uint256')
    return encodeAbiParameters(types, [
      [usd, coin, gold] as `0x${string}`[],
      balancesAt(number),
      0n,
    ])
  }
  if (to === poolId.slice(0, 42) && data === selector.getNormalizedWeights)
    return encodeAbiParameters(parseAbiParameters('uint256[]'), [[20n, 30n, 50n]])
  const known: Record<string, Record<string, string>> = {
    [pair!]: pairAnswers(usd, coin, factory2!),
    [volatile!]: curveAnswers(0, 1e6, 1e9),
    [stable!]: curveAnswers(1, 1e6, 1e9),
    [factory2!]: { [encodeCall(selector.getPair, usd, coin)]: word(pair!) },
    [curveFactory!]: {
      [encodeCall(selector.isPair, volatile!)]: word(1),
      [encodeCall(selector.isPair, stable!)]: word(1),
    },
    [usd]: tokenAnswers,
    [coin]: tokenAnswers,
    [gold]: tokenAnswers,
  }
  return known[to]?.[data]
}

const at = (logIndex: number, contract: string) => {
  return { address: contract, logIndex, transactionHash: `0x${'0'.repeat(62)}${logIndex + 10}` }
}
const swapLog = (index: number, pool: string, [in0, in1, out0, out1]: readonly bigint[]) => {
  const amounts = { amount0In: in0, amount1In: in1, amount0Out: out0, amount1Out: out1 }
  const place = { ...at(index, pool), transactionHash: `0x${'0'.repeat(63)}1` }
  return encodeLog(eventAbi.swapV2, { sender: trader, to: trader, ...amounts }, place)
}
const syncLog = (index: number, pool: string, abi: string, reserve0: bigint, reserve1: bigint) =>
  encodeLog(
    abi,
    { reserve0, reserve1 },
    { ...at(index, pool), transactionHash: `0x${'0'.repeat(63)}1` },
  )

const stages = openAll()
function openAll() {
  const opened: ReturnType<typeof openVenueStages>[] = []
  afterEach(() => {
    for (const one of opened.splice(0)) one.close()
  })
  return () => {
    const one = openVenueStages({ profile, venues, contracts })
    opened.push(one)
    return one
  }
}

const swapsOf = ({ events }: FinishedBlock) => events.filter(({ type }) => type === 'swap')
const pairIds = ({ pairs }: FinishedBlock) => pairs.map((record) => [record.address, record.venue])

test('default: pools of two venues with a shared event are distinguished by their contracts’ answers', async () => {
  const { apply, engine } = stages()
  const block = await apply(10, [
    syncLog(0, pair!, eventAbi.sync, 4_000_000n, 1_000_000n),
    swapLog(1, pair!, [10n, 0n, 0n, 2n]),
    syncLog(2, volatile!, venueAbi.syncSolidly, 3_000_000n, 6_000_000n),
    swapLog(3, volatile!, [5n, 0n, 0n, 9n]),
    // The logs are the shared event only; the contracts' answers distinguish the venues.
    swapLog(4, stable!, [7n, 0n, 0n, 7n]),
  ])
  expect(pairIds(block)).toEqual([
    [pair, 'uniswapV2'],
    [volatile, 'solidly'],
    [stable, 'solidly'],
  ])
  expect(block.pairs.map(({ isTrusted, amm }) => [isTrusted, amm])).toEqual([
    [true, 'uniswapv2'],
    [true, 'aerodrome'],
    [true, 'aerodrome'],
  ])
  expect(swapsOf(block)).toMatchObject([
    { pairId: 0, reserve0: 4_000_000n, reserve1: 1_000_000n, priceRaw: 0.25 },
    { pairId: 1, reserve0: 3_000_000n, reserve1: 6_000_000n, priceRaw: 2 },
    // Neither the event nor the pool's curve gives a price yet, so the price stays unknown and is
    // not taken from another curve.
    { pairId: 2, reserve0: 0n, reserve1: 0n, priceRaw: 0 },
  ])
  expect(engine.pairState(1)).toMatchObject({ reserve0: 3_000_000n, priceRaw: 2 })
})

test('behavior: a venue computes a price that depends on its pool’s parameters', async () => {
  const { apply, engine } = stages()
  const created = { token0: usd, token1: coin, stable: true, pair: stable, count: 1n }
  const made = await apply(10, [
    encodeLog(venueAbi.pairCreatedSolidly, created, at(0, curveFactory!)),
  ])
  expect(made.pairs).toMatchObject([
    {
      address: stable,
      venue: 'solidly',
      params: [1n, 1_000_000n, 1_000_000_000n],
      createdAtS: 1_010,
    },
  ])
  // 2 whole tokens of one side and 1 of the other, with 6 and 9 decimals: x = 2, y = 1.
  const { events } = await apply(11, [
    syncLog(0, stable!, venueAbi.syncSolidly, 2_000_000n, 1_000_000_000n),
    swapLog(1, stable!, [9n, 0n, 0n, 9n]),
  ])
  // (3x²y + y³) / (x³ + 3xy²) = 13 / 14; a raw unit of one side is a thousand of the other.
  expect(events).toMatchObject([{ type: 'swap', pairId: 0, priceRaw: 13_000 / 14 }])
  expect(engine.pairState(0)).toMatchObject({ reserve1: 1_000_000_000n, priceRaw: 13_000 / 14 })
})

test('behavior: a known pool accepts events of its own venue only', async () => {
  const { apply } = stages()
  await apply(10, [
    syncLog(0, pair!, eventAbi.sync, 4_000_000n, 1_000_000n),
    swapLog(1, pair!, [10n, 0n, 0n, 2n]),
  ])
  const { events } = await apply(11, [
    syncLog(0, pair!, venueAbi.syncSolidly, 1n, 1n),
    syncLog(1, pair!, eventAbi.sync, 5_000_000n, 1_000_000n),
  ])
  expect(events).toMatchObject([{ type: 'sync', pairId: 0, reserve0: 5_000_000n, priceRaw: 0.2 }])
})

const vaultSwap = (
  index: number,
  tokenIn: string,
  tokenOut: string,
  into: bigint,
  out: bigint,
  by = vault!,
) =>
  encodeLog(
    venueAbi.swapBalancerV2,
    { poolId, tokenIn, tokenOut, amountIn: into, amountOut: out },
    at(index, by),
  )
const joined = (index: number, deltas: readonly bigint[]) => {
  const args = { tokens: [usd, coin, gold], deltas, protocolFeeAmounts: [0n, 0n, 0n] }
  return encodeLog(
    venueAbi.balanceChangedBalancerV2,
    { poolId, liquidityProvider: trader, ...args },
    at(index, vault!),
  )
}
const statesOf = ({ events }: FinishedBlock) =>
  events.map((event) =>
    'reserve0' in event
      ? [event.type, event.pairId, event.reserve0, event.reserve1, event.priceRaw]
      : [],
  )

test('behavior: a pool of three tokens in a vault is a pair for each two tokens that trade', async () => {
  const { apply, revert, restart, engine, rows } = stages()
  const first = await apply(20, [vaultSwap(0, usd, coin, 100_000n, 150_000n)])
  expect(first.pairs).toMatchObject([
    {
      address: couple(usd, coin),
      pool: poolId,
      venue: 'balancerV2',
      kind: 'vault',
      amm: 'balancerv2',
    },
  ])
  expect(first.pairs[0]).toMatchObject({
    isTrusted: true,
    factory: vault,
    params: [0n, 1n, 2n, 20n, 30n],
  })
  // Price by weights: reserve1 / 30 for reserve0 / 20.
  const price1 = (1_850_000 * 20) / (1_100_000 * 30)
  expect(statesOf(first)).toEqual([['swap', 0, 1_100_000n, 1_850_000n, price1]])

  const second = await apply(21, [
    vaultSwap(0, gold, usd, 40_000n, 10_000n),
    vaultSwap(1, usd, gold, 60_000n, 200_000n),
  ])
  const price2 = (3_840_000 * 20) / (1_150_000 * 50)
  expect(second.pairs).toMatchObject([{ address: couple(gold, usd), pool: poolId, otherIds: [1] }])
  expect(statesOf(second)).toEqual([
    ['swap', 1, 1_090_000n, 4_040_000n, (4_040_000 * 20) / (1_090_000 * 50)],
    ['swap', 1, 1_150_000n, 3_840_000n, price2],
    // A trade of one pair also changes the other pair's reserve.
    ['sync', 0, 1_150_000n, 1_850_000n, (1_850_000 * 20) / (1_150_000 * 30)],
  ])
  expect(swapsOf(second)[0]).toMatchObject({ amount0: -10_000n, amount1: 40_000n })

  const third = await apply(22, [joined(0, [50_000n, -50_000n, 160_000n])])
  const after = [
    ['sync', 0, 1_200_000n, 1_800_000n, (1_800_000 * 20) / (1_200_000 * 30)],
    ['sync', 1, 1_200_000n, 4_000_000n, (4_000_000 * 20) / (1_200_000 * 50)],
  ]
  expect(statesOf(third)).toEqual(after)
  expect(engine.pairState(1)).toMatchObject({ reserve0: 1_200_000n, reserve1: 4_000_000n })
  // Accounts of pools do not count as holders.
  expect(rows.balances.get(`0 pool:${poolId}`)).toBe(1_200_000n)
  expect([...rows.supplies.values()].map(({ holders }) => holders)).toEqual([0, 0, 0])

  revert()
  expect(engine.pairState(1)).toMatchObject({ reserve0: 1_150_000n, priceRaw: price2 })
  expect(statesOf(await apply(22, [joined(0, [50_000n, -50_000n, 160_000n])]))).toEqual(after)
  revert()
  // Another process resumes from the store and the vault's answers.
  restart()
  expect(statesOf(await apply(22, [joined(0, [50_000n, -50_000n, 160_000n])]))).toEqual(after)
})

test('behavior: a contract that is not a configured vault cannot trade in the name of a pool', async () => {
  const { apply } = stages()
  await apply(20, [vaultSwap(0, usd, coin, 100_000n, 150_000n)])
  const block = await apply(21, [vaultSwap(0, usd, coin, 1n, 10n ** 30n, trader)])
  expect(block.events).toEqual([])
})

test('error: two venues that cannot be distinguished fail at the start', () => {
  const fork: EvmVenue = { ...uniswapV2, name: 'fork' }
  expect(() => createVenueSet([uniswapV2, fork])).toThrow(
    expect.objectContaining({
      code: 'VENUES_ALIKE',
      message: expect.stringMatching(
        /^The venues uniswapV2 and fork share the event 0x0d36.* asked the same: factory,/,
      ),
    }),
  )
  expect(() => createVenueSet([uniswapV2, uniswapV2])).toThrow('have one name')
  const { identity: _, ...silent } = uniswapV2
  expect(() => createVenueSet([silent, { ...silent, name: 'other' }])).toThrow(
    'asked the same: nothing',
  )
  const marked = { ...uniswapV2.identity!, marks: ['stable'] }
  expect(createVenueSet([uniswapV2, { ...fork, identity: marked }]).names).toEqual([
    'uniswapV2',
    'fork',
  ])
})
