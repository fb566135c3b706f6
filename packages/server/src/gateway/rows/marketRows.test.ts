import { expect, test } from 'vitest'
import {
  gatewayChainOf,
  testProfile,
  testUsdc,
  testWeth,
} from '../../../../../test/support/gatewayChain.ts'
import { pairDefaults } from '../../../../../test/support/pairDefaults.ts'
import {
  type MarketReads,
  type MarketWindow,
  type PairState,
  type TokenState,
  windowNames,
} from '../../engine/marketReads.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { pairDetailLastingPart, pairDetailMovingPart } from './pairRow.ts'
import { tokenRowLastingPart, tokenRowMovingPart } from './tokenRow.ts'

const nowS = 1_760_000_000
const pairAddress = `0x${'ab'.repeat(20)}`

/** Every window differs, so that a field read from the wrong window is noticed. */
function windowOf(index: number, n = index + 1): MarketWindow {
  return {
    buyVolumeUsdE8: 150_000_000n * BigInt(n),
    sellVolumeUsdE8: 50_000_000n * BigInt(n),
    organicVolumeUsdE8: 190_000_000n * BigInt(n),
    buyCount: 30 * n,
    sellCount: 10 * n,
    amountRaw: 1_500_000_000_000_000_000n * BigInt(n),
    makers: 5 * n,
    buyers: 4 * n,
    sellers: 3 * n,
    highUsd: 2_600 + n,
    lowUsd: 2_400 - n,
    changePercent: -1.25 * n,
    changesAtS: Number.POSITIVE_INFINITY,
  }
}

const pairState: PairState = {
  record: {
    id: 0,
    address: pairAddress,
    kind: 'constantProduct',
    token0Id: 0,
    token1Id: 1,
    factory: `0x${'fa'.repeat(20)}`,
    amm: 'uniswapv2',
    isTrusted: true,
    feePpm: 3_000,
    createdAtS: nowS - 5_000,
    platform: null,
    ...pairDefaults,
  },
  targetTokenId: 0,
  reserve0: 10n ** 21n,
  reserve1: 2_500_000n * 10n ** 6n,
  areReservesKnown: true,
  initReserve0: 10n ** 21n,
  initReserve1: 2_000_000n * 10n ** 6n,
  priceRaw: 2.5e-9,
  price0Usd: 2_500,
  price1Usd: 1,
  price0Native: 1,
  price1Native: 0.0004,
  tvlUsd: 5_000_000,
  athUsd: 3_000.5,
  firstTradeAtS: nowS - 4_000,
  firstTradeBlock: 7,
  firstTradeSwaps: 3,
  lastTradeAtS: nowS - 3,
  updatedAtS: nowS - 2,
}

const wethState: TokenState = {
  record: {
    id: 0,
    address: testWeth,
    symbol: 'WETH',
    name: 'Wrapped Ether',
    decimals: 18,
    isUnreadable: false,
    seenAtS: nowS - 6_000,
  },
  price: { usd: 2_500, native: 1, routePairIds: [0], routeLiquidityUsd: 5e6, atS: nowS - 3 },
  mainPairId: 0,
  pairIds: [0],
  tvlUsd: 5_000_000,
  supply: {
    tokenId: 0,
    total: 4n * 10n ** 21n,
    burnt: 5n * 10n ** 17n,
    locked: 10n ** 21n,
    other: 0n,
    holders: 12,
    isComplete: true,
  },
  fdvUsd: 9_998_750,
  marketCapUsd: 7_498_750,
  isImplausible: false,
  isSupplyKnown: true,
  launchPriceUsd: 1e-7,
  athUsd: 4_900,
  launchedAtS: nowS - 4_000,
  createdAtS: nowS - 5_000,
  launch: null,
  updatedAtS: nowS - 2,
}

