// Whole rows, with a value of its own in every field.
import { expect, test } from 'vitest'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { liquidityTxRow, swapTxRow, withPushedNames } from './txRows.ts'

const tokens = {
  7: { address: '0xa7', symbol: 'SEVEN', decimals: 2 },
  8: { address: '0xa8', symbol: 'EIGHT', decimals: 3 },
} as const

const quote = {
  liquidityUsd: 500.5,
  liquidityNative: 0.25,
  price0Usd: 11,
  price0Native: 12,
  price1Usd: 13,
  price1Native: 14,
}

function chainOf(record: object = {}) {
  const pair = { amm: 'amm', address: '0xpa', token0Id: 7, token1Id: 8, isTrusted: true }
  return {
    reads: { pairRecord: () => ({ ...pair, ...record }), targetTokenOf: () => 7 },
    profile: { name: 'test', native: { symbol: 'ETH', decimals: 1 } },
  } as unknown as GatewayChain
}

const recordOf = (_chain: unknown, id: number) => tokens[id as 7] as never
const place = { pairId: 3, index: 4, txHash: '0x7e', wallet: '0x3a' }
const reserves = { reserve0: 9_900n, reserve1: 88_000n }
const worth = { amountUsdE8: 150_000_000, amountNativeRaw: 35n }
const at = { blockNumber: 60, timeS: 1_700_000_000 }

const swap = (isBuy: boolean, parts: object = {}) => {
  const amounts = isBuy ? { amount0: -200n, amount1: 3_000n } : { amount0: 200n, amount1: -3_000n }
  const ends = { sender: '0x5e', to: '0x70' }
  const event = { type: 'swap', isBuy, quote, ...worth }
  return {
    ...at,
    event: { ...event, swap: { ...place, ...ends, ...amounts, ...reserves, ...parts } },
  }
}

const sell = {
  id: '60-4',
  chain: 'test',
  amm: 'amm',
  pair_address: '0xpa',
  tx_hash: '0x7e',
  tx_time: 1_700_000_000,
  block_number: 60,
  direction: 'sell',
  amount_usd: '1.5',
  amount_eth: '3.5',
  pair_liquidity_usd: '500.5',
  pair_liquidity_eth: '0.25',
  from_token_address: '0xa7',
  from_token_symbol: 'SEVEN',
  from_token_amount: '2',
  from_token_reserve: '99',
  from_token_price_usd: '11',
  from_token_price_eth: '12',
  to_token_address: '0xa8',
  to_token_symbol: 'EIGHT',
  to_token_amount: '3',
  to_token_reserve: '88',
  to_token_price_usd: '13',
  to_token_price_eth: '14',
  wallet_address: '0x3a',
  wallet_tag: null,
  sender_address: '0x5e',
  to_address: '0x70',
}

test('default: the seller of a token gave it, and got the quote token', () => {
  expect(swapTxRow(chainOf(), swap(false) as never, recordOf)).toEqual(sell)
})

test('behavior: the buyer of a token gave the quote token', () => {
  const sides = Object.entries(sell).map(([name, value]) => {
    if (name.startsWith('from_token_')) return [name.replace('from', 'to'), value]
    return [name.startsWith('to_token_') ? name.replace('to', 'from') : name, value]
  })
  const bought = { ...Object.fromEntries(sides), direction: 'buy' }
  expect(swapTxRow(chainOf(), swap(true) as never, recordOf)).toEqual(bought)
  // The target may be either token of the pair.
  const turned = chainOf({ token0Id: 8, token1Id: 7 })
  const row = swapTxRow(turned, swap(false) as never, recordOf)
  expect(row).toMatchObject({ from_token_address: '0xa7', from_token_amount: '30' })
})

test('behavior: a sender and a recipient that are not known are the trader', () => {
  const row = swapTxRow(chainOf(), swap(false, { sender: '', to: '' }) as never, recordOf)
  expect(row).toEqual({ ...sell, sender_address: '0x3a', to_address: '0x3a' })
})

