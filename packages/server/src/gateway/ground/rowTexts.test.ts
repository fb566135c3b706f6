// Checks that the generated encoders are up to date with the descriptions, and that they write what
// they are given.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rowTexts, rowTextsPath } from '../../../scripts/writeDescribed.ts'
import { klineResultText, newPairText, profileText, txResultText } from './rowTexts.ts'

test('default: rowTexts.ts is up to date with the descriptions (npm run generate)', () => {
  expect(readFileSync(rowTextsPath, 'utf8')).toBe(rowTexts())
})

test('behavior: an absent field leaves no comma, at any position', () => {
  const result = { id: '"0x1"', tx: '{}' }
  expect(txResultText({ ...result, snapshot: null, retracted: null })).toBe(
    '{"id":"0x1","topic":"tx","tx":{}}',
  )
  expect(txResultText({ ...result, snapshot: null, retracted: 'true' })).toBe(
    '{"retracted":true,"id":"0x1","topic":"tx","tx":{}}',
  )
  const kline = { id: '"0x1-local"', interval: '15', kline: '{}' }
  expect(klineResultText({ ...kline, retracted: 'true', revision: '2', final: 'false' })).toBe(
    '{"retracted":true,"revision":2,"final":false,"id":"0x1-local","interval":"15","kline":{},"topic":"kline"}',
  )
  const pair = {
    amm: '"a"',
    chain: '"c"',
    created_at: '1',
    is_trusted: 'true',
    pair: '"p"',
    tag: '""',
    target_token: '"t"',
    token0_address: '"t"',
    token0_decimal: '18',
    token0_symbol: '"T"',
    token1_address: '"u"',
    token1_decimal: '6',
    token1_symbol: '"U"',
  }
  const last = (text: string) => text.slice(text.indexOf('"token1_symbol"'))
  const none = {
    reserve0: null,
    reserve0_known: null,
    reserve1: null,
    reserve1_known: null,
    tvl: null,
    tvl_known: null,
    usd_reason: null,
  }
  expect(last(newPairText({ ...pair, ...none }))).toBe('"token1_symbol":"U"}')
  expect(last(newPairText({ ...pair, ...none, tvl: '1.5' }))).toBe(
    '"token1_symbol":"U","tvl":"1.5"}',
  )
})

test('behavior: an inner row is escaped as JSON within a JSON string', () => {
  const flags = { HasClearedAccount: 'false', HasClosedAccount: 'false', HasNewAccount: 'true' }
  const of = (side: string) =>
    Object.fromEntries(Object.entries(flags).map(([name, value]) => [side + name, value]))
  const texts = {
    ...of('token0'),
    ...of('token1'),
    token0Address: '\\"0x1\\"',
    token1Address: '\\"0x2\\"',
    solTotalHolding: '0',
    solTotalHolding_known: 'false',
    token0TotalHolding: '12.5',
    token0TotalHolding_known: null,
    token1TotalHolding: '3',
    token1TotalHolding_known: null,
  } as unknown as Parameters<typeof profileText>[0]
  expect(JSON.parse(JSON.parse(`"${profileText(texts)}"`))).toEqual({
    solTotalHolding: 0,
    solTotalHolding_known: false,
    token0Address: '0x1',
    token0TotalHolding: 12.5,
    token1Address: '0x2',
    token1TotalHolding: 3,
    token0HasClearedAccount: false,
    token0HasClosedAccount: false,
    token0HasNewAccount: true,
    token1HasClearedAccount: false,
    token1HasClosedAccount: false,
    token1HasNewAccount: true,
  })
})
