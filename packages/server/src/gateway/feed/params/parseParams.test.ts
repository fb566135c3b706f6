import { base58Ids, evmIds } from '@chaintape/protocol'
import { expect, test } from 'vitest'
import { runAllSteps } from '../../../../../../test/support/runAllSteps.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import type { RequestError } from '../../ground/errors.ts'
import { parseItemKey } from './itemKey.ts'
import { paramOfKey, parseParams } from './parseParams.ts'

const reads = {
  head: () => ({}),
  findPair: () => 1,
  findToken: () => 1,
} as unknown as GatewayChain['reads']
const evm = { ids: evmIds, reads } as GatewayChain
const solana = { ids: base58Ids, reads } as GatewayChain
const chains = new Map([
  ['bsc', evm],
  ['solana', solana],
])
const pair = `0x${'aB'.repeat(20)}`
const low = pair.toLowerCase()
const pool = `0x${'Cd'.repeat(32)}`
const mint = 'So11111111111111111111111111111111111111112'

const limits = { isCompatible: false, itemsMax: 10, walletsMax: 100 }
const parse = (...params: unknown[]) => runAllSteps(parseParams(params, { chains, ...limits }))
const keys = (...params: unknown[]) => parse(...params).items.map(({ key }) => key)

function faultOf(...params: unknown[]) {
  try {
    parse(...params)
  } catch (error) {
    const { wireCode, param, shortMessage } = error as RequestError
    return { code: wireCode, param, message: shortMessage }
  }
  return null
}

test('default: params become items with a canonical key', () => {
  const options = { since: null, snapshot: false, revisions: false, heartbeatS: null }
  expect(parse('tx', pair, 'bsc')).toEqual({
    topic: 'tx',
    items: [{ key: `tx:${low}-bsc`, param: [pair, 'bsc'], isUnknown: false, isCanonical: false }],
    rejected: [],
    options,
    hasOptions: false,
  })
})

test('args: every topic', () => {
  expect(keys('tx', pool, 'bsc')).toEqual([`tx:${pool.toLowerCase()}-bsc`])
  expect(keys('multi_tx', mint, 'solana')).toEqual([`multi_tx:${mint}-solana`])
  expect(keys('liq', pair, 'bsc')).toEqual([`liq:${low}-bsc`])
  expect(keys('kline', pair, 'k15', 'bsc')).toEqual([`kline:${low}-bsc:k15`])
  expect(keys('multi_kline', [pair, 's1', 'bsc'], [mint, 'k5', 'solana'])).toEqual([
    `multi_kline:${low}-bsc:s1`,
    `multi_kline:${mint}-solana:k5`,
  ])
  expect(keys('price', [`${pair}-bsc`, `${mint}-solana`, `${pool}-bsc`])).toEqual([
    `price:${low}-bsc`,
    `price:${mint}-solana`,
    `price:${pool.toLowerCase()}-bsc`,
  ])
  expect(keys('trending', 'bsc')).toEqual(['trending:bsc'])
  expect(keys('new_pairs', 'solana')).toEqual(['new_pairs:solana'])
})

test('error: a chain that is still loading is refused until it is open', () => {
  const status = () => ({ tipNumber: null, openingReason: 'it is loaded' })
  const eth = { ...evm, profile: { name: 'eth' }, reads: { ...reads, head: () => null }, status }
  const some = new Map([...chains, ['eth', eth as unknown as GatewayChain]])
  const parseSome = (...params: unknown[]) =>
    runAllSteps(parseParams(params, { chains: some, ...limits }))
  const reason = 'The chain eth cannot be followed: no block is applied yet (it is loaded).'
  const fault = expect.objectContaining({ wireCode: 'not_ready', param: 'chain' })
  expect(() => parseSome('tx', pair, 'eth')).toThrow(fault)
  expect(() => parseSome('price', [`${pair}-eth`])).toThrow(fault)
  expect(parseSome('price', [`${pair}-eth`, `${pair}-bsc`])).toMatchObject({
    items: [{ key: `price:${low}-bsc` }],
    rejected: [{ param: `${pair}-eth`, reason }],
  })
  const open = { ...eth, status: () => ({ ...status(), openingReason: undefined }) }
  some.set('eth', open as unknown as GatewayChain)
  expect(parseSome('tx', pair, 'eth').items).toHaveLength(1)
})