test('behavior: fractions of a second, unknown liquidity and untrusted pools are marked', () => {
  const stored = swap(false)
  const event = { ...stored.event, quote: { ...quote, liquidityUsd: null, liquidityNative: null } }
  const row = swapTxRow(
    chainOf({ isTrusted: false }),
    { ...stored, timeMs: 1_700_000_000_250, event } as never,
    recordOf,
  )
  const unknown = [
    'pair_liquidity_usd',
    'pair_liquidity_eth',
    'from_token_reserve',
    'to_token_reserve',
  ]
  expect(row).toEqual({
    ...sell,
    time_ms: 1_700_000_000_250,
    amount_usd: '0',
    amount_eth: '0',
    usd_reason: 'untrusted_pool',
    pair_liquidity_usd: '0',
    pair_liquidity_eth: '0',
    ...Object.fromEntries(unknown.map((name) => [`${name}_known`, false])),
  })
  expect(withPushedNames(row)).toMatchObject({
    from_reserve_known: false,
    to_reserve_known: false,
  })
})

test('behavior: pushed swaps also have the other names', () => {
  const row = swapTxRow(chainOf(), swap(false) as never, recordOf)
  expect(withPushedNames(row)).toEqual({
    ...sell,
    from_address: '0xa7',
    from_amount: '2',
    from_price_eth: '12',
    from_price_usd: '11',
    from_reserve: '99',
    from_symbol: 'SEVEN',
    to_address: '0xa8',
    to_amount: '3',
    to_price_eth: '14',
    to_price_usd: '13',
    to_reserve: '88',
    to_symbol: 'EIGHT',
    sender: '0x5e',
    to: '0x70',
    target_token: '0xa7',
    transaction: '0x7e',
    tx_swap_type: 1,
  })
  const bought = withPushedNames(swapTxRow(chainOf(), swap(true) as never, recordOf))
  expect(bought).toMatchObject({ target_token: '0xa7', tx_swap_type: 0 })
})

const liquidity = (parts: object = {}) => {
  const amounts = { amount0: 200n, amount1: 3_000n }
  const change = { ...place, kind: 'add', sender: '0x5e', ...amounts, ...reserves, ...parts }
  return { ...at, event: { type: 'liquidity', quote, ...worth, liquidity: change } }
}

const added = {
  id: '60-4',
  type: 'addLiquidity',
  chain: 'test',
  amm: 'amm',
  pair_address: '0xpa',
  transaction: '0x7e',
  tx_time: 1_700_000_000,
  block_number: 60,
  amount_usd: '1.5',
  amount_eth: '3.5',
  pair_liquidity_usd: '500.5',
  pair_liquidity_eth: '0.25',
  token0_address: '0xa7',
  token0_symbol: 'SEVEN',
  amount0: '2',
  reserve0: '99',
  token0_price_usd: '11',
  token0_price_eth: '12',
  token1_address: '0xa8',
  token1_symbol: 'EIGHT',
  amount1: '3',
  reserve1: '88',
  token1_price_usd: '13',
  token1_price_eth: '14',
  wallet_address: '0x3a',
  sender: '0x5e',
}

test('default: a change of liquidity has both tokens of the pair', () => {
  expect(liquidityTxRow(chainOf(), liquidity() as never, recordOf)).toEqual(added)
})

test.each([
  ['add', 'addLiquidity'],
  ['remove', 'removeLiquidity'],
  ['create', 'createPair'],
  ['collect', 'collectFee'],
])('behavior: the kind %s is %s', (kind, type) => {
  const row = liquidityTxRow(chainOf(), liquidity({ kind }) as never, recordOf)
  expect(row).toEqual({ ...added, type })
})

test('behavior: a provider without a sender of its own is the wallet', () => {
  const row = liquidityTxRow(chainOf(), liquidity({ sender: '' }) as never, recordOf)
  expect(row).toEqual({ ...added, sender: '0x3a' })
})

test('behavior: a change of unknown liquidity marks it, and its reserves', () => {
  const stored = liquidity()
  const event = { ...stored.event, quote: { ...quote, liquidityUsd: null, liquidityNative: null } }
  const row = liquidityTxRow(
    chainOf(),
    { ...stored, timeMs: 1_700_000_000_250, event } as never,
    recordOf,
  )
  const unknown = ['pair_liquidity_usd', 'pair_liquidity_eth', 'reserve0', 'reserve1']
  expect(row).toEqual({
    ...added,
    time_ms: 1_700_000_000_250,
    pair_liquidity_usd: '0',
    pair_liquidity_eth: '0',
    ...Object.fromEntries(unknown.map((name) => [`${name}_known`, false])),
  })
})
