// Launch platforms of public chains through every stage, as tokens of the engine: created, traded,
// graduated.
import { afterEach, expect, test } from 'vitest'
import { loadConfig } from '../packages/server/src/config/load.ts'
import { windowsS } from '../packages/server/src/engine/marketReads.ts'
import { chainKindOf } from '../packages/server/src/kinds/chainKinds.ts'
import type { PipelineLimits } from '../packages/server/src/kinds/chainSetup.ts'
import { encodeCall, selector } from '../packages/server/src/venues/evm/asking/callWords.ts'
import { createPoolIds } from '../packages/server/src/venues/evm/decoding/poolIds.ts'
import { knownVenues as venues } from '../packages/server/src/venues/evm/venues.ts'
import { encodeLog } from './support/encodeLog.ts'
import { eventAbi } from './support/eventAbi.ts'
import { profile as plainProfile } from './support/resolverFixture.ts'
import { venueAbi } from './support/venueAbi.ts'
import { openVenueStages } from './support/venueStages.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const [usd, coin, token, maker, trader] = ['11', '22', '33', '66', '77'].map(address) as string[]
const [four, flapPortal, clankerFactory, manager, factory2, pair] = [
  ...['a1', 'a2', 'a3', 'a4', 'f2', 'd2'].map(address),
] as string[]
const zero = address('00')
const one = 10n ** 18n
const ids = createPoolIds()

const profile = {
  ...plainProfile,
  native: { symbol: 'COIN', decimals: 18, wrappedToken: coin! },
  stables: [usd!],
  quotes: [usd!, coin!],
  venues: [
    { address: factory2!, venue: 'uniswapV2', amm: 'cakev2' },
    { address: manager!, venue: 'uniswapV4', amm: 'uniswapv4' },
  ],
  launchPlatforms: [
    { address: four!, platform: 'fourmeme', amm: 'fourmeme' },
    { address: flapPortal!, platform: 'flap', amm: 'flap' },
    { address: clankerFactory!, platform: 'clanker', amm: 'clanker' },
  ],
}

function setupOf(name: string) {
  const chains = { [name]: { rpc: [{ http_url: 'http://node.example' }] } }
  const { config } = loadConfig({ env: { CHAINTAPE_CHAINS: JSON.stringify(chains) } })
  const chain = config.chains[name]!
  return chainKindOf(chain).setupOf(name, chain, {} as PipelineLimits)
}

const answers = {
  [selector.decimals]: encodeCall('0x', 18),
  [selector.totalSupply]: `0x${(10n ** 27n).toString(16).padStart(64, '0')}`,
}

let opened: ReturnType<typeof openVenueStages> | undefined
afterEach(() => opened?.close())
function stages() {
  opened = openVenueStages({
    profile,
    venues,
    contracts: ({ to, data }) =>
      [usd, coin, token].includes(to) ? answers[data as keyof typeof answers] : undefined,
  })
  return opened
}

type Written = readonly [abi: string, args: Record<string, unknown>, by: string]
const inOne = (...written: Written[]) =>
  written.map(([abi, args, by], logIndex) =>
    encodeLog(abi, args, { address: by, logIndex, transactionHash: `0x${'01'.repeat(32)}` }),
  )
const moved = (by: string, from: string, to: string, value: bigint): Written => [
  eventAbi.transfer,
  { from, to, value },
  by,
]

test('default: a token of four.meme is launched, traded in its quote, filled and graduated, and a revert undoes it', async () => {
  const { apply, revert, engine } = stages()
  const args = { creator: maker, token, requestId: 1n, name: 'Coin', symbol: 'C' }
  const numbers = { totalSupply: 10n ** 27n, launchTime: 1n, launchFee: 1n }
  const purchase = (offers: bigint, funds: bigint): Written => [
    venueAbi.purchaseFourMeme,
    {
      token,
      account: trader,
      price: one / 100n,
      amount: 1_000n * one,
      cost: 10n * one,
      fee: one,
      offers,
      funds,
    },
    four!,
  ]
  const made = await apply(
    10,
    inOne(
      moved(token!, zero, four!, 10n ** 27n),
      [venueAbi.createFourMeme, { ...args, ...numbers }, four!],
      moved(usd!, trader!, four!, 11n * one),
      purchase(600_000_000n * one, 10n * one),
    ),
  )
  const curve = ids.curveOf(four!, token!, usd!)
  expect(made.pairs).toMatchObject([{ address: curve, platform: 'fourmeme', venue: 'fourMeme' }])
  const tokenId = made.pairs[0]!.token0Id
  expect(engine.tokenState(tokenId)).toMatchObject({
    mainPairId: 0,
    price: { usd: 0.01 },
    launch: { state: 'in', platform: 'fourmeme', filledPpm: 250_000, creator: maker },
  })
  await apply(
    11,
    inOne(moved(usd!, trader!, four!, 10n * one), purchase(80_000_000n * one, 90n * one)),
  )
  expect(engine.tokenState(tokenId).launch).toMatchObject({ state: 'almost', filledPpm: 900_000 })
  const created = { token0: usd, token1: token, pair, count: 1n }
  await apply(
    12,
    inOne(
      [eventAbi.pairCreated, created, factory2!],
      moved(token!, four!, pair!, 200_000_000n * one),
      moved(usd!, four!, pair!, 90n * one),
      [eventAbi.sync, { reserve0: 90n * one, reserve1: 200_000_000n * one }, pair!],
      [eventAbi.mintV2, { sender: four, amount0: 90n * one, amount1: 200_000_000n * one }, pair!],
      [
        venueAbi.liquidityAddedFourMeme,
        { base: token, offers: 200_000_000n * one, quote: usd, funds: 90n * one },
        four!,
      ],
    ),
  )
  expect(engine.tokenState(tokenId)).toMatchObject({ mainPairId: 1, launch: { state: 'out' } })
  expect(engine.pairState(0)).toMatchObject({ reserve0: 0n, reserve1: 0n })
  revert()
  expect(engine.tokenState(tokenId)).toMatchObject({ mainPairId: 0, launch: { state: 'almost' } })
})