test('behavior: an item key is parsed back into its parts', () => {
  const [key] = keys('kline', pair, 'k15', 'bsc')
  expect(parseItemKey(key!)).toEqual({
    topic: 'kline',
    chain: 'bsc',
    address: low,
    interval: 'k15',
  })
  expect(parseItemKey('trending:bsc')).toEqual({
    topic: 'trending',
    chain: 'bsc',
    address: '',
    interval: null,
  })
})

test('behavior: duplicate items are merged, regardless of letter case', () => {
  expect(keys('price', [`${pair}-bsc`, `${low}-bsc`])).toEqual([`price:${low}-bsc`])
})

test('behavior: invalid items are rejected one by one, valid items stay', () => {
  const { items, rejected } = parse('multi_kline', [pair, 'k5', 'bsc'], [pair, 'k7', 'bsc'], 'x', [
    pair,
    'k5',
    'mars',
  ])
  expect(items).toHaveLength(1)
  expect(rejected.map(({ param }) => param)).toEqual([
    [pair, 'k7', 'bsc'],
    'x',
    [pair, 'k5', 'mars'],
  ])
  expect(rejected[0]?.reason).toContain('"k7" is not an interval')
  expect(rejected[2]?.reason).toContain('The chains are: bsc, solana')
})

test('args: an address may be an id of the same chain, and an interval may omit its k', () => {
  expect(keys('tx', `${pair}-bsc`, 'bsc')).toEqual([`tx:${low}-bsc`])
  expect(keys('multi_tx', `${mint}-solana`, 'solana')).toEqual([`multi_tx:${mint}-solana`])
  expect(keys('liq', `${pool}-bsc`, 'bsc')).toEqual([`liq:${pool.toLowerCase()}-bsc`])
  expect(keys('kline', `${pair}-bsc`, '60', 'bsc')).toEqual([`kline:${low}-bsc:k60`])
  expect(keys('multi_kline', [pair, '15', 'bsc'], [`${mint}-solana`, 's1', 'solana'])).toEqual([
    ...[`multi_kline:${low}-bsc:k15`, `multi_kline:${mint}-solana:s1`],
  ])
  expect(keys('kline', pair, '60', 'bsc')).toEqual(keys('kline', pair, 'k60', 'bsc'))
  expect(keys('kline', pair, 60, 'bsc')).toEqual(keys('kline', pair, 'k60', 'bsc'))
  expect(keys('multi_kline', [pair, 15, 'bsc'])).toEqual([`multi_kline:${low}-bsc:k15`])
  expect(faultOf('tx', `${pair}-solana`, 'bsc')).toMatchObject({ param: 'address' })
  for (const length of ['7', 7, -5, '060', '1s', 'kk60', '60 ', ''])
    expect(faultOf('kline', pair, length, 'bsc')).toMatchObject({ param: 'interval' })
})

test.each(['sinse', 'Since', 'snapshots', '__proto__', 'x'.repeat(100)])(
  'error: unknown option %s',
  (name) => {
    const options = JSON.parse(`{"snapshot":true,${JSON.stringify(name)}:"1-aaaaaaaa-0"}`)
    const fault = faultOf('tx', pair, 'bsc', options)
    expect(fault).toMatchObject({ code: 'invalid_param', param: name.slice(0, 40) })
    expect(fault!.message).toBe(
      `Unknown option "${name.slice(0, 40)}". The options are: since, snapshot, revisions, heartbeat.`,
    )
  },
)

test('args: options', () => {
  const since = '18000000-0a1b2c3d-7'
  const { options, hasOptions } = parse('tx', pair, 'bsc', {
    since,
    snapshot: true,
    revisions: true,
    heartbeat: 5,
  })
  expect({ options, hasOptions }).toEqual({
    options: { since, snapshot: true, revisions: true, heartbeatS: 5 },
    hasOptions: true,
  })
  expect(parse('price', [`${pair}-bsc`], {}).hasOptions).toBe(true)
})