const usdcState: TokenState = {
  ...wethState,
  record: {
    ...wethState.record,
    id: 1,
    address: testUsdc,
    symbol: 'USDC',
    name: 'USDC',
    decimals: 6,
  },
  price: null,
  mainPairId: null,
  supply: null,
  isSupplyKnown: false,
  launchPriceUsd: null,
  athUsd: null,
  launchedAtS: 0,
  createdAtS: nowS - 100,
  launch: {
    state: 'almost',
    platform: 'tape',
    filledPpm: 900_000,
    curvePairId: 0,
    creator: testWeth,
    createdAtS: nowS - 100,
    graduatedAtS: 0,
  },
}

const tokens = [wethState, usdcState]

/** Simulates shares that are read between two answers. */
const shares: { total: bigint | null } = { total: null }
const { highUsd, lowUsd, changesAtS } = windowOf(windowNames.length - 1)
const dayRange = { highUsd: highUsd!, lowUsd: lowUsd!, changesAtS }

const reads: MarketReads = {
  head: () => ({ number: 9, hash: '0x9', parentNumber: 8, parentHash: '0x8', timeS: nowS }),
  finalizedNumber: () => 8,
  pairCount: () => 1,
  tokenCount: () => 2,
  findPair: (address) => (address === pairAddress ? 0 : undefined),
  findTokensAnyCase: () => [],
  findToken: (address) => tokens.find(({ record }) => record.address === address)?.record.id,
  pairState: () => pairState,
  pairMarket: () => pairState,
  tokenState: (id) => tokens[id]!,
  pairWindow: (_id, index) => windowOf(index),
  pairTrading: (_id, index) => windowOf(index),
  tokenWindow: (_id, index) => windowOf(index),
  tokenTrading: (_id, index) => windowOf(index),
  pairDayRange: () => dayRange,
  tokenDayRange: () => dayRange,
  pairPrice: () => ({ usd: 2_500, native: 1 }),
  tokenPrice: () => ({ usd: 2_500, native: 1 }),
  lastClose: () => ({ usd: 2_500, native: 1 }),
  tokenDayVolumeUsd: () => 0,
  openKline: () => null,
  nativeUsd: () => 2_500,
  nativeAtS: () => nowS,
  tokenActivity: () => ({ lastTradeAtS: 0, lastTradeBlock: -1 }),
  tokenRecord: (id) => tokens[id]!.record,
  tokenSupply: (id) => tokens[id]!.supply,
  tokenRecordRevision: () => 0,
  tokenSupplyRevision: () => 0,
  tokenFacts: (id) => tokens[id]!,
  tokenWorth: (id) => ({
    ...tokens[id]!,
    priceUsd: tokens[id]!.price?.usd ?? null,
    holders: tokens[id]!.supply?.holders ?? 0,
  }),
  tokenPairs: (id) => tokens[id]!.pairIds,
  tokenTvl: (id) => ({ usd: tokens[id]!.tvlUsd, isKnown: true }),
  mainPairOf: (id) => tokens[id]!.mainPairId,
  tokenSeries: () => null,
  launchOf: (id) => tokens[id]!.launch,
  pairRecord: () => pairState.record,
  pairShares: () => shares.total,
  pairActivity: () => ({ lastTradeAtS: 0, lastTradeBlock: -1 }),
  pairTvlUsd: () => pairState.tvlUsd,
  isPairTvlKnown: () => true,
  pairDayOpenUsd: () => 2_000,
  tokenDayOpenUsd: () => 2_000,
  targetTokenOf: () => pairState.targetTokenId,
  revertCount: () => 0,
  activePairCount: () => 0,
  activePair: () => 0,
  tokenInterest: () => ({ organicUsd: 0, makers: 0 }),
  search: () => ({ exact: [], prefix: [], inside: [] }),
  launched: () => [],
  launchedBy: () => [],
}

const chain = gatewayChainOf({ profile: testProfile, reads })