test('behavior: a curve that does not report its reserves prices its token by trades', async () => {
  const { apply, engine } = stages()
  const trade = { ts: 1n, token, buyer: trader, amount: 1_000n * one, eth: 10n * one, fee: 0n }
  const { pairs } = await apply(
    10,
    inOne(moved(usd!, trader!, flapPortal!, 10n * one), [
      venueAbi.boughtFlap,
      { ...trade, postPrice: one / 50n },
      flapPortal!,
    ]),
  )
  // The launch was not seen, so its first trade creates the pair. An untrusted contract with the
  // same events creates nothing.
  expect(pairs).toMatchObject([{ platform: 'flap', createdAtS: 0 }])
  const state = engine.tokenState(pairs[0]!.token0Id)
  expect(state).toMatchObject({ mainPairId: 0, price: { usd: 0.02 }, launch: { state: 'in' } })
  const untrusted = await apply(
    11,
    inOne([venueAbi.boughtFlap, { ...trade, postPrice: one }, address('ee')]),
  )
  expect(untrusted.events).toEqual([])
})

test('behavior: a flap curve prices its token before the first trade', async () => {
  const { apply, engine } = stages()
  const texts = { name: 'Coin', symbol: 'C', meta: '' }
  const { pairs } = await apply(
    10,
    inOne(
      [venueAbi.createFlap, { ts: 1n, creator: maker, nonce: 1n, token, ...texts }, flapPortal!],
      [
        venueAbi.curveSetFlap,
        { token, r: 4_000n * one, h: 0n, k: 4_000n * 10n ** 9n * one },
        flapPortal!,
      ],
      [venueAbi.quoteSetFlap, { token, quoteToken: usd }, flapPortal!],
    ),
  )
  expect(engine.tokenState(pairs[0]!.token0Id)).toMatchObject({
    ...{ mainPairId: 0, price: { usd: 0.000004 }, launch: { state: 'in' } },
  })
})

test('behavior: curves that are separate contracts are recognized by their factory’s launch event', async () => {
  const curve = address('c7')
  const poolId = `0x${'9b'.repeat(32)}`
  const pad = address('a5')
  opened = openVenueStages({
    profile: { ...profile, launchPlatforms: [{ address: pad, platform: 'bags', amm: 'bags' }] },
    venues,
    contracts: ({ to, data }) =>
      [usd, coin, token].includes(to) ? answers[data as keyof typeof answers] : undefined,
  })
  const { apply, engine } = opened
  const fees = { buyFeeBps: 0, sellFeeBps: 0, protocolBuyFeeBps: 0, protocolSellFeeBps: 0 }
  const texts = { name: 'Coin', symbol: 'C', metadataURI: '' }
  const ends = { curve, feeShare: zero, partner: zero, poolId }
  const launch = { token, creator: maker, quoteAsset: usd, graduationThreshold: one }
  const split = { vaultFeeQuote: one, creatorFeeQuote: 0n, refundQuote: 0n, price: 1n }
  const bought = (by: string): Written => [
    venueAbi.boughtBags,
    {
      ...{ buyer: trader, recipient: trader, grossQuoteIn: 11n * one, netQuoteIn: 10n * one },
      ...{ tokensOut: 1_000n * one, feeQuote: one, ...split },
      ...{ virtualTokenReserves: 50_000n * one, virtualQuoteReserves: 1_000n * one },
    },
    by,
  ]
  const { pairs } = await apply(
    10,
    inOne(
      [venueAbi.createdBags, { ...launch, ...ends, fees, partnerFeeBps: 0, ...texts }, pad],
      bought(curve),
      bought(address('ee')),
    ),
  )
  expect(pairs).toMatchObject([{ address: curve, platform: 'bags', venue: 'bags', factory: pad }])
  const tokenId = pairs[0]!.token0Id
  const day = engine.tokenTrading(tokenId, windowsS.length - 1, engine.head()!.timeS)
  expect(day.buyVolumeUsdE8).toBe(11n * 10n ** 8n)
  expect(engine.tokenState(tokenId)).toMatchObject({
    price: { usd: 0.02 },
    launch: { state: 'in' },
  })
  const key = { fee: 3_000, tickSpacing: 60, hooks: zero, sqrtPriceX96: 2n ** 96n, tick: 0 }
  const moved = { creator: maker, platformAdmin: zero, token, poolId, sqrtPriceX96: 2n ** 96n }
  await apply(
    11,
    inOne(
      [venueAbi.initializeV4, { id: poolId, currency0: usd, currency1: token, ...key }, manager!],
      [venueAbi.migratedBags, { ...moved, lpQuote: one, lpTokens: one }, curve],
    ),
  )
  expect(engine.tokenState(tokenId).launch).toMatchObject({ state: 'out' })
})