test.each([
  [['tx', pair, 'bsc', { since: 'yesterday' }], 'invalid_param', 'since'],
  [['tx', pair, 'bsc', { since: 7 }], 'invalid_param', 'since'],
  [['tx', pair, 'bsc', { snapshot: 1 }], 'invalid_param', 'snapshot'],
  [['tx', pair, 'bsc', { revisions: 'yes' }], 'invalid_param', 'revisions'],
  [['tx', pair, 'bsc', { heartbeat: '5' }], 'invalid_param', 'heartbeat'],
  [['tx', pair, 'bsc', { heartbeat: 0 }], 'limit_out_of_range', 'heartbeat'],
  [['tx', pair, 'bsc', { heartbeat: 1e9 }], 'limit_out_of_range', 'heartbeat'],
  [[], 'missing_param', 'topic'],
  [['txs', pair, 'bsc'], 'invalid_param', 'topic'],
  [[7], 'invalid_param', 'topic'],
  [['tx'], 'missing_param', 'params'],
  [['tx', pair], 'invalid_param', 'params'],
  [['tx', pair, 'k5', 'bsc'], 'invalid_param', 'params'],
  [['tx', pair, 'mars'], 'unknown_chain', 'chain'],
  [['tx', '0xabc', 'bsc'], 'malformed_id', 'address'],
  [['multi_tx', pool, 'bsc'], 'malformed_id', 'address'],
  [['tx', 7, 'bsc'], 'malformed_id', 'address'],
  [['kline', pair, 1.5, 'bsc'], 'invalid_param', 'params'],
  [['kline', pair, 'k7', 'bsc'], 'invalid_param', 'interval'],
  [['multi_kline'], 'missing_param', 'params'],
  [['multi_kline', [pair, 'k5']], 'invalid_param', 'params'],
  [['price'], 'invalid_param', 'params'],
  [['price', []], 'missing_param', 'params'],
  [['price', `${pair}-bsc`], 'invalid_param', 'params'],
  [['price', ['x']], 'malformed_id', 'id'],
  [['price', Array.from({ length: 11 }, () => `${pair}-bsc`)], 'limit_out_of_range', 'params'],
  [['trending'], 'missing_param', 'params'],
  [['new_pairs', 'mars'], 'unknown_chain', 'chain'],
])('error: %j', (params, code, param) => {
  expect(faultOf(...params)).toMatchObject({ code, param })
})

test('error: only the start of a long invalid text is repeated', () => {
  expect(faultOf('tx', pair, 'x'.repeat(10_000))?.message.length).toBeLessThan(200)
})

test('behavior: items that no chain knows are marked as unknown', () => {
  const known = {
    head: () => ({}),
    findPair: (address: string) => (address === low ? 1 : undefined),
  }
  const some = { ...known, findToken: () => undefined } as unknown as GatewayChain['reads']
  const isUnknown = (...params: unknown[]) =>
    runAllSteps(
      parseParams(params, {
        chains: new Map([['bsc', { ids: evmIds, reads: some } as GatewayChain]]),
        ...limits,
      }),
    ).items.map((item) => item.isUnknown === true)
  expect(isUnknown('tx', pair, 'bsc')).toEqual([false])
  expect(isUnknown('tx', pool, 'bsc')).toEqual([true])
  expect(isUnknown('multi_tx', pair, 'bsc')).toEqual([true])
  expect(isUnknown('kline', pool, 'k5', 'bsc')).toEqual([true])
  expect(isUnknown('price', [`${pair}-bsc`, `${pool}-bsc`])).toEqual([false, true])
  expect(isUnknown('new_pairs', 'bsc')).toEqual([false])
})

test.each([
  ['tx', low, 'bsc'],
  ['multi_tx', mint, 'solana'],
  ['kline', low, 'k15', 'bsc'],
  ['multi_kline', [low, 's1', 'bsc'], [mint, 'k5', 'solana']],
  ['price', [`${low}-bsc`, `${mint}-solana`]],
  ['new_pairs', 'bsc'],
])('behavior: a canonical item can be rebuilt from its key: %s', (...params) => {
  const { items } = parse(...params)
  for (const { key, param, isCanonical } of items)
    expect([isCanonical, paramOfKey(key)]).toEqual([true, param])
})