const tokenRow = (of: GatewayChain, id: number, atS: number) =>
  JSON.parse(
    tokenRowLastingPart(of, id, atS).value.join('') + tokenRowMovingPart(of, id, atS).value,
  )
const pairRow = (of: GatewayChain, id: number, atS: number) =>
  JSON.parse(pairDetailLastingPart(of, id, atS).value.join('') + pairDetailMovingPart(of, id, atS))

const tokenRows = () => tokens.map(({ record }) => tokenRow(chain, record.id, nowS))

/** Returns the fields that do not belong to a window shorter than a day. */
const lasting = (row: object) =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !/_(1m|5m|15m|1h|4h)(_|$)/.test(key)))

test('default: a token row has all fields', () => {
  const rows = tokenRows()
  expect(rows.map(({ symbol }) => symbol)).toEqual(['WETH', 'USDC'])
  expect(lasting(rows[0]!)).toMatchInlineSnapshot(`
    {
      "burn_amount": "0.5",
      "chain": "local",
      "created_at": 1759995000,
      "current_price_eth": "1",
      "current_price_usd": "2500",
      "decimal": 18,
      "fdv": "9998750",
      "holders": 12,
      "holders_complete": true,
      "issue_platform": "",
      "launch_at": 1759996000,
      "launch_price": "0.0000001",
      "lock_amount": "1000",
      "locked_percent": "0.25",
      "logo_url": "",
      "main_pair": "0xabababababababababababababababababababab",
      "main_pair_tvl": "5000000",
      "market_cap": "7498750",
      "name": "Wrapped Ether",
      "other_amount": "0",
      "price_ath_u": "4900",
      "price_change_1d": "25",
      "price_change_24h": "-7.5",
      "price_liquidity_usd": "5000000",
      "price_updated_at": 1759999997,
      "symbol": "WETH",
      "token": "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
      "token_buy_tx_count_24h": 180,
      "token_buy_tx_volume_usd_24h": "9",
      "token_buyers_24h": 24,
      "token_id": "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee-local",
      "token_makers_24h": 30,
      "token_organic_tx_volume_usd_24h": "11.4",
      "token_price_24h_high": "2606",
      "token_price_24h_low": "2394",
      "token_price_change_24h": "-7.5",
      "token_sell_tx_count_24h": 60,
      "token_sell_tx_volume_usd_24h": "3",
      "token_sellers_24h": 18,
      "token_tx_count_24h": 240,
      "token_tx_volume_usd_24h": "12",
      "total": "4000",
      "tvl": "5000000",
      "tx_amount_24h": "9",
      "tx_count_24h": 240,
      "tx_volume_u_24h": "12",
      "updated_at": 1759999998,
    }
  `)
})

test('behavior: unknown facts of a token are empty or zero, never missing', () => {
  const [known, unknown] = tokenRows()
  const namesOf = (row: object) =>
    Object.keys(row).filter((name) => !/^progress$|_known$/.test(name))
  expect(namesOf(unknown!)).toEqual([...namesOf(known!), 'usd_reason'])
  expect(unknown).toMatchObject({
    current_price_usd: '0',
    price_change_1d: '0',
    main_pair: '',
    main_pair_tvl: '0',
    holders: 0,
    total: '0',
    launch_at: 0,
    created_at: nowS - 100,
    issue_platform: 'tape',
    usd_reason: 'unpriced',
  })
})

