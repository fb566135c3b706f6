import { encodeAbiParameters, stringToHex, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { selector } from '../../venues/evm/asking/callWords.ts'
import { readMetadata } from './tokenMetadata.ts'

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
