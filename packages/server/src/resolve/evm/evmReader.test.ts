import { encodeAbiParameters, stringToHex, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import type { MulticallResult } from '../../chain/evm/calls/multicall.ts'
import type { VenueProfile } from '../../model/chainProfile.ts'
import { poolQueryOf } from '../../model/pool.ts'
import { encodeCall, selector } from '../../venues/evm/asking/callWords.ts'
import { identifyPool } from '../../venues/evm/asking/identifyPool.ts'
import { knownVenues } from '../../venues/evm/venues.ts'
import { performInquiries, readMetadata } from './evmReader.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const [pool, token0, token1, factory, other] = ['a', '1', '2', 'f', 'e'].map(address) as [
  string,
  string,
  string,
  string,
  string,
]
const word = (value: string | number) => encodeCall('0x', value)

const venues: VenueProfile[] = [
  { address: factory, venue: 'uniswapV2', amm: 'uniswapv2' },
  { address: other, venue: 'uniswapV3', amm: 'uniswapv3' },
]

/** Identifies pools. `contracts`: answers by contract address and call data. */
async function identify(contracts: Record<string, Record<string, string>>, ids = [pool]) {
  const asked: string[] = []
  const inquiries = ids.map((id) => identifyPool(poolQueryOf(id), knownVenues, venues))
  const answers = await performInquiries(inquiries, async (calls) =>
    calls.map(({ to, data }): MulticallResult => {
      asked.push(to)
      const answer = contracts[to]?.[data]
      return answer === undefined ? { ok: false } : { ok: true, data: answer }
    }),
  )
  return { answers, asked }
}

const pairAnswers = {
  [selector.token0]: word(token0),
  [selector.token1]: word(token1),
  [selector.factory]: word(factory),
  [selector.getReserves]: `${word(1)}${word(2).slice(2)}${word(3).slice(2)}`,
}
const getPair = encodeCall(selector.getPair, token0, token1)

test('default: a pool of a configured factory is identified and confirmed', async () => {
  const contracts = { [pool]: pairAnswers, [factory]: { [getPair]: word(pool) } }
  const { answers } = await identify(contracts)
  const tokens = { token0, token1, others: [], factory, feePpm: null, params: [] }
  const venue = { venue: 'uniswapV2', kind: 'constantProduct' }
  expect(answers).toEqual([{ ...venue, ...tokens, isConfirmed: true }])
})

test('behavior: a pool whose claimed factory denies it is not confirmed', async () => {
  const contracts = { [pool]: pairAnswers, [factory]: { [getPair]: word(other) } }
  const { answers } = await identify(contracts)
  expect(answers[0]).toMatchObject({ isConfirmed: false })
})

test('behavior: a pool of an unconfigured factory is identified', async () => {
  const answersOfPool = { ...pairAnswers, [selector.factory]: word(address('9')) }
  const { answers } = await identify({ [pool]: answersOfPool })
  expect(answers[0]).toMatchObject({ factory: address('9'), isConfirmed: false })
})

test('behavior: a concentrated pool is confirmed together with its fee', async () => {
  const { [selector.getReserves]: _, ...ends } = pairAnswers
  const answersOfPool = {
    ...ends,
    [selector.factory]: word(other),
    [selector.fee]: word(500),
    [selector.slot0]: `${word(1)}${word(2).slice(2)}`,
  }
  const getPool = encodeCall(selector.getPool, token0, token1, 500)
  const contracts = { [pool]: answersOfPool, [other]: { [getPool]: word(pool) } }
  const { answers } = await identify(contracts)
  expect(answers[0]).toMatchObject({ kind: 'concentrated', feePpm: 500, isConfirmed: true })
})

test.each([
  ['no token', { [selector.token1]: '0x' }],
  ['the zero address as token', { [selector.token0]: word(0) }],
  ['the same token twice', { [selector.token1]: word(token0) }],
  ['a word that is not an address', { [selector.token0]: `0x${'f'.repeat(64)}` }],
  ['no factory', { [selector.factory]: '0x' }],
  ['no reserves', { [selector.getReserves]: word(1) }],
])('behavior: a contract with %s is not a pool', async (_, answersOfPool) => {
  const { answers } = await identify({ [pool]: { ...pairAnswers, ...answersOfPool } })
  expect(answers).toEqual([null])
})

test('behavior: an id that is not an address causes no call', async () => {
  const { answers, asked } = await identify({}, [`0x${'a'.repeat(64)}`])
  expect(answers).toEqual([null])
  expect(asked).toEqual([])
})

const limits = { nameCharsMax: 20, symbolCharsMax: 8 }
const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value])
const uint = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value])

test('default: ABI strings are decoded', () => {
  const answers = { symbol: text('WETH'), name: text('Wrapped Ether'), decimals: uint(18n) }
  expect(readMetadata(answers, limits)).toEqual({
    symbol: 'WETH',
    name: 'Wrapped Ether',
    decimals: 18,
    isUnreadable: false,
  })
})