test.each(windowNames.map((name, i) => [name, i + 1] as const))(
  'behavior: fields of the window %s come from that window',
  (name, n) => {
    expect(tokenRows()[0]).toMatchObject({
      [`token_price_change_${name}`]: String(-1.25 * n),
      [`token_tx_volume_usd_${name}`]: String(2 * n),
      [`token_buy_tx_volume_usd_${name}`]: String(1.5 * n),
      [`token_sell_tx_volume_usd_${name}`]: String(0.5 * n),
      [`token_tx_count_${name}`]: 40 * n,
      [`token_buy_tx_count_${name}`]: 30 * n,
      [`token_sell_tx_count_${name}`]: 10 * n,
      [`token_makers_${name}`]: 5 * n,
      [`token_buyers_${name}`]: 4 * n,
      [`token_sellers_${name}`]: 3 * n,
    })
    expect(pairRow(chain, 0, nowS)).toMatchObject({
      [`price_change_${name}`]: String(-1.25 * n),
      [`volume_u_${name}`]: String(2 * n),
      [`buy_volume_u_${name}`]: String(1.5 * n),
      [`sell_volume_u_${name}`]: String(0.5 * n),
      [`tx_${name}_count`]: 40 * n,
      [`buys_tx_${name}_count`]: 30 * n,
      [`sells_tx_${name}_count`]: 10 * n,
      [`makers_${name}`]: 5 * n,
      [`buyers_${name}`]: 4 * n,
      [`sellers_${name}`]: 3 * n,
    })
  },
)

test('default: pair detail has all fields', () => {
  expect(lasting(pairRow(chain, 0, nowS))).toMatchInlineSnapshot(`
    {
      "amm": "uniswapv2",
      "buy_volume_u_24h": "9",
      "buyers_24h": 24,
      "buys_tx_24h_count": 180,
      "chain": "local",
      "created_at": 1759995000,
      "dynamic_tag": "",
      "fdv": "9998750",
      "first_trade_at": 1759996000,
      "first_trade_block_number": 7,
      "high_u": "2606",
      "init_reserve0": "1000",
      "init_reserve1": "2000000",
      "is_main_pair": true,
      "is_trusted": true,
      "last_trade_at": 1759999997,
      "low_u": "2394",
      "makers_24h": 30,
      "market_cap": "7498750",
      "open_price": "2000",
      "organic_volume_u_24h": "11.4",
      "pair": "0xabababababababababababababababababababab",
      "pair_id": "0xabababababababababababababababababababab-local",
      "price_ath_u": "3000.5",
      "price_change_1d": "25",
      "price_change_24h": "-7.5",
      "reserve0": "1000",
      "reserve1": "2500000",
      "reserve_change": "25",
      "sell_volume_u_24h": "3",
      "sellers_24h": 18,
      "sells_tx_24h_count": 60,
      "sniper_tx_count": 3,
      "tag": "",
      "target_token": "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
      "token0_address": "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
      "token0_decimal": 18,
      "token0_price_eth": "1",
      "token0_price_usd": "2500",
      "token0_symbol": "WETH",
      "token1_address": "0xcccccccccccccccccccccccccccccccccccccccc",
      "token1_decimal": 6,
      "token1_price_eth": "0.0004",
      "token1_price_usd": "1",
      "token1_symbol": "USDC",
      "tvl": "5000000",
      "tx_24h_count": 240,
      "tx_amount": "9",
      "updated_at": 1759999998,
      "volume_u_24h": "12",
    }
  `)
})

test('behavior: a pair is shown from the other side when its target is token1', () => {
  const turned = { pairState: () => ({ ...pairState, targetTokenId: 1 }), targetTokenOf: () => 1 }
  expect(pairRow({ ...chain, reads: { ...reads, ...turned } }, 0, nowS)).toMatchObject({
    target_token: testUsdc,
    reserve_change: '0',
    tx_amount: '9000000000000',
    tag: 'tape',
    dynamic_tag: 'tape_almost',
    is_main_pair: false,
  })
})

test('behavior: an infinite price is unknown, not an exponent', () => {
  const hostile = () => ({ ...pairState, price0Usd: Number.POSITIVE_INFINITY, tvlUsd: 1e300 })
  const row = pairRow({ ...chain, reads: { ...reads, pairState: hostile } }, 0, nowS)
  expect(row.token0_price_usd).toBe('0')
  expect(row.tvl).toMatch(/^1\d{300}$/)
})