test('behavior: a curve in a dollar-valued native coin without a wrapper is counted in the coin’s 18 decimals', async () => {
  const arc = setupOf('arc').profile
  const platforms = [{ address: flapPortal!, platform: 'flap', amm: 'flap' }]
  opened = openVenueStages({
    profile: { ...arc, launchPlatforms: platforms },
    venues,
    // The coin's ERC-20 interface has 6 decimals.
    contracts: ({ to, data }) =>
      to === arc.stables[1] && data === selector.decimals
        ? encodeCall('0x', 6)
        : to === token
          ? answers[data as keyof typeof answers]
          : undefined,
  })
  const { apply, engine } = opened
  const trade = { ts: 1n, token, buyer: trader, amount: 1_000n * one, eth: 10n * one, fee: 0n }
  const { pairs } = await apply(
    10,
    inOne(
      // Arc emits transfers of its native coin from this address (EIP-7708). The address is not a
      // token.
      moved(`0x${'f'.repeat(39)}e`, trader!, flapPortal!, 10n * one),
      [venueAbi.boughtFlap, { ...trade, postPrice: one / 100n }, flapPortal!],
    ),
  )
  expect(pairs).toMatchObject([
    { platform: 'flap', address: ids.curveOf(flapPortal!, token!, 'native') },
  ])
  expect(engine.tokenRecord(pairs[0]!.token1Id)).toMatchObject({
    address: zero,
    symbol: 'USDC',
    decimals: 18,
  })
  expect(engine.nativeUsd()).toBe(1)
  expect(engine.tokenState(pairs[0]!.token0Id)).toMatchObject({
    price: { usd: 0.01, native: 0.01 },
  })
  const day = engine.tokenTrading(pairs[0]!.token0Id, windowsS.length - 1, engine.head()!.timeS)
  expect(day.buyVolumeUsdE8).toBe(10n * 10n ** 8n)
})

test('behavior: a token that a platform puts into a pool belongs to that platform, on either side of the pool', async () => {
  const { apply, engine } = stages()
  const poolId = `0x${'9a'.repeat(32)}`
  const key = { fee: 3_000, tickSpacing: 60, hooks: zero, sqrtPriceX96: 2n ** 96n, tick: 0 }
  const initialize: Written = [
    venueAbi.initializeV4,
    { id: poolId, currency0: usd, currency1: token, ...key },
    manager!,
  ]
  const texts = { tokenImage: '', tokenName: '', tokenSymbol: '', tokenMetadata: '' }
  const ends = { poolHook: zero, poolId, pairedToken: usd, locker: zero, mevModule: zero }
  const created = (by: string): Written => [
    venueAbi.createClankerV4,
    {
      msgSender: trader,
      tokenAddress: token,
      tokenAdmin: maker,
      tokenContext: '',
      ...texts,
      ...ends,
      startingTick: 0,
      extensionsSupply: 0n,
      extensions: [],
    },
    by,
  ]
  const { pairs } = await apply(10, inOne(initialize, created(clankerFactory!)))
  expect(pairs).toMatchObject([{ address: poolId, platform: 'clanker', venue: 'uniswapV4' }])
  expect(engine.tokenState(pairs[0]!.token1Id).launch).toMatchObject({
    state: 'in',
    platform: 'clanker',
    creator: maker,
  })
  const other = stages()
  const unknown = await other.apply(10, inOne(initialize, created(address('ee'))))
  expect(unknown.pairs).toMatchObject([{ address: poolId, platform: null }])
  expect(other.engine.tokenState(unknown.pairs[0]!.token1Id).launch).toBeNull()
})