test('behavior: bytes32 answers are decoded', () => {
  const symbol = stringToHex('MKR', { size: 32 })
  const name = stringToHex('Maker', { size: 32 })
  const metadata = readMetadata({ symbol, name, decimals: uint(18n) }, limits)
  expect(metadata).toMatchObject({ symbol: 'MKR', name: 'Maker', isUnreadable: false })
})

test('behavior: a name of 10 kB is cut', () => {
  const answers = {
    symbol: text('A'.repeat(10_000)),
    name: text('B'.repeat(10_000)),
    decimals: uint(0n),
  }
  expect(readMetadata(answers, limits)).toEqual({
    symbol: 'A'.repeat(8),
    name: 'B'.repeat(20),
    decimals: 0,
    isUnreadable: false,
  })
})

test('behavior: a missing symbol or name is replaced by the other', () => {
  const answers = { symbol: text(''), name: text('A rather long name'), decimals: uint(6n) }
  expect(readMetadata(answers, limits)).toEqual({
    symbol: 'A rather',
    name: 'A rather long name',
    decimals: 6,
    isUnreadable: true,
  })
})

test.each([
  ['reverted', null],
  ['empty', '0x'],
  ['too large', uint(256n)],
  ['short', '0x12'],
])('behavior: without decimals (%s) amounts stay raw units', (_, decimals) => {
  const answers = { symbol: text('A'), name: text('A'), decimals }
  expect(readMetadata(answers, limits)).toMatchObject({ decimals: 0, isUnreadable: true })
})

test.each([
  ['offset beyond the end', `0x${'f'.repeat(64)}${'0'.repeat(64)}`],
  ['length beyond the end', `${text('abc').slice(0, 66)}${'f'.repeat(64)}${'61'.repeat(3)}`],
  ['not hex', '0xzz'],
  ['one byte', '0x41'],
  ['offset only', `0x${'0'.repeat(64)}41`],
])('behavior: a broken string (%s) does not throw', (_, symbol) => {
  expect(() => readMetadata({ symbol, name: symbol, decimals: uint(1n) }, limits)).not.toThrow()
})

test('behavior: selectors match their function signatures', () => {
  const signatures: Record<keyof typeof selector, string> = {
    token0: 'token0()',
    token1: 'token1()',
    factory: 'factory()',
    fee: 'fee()',
    slot0: 'slot0()',
    lmPool: 'lmPool()',
    getReserves: 'getReserves()',
    getPair: 'getPair(address,address)',
    getPool: 'getPool(address,address,uint24)',
    stable: 'stable()',
    metadata: 'metadata()',
    isPair: 'isPair(address)',
    isPool: 'isPool(address)',
    getFeeOf: 'getFee(address,bool)',
    gauge: 'gauge()',
    tickSpacing: 'tickSpacing()',
    getPoolBySpacing: 'getPool(address,address,int24)',
    globalState: 'globalState()',
    poolByPair: 'poolByPair(address,address)',
    coins: 'coins(uint256)',
    coinsOld: 'coins(int128)',
    underlyingCoins: 'underlying_coins(uint256)',
    underlyingCoinsOld: 'underlying_coins(int128)',
    basePool: 'base_pool()',
    basePoolConstant: 'BASE_POOL()',
    balances: 'balances(uint256)',
    balancesOld: 'balances(int128)',
    getCoins: 'get_coins(address)',
    getPoolTokens: 'getPoolTokens(bytes32)',
    getPoolTokensOf: 'getPoolTokens(address)',
    getPoolTokenInfo: 'getPoolTokenInfo(address)',
    getPoolConfig: 'getPoolConfig(address)',
    getNormalizedWeights: 'getNormalizedWeights()',
    getTokenX: 'getTokenX()',
    getTokenY: 'getTokenY()',
    getBinStep: 'getBinStep()',
    getActiveId: 'getActiveId()',
    getFactory: 'getFactory()',
    getLbPair: 'getLBPairInformation(address,address,uint256)',
    tokenA: 'tokenA()',
    tokenB: 'tokenB()',
    isFactoryPool: 'isFactoryPool(address)',
    baseToken: '_BASE_TOKEN_()',
    quoteToken: '_QUOTE_TOKEN_()',
    constantsView: 'constantsView()',
    poolKeys: 'poolKeys(bytes25)',
    poolIdToPoolKey: 'poolIdToPoolKey(bytes32)',
    extsload: 'extsload(bytes32)',
    getSlot0: 'getSlot0(bytes32)',
    symbol: 'symbol()',
    name: 'name()',
    decimals: 'decimals()',
    totalSupply: 'totalSupply()',
    balanceOf: 'balanceOf(address)',
    getEthBalance: 'getEthBalance(address)',
  }
  for (const [key, signature] of Object.entries(signatures))
    expect(selector[key as keyof typeof selector]).toBe(toFunctionSelector(signature))
})