test('default: filters of trades become part of the key', () => {
  expect(keys('trades', 'bsc')).toEqual(['trades:bsc'])
  expect(keys('trades', { chain: 'bsc' })).toEqual(['trades:bsc'])
  const filter = { venue: 'uniswap:v2-x', chain: 'bsc', min_usd: 1000.5 }
  const [key] = keys('trades', filter)
  expect(key).toBe('trades:bsc:min_usd=1000.5&venue=uniswap%3Av2-x')
  expect(paramOfKey(key!)).toEqual(filter)
  expect(keys('trades', filter, { since: null })).toEqual([key])
})

test.each([
  [{}, 'chain'],
  [{ chain: 'none' }, 'chain'],
  [{ chain: 'bsc', min_usd: '5' }, 'min_usd'],
  [{ chain: 'bsc', min_usd: -1 }, 'min_usd'],
  [{ chain: 'bsc', min_usd: Number.NaN }, 'min_usd'],
  [{ chain: 'bsc', venue: 5 }, 'venue'],
  [{ chain: 'bsc', since: '1-12345678-1' }, 'since'],
])('error: invalid trades filter %j', (filter, param) => {
  expect(faultOf('trades', filter)?.param).toBe(param)
})

test('default: equal filters of screener have equal keys', () => {
  expect(keys('screener', 'bsc')).toEqual(['screener:bsc'])
  const same = { limit: 50, chain: 'bsc', sort: 'volume_24h', of: 'tokens', order: 'desc' }
  expect(keys('screener', same)).toEqual(['screener:bsc'])
  const filter = {
    venue: 'uniswap:v2',
    chain: 'bsc',
    max_age_s: '3600',
    min_liquidity: 1e4,
    limit: 5,
  }
  const [key] = keys('screener', filter)
  expect(key).toBe('screener:bsc:limit=5&max_age_s=3600&min_liquidity=10000&venue=uniswap%3Av2')
  expect(paramOfKey(key!)).toEqual({ ...filter, max_age_s: 3600 })
  expect(keys('screener', paramOfKey(key!), { snapshot: true })).toEqual([key])
  const ofPairs = { chain: 'bsc', of: 'pairs', trusted: '1' }
  expect(keys('screener', ofPairs)).toEqual(['screener:bsc:of=pairs&trusted=1'])
  expect(paramOfKey('screener:bsc:of=pairs&trusted=1')).toEqual(ofPairs)
})

test.each([
  [{}, 'chain', 'invalid_param'],
  [{ chain: 'none' }, 'chain', 'unknown_chain'],
  [{ chain: 'bsc', of: 'wallets' }, 'of', 'invalid_param'],
  [{ chain: 'bsc', sort: 'size' }, 'sort', 'invalid_param'],
  [{ chain: 'bsc', of: 'pairs', sort: 'market_cap' }, 'sort', 'invalid_param'],
  [{ chain: 'bsc', limit: 101 }, 'limit', 'limit_out_of_range'],
  [{ chain: 'bsc', min_price: 'much' }, 'min_price', 'invalid_param'],
  [{ chain: 'bsc', min_price: { usd: 1 } }, 'min_price', 'invalid_param'],
  [{ chain: 'bsc', honeypot: 2 }, 'honeypot', 'invalid_param'],
  [{ chain: 'bsc', cursor: '1_a-bsc' }, 'cursor', 'invalid_param'],
  [{ chain: 'bsc', min_size: 1 }, 'min_size', 'invalid_param'],
])('error: invalid screener filter %j', (filter, param, code) => {
  expect(faultOf('screener', filter)).toMatchObject({ param, code })
})

test('default: a request takes up to a hundred wallets', () => {
  const wallet = (at: number) => `0x${at.toString(16).padStart(40, '0')}-bsc`
  expect(
    keys('wallet', [wallet(1), wallet(10).toUpperCase().replace('0X', '0x').replace('BSC', 'bsc')]),
  ).toEqual([`wallet:${wallet(1)}`, `wallet:${wallet(10)}`])
  const many = Array.from({ length: 101 }, (_, at) => wallet(at))
  expect(faultOf('wallet', many)?.code).toBe('limit_out_of_range')
  expect(faultOf('wallet', ['0x12-bsc'])?.param).toBe('address')
})
