// Checks every message of a running market, field by field, against the tables of the API.
import { beforeAll, expect, test } from 'vitest'
import { BlockGenerator } from '../../../../../../test/support/blockGenerator.ts'
import { schemaFaults } from '../../../../../../test/support/checkSchema.ts'
import {
  createFeedMarket,
  type Message,
  sentMs,
  type TestSubscriber,
  withRealHashes,
} from '../../../../../../test/support/feedMarket.ts'
import { orderFaults } from '../../../../../../test/support/rowOrder.ts'
import {
  klinePush,
  liqPush,
  multiTxPush,
  pricePush,
  switchPush,
  txPush,
} from '../../../../../protocol/src/pushes/results.ts'
import { klineIntervalNames } from '../../../model/klines/kline.ts'
import { componentRef } from '../../ground/schemas.ts'
import { pushSchemas } from '../../http/asyncapi/asyncApiDocument.ts'

type Kind = 'string' | 'decimal' | 'integer' | 'number' | 'boolean' | 'null'
type Table = Record<string, Kind>

/** Builds a table from field names by kind, separated by blanks. */
const table = (kinds: Partial<Record<Kind, string>>): Table =>
  Object.fromEntries(
    Object.entries(kinds).flatMap(([kind, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, kind as Kind]),
    ),
  )

const swapTable = table({
  string:
    'amm chain from_address from_symbol id pair_address sender target_token to to_address to_symbol transaction wallet_address direction',
  decimal:
    'amount_eth amount_usd from_amount from_price_eth from_price_usd from_reserve pair_liquidity_eth pair_liquidity_usd to_amount to_price_eth to_price_usd to_reserve',
  integer: 'block_number time tx_swap_type',
  null: 'wallet_tag',
})
const pairSwapTable: Table = { ...swapTable, profile: 'string', tx_seq: 'string' }
const profileTable = table({
  number: 'token0TotalHolding token1TotalHolding solTotalHolding',
  string: 'token0Address token1Address',
  boolean:
    'token0HasNewAccount token0HasClosedAccount token0HasClearedAccount token1HasNewAccount token1HasClosedAccount token1HasClearedAccount',
})
const liquidityTable = table({
  string:
    'type chain amm transaction id sender wallet_address pair_address token0_address token1_address token0_symbol token1_symbol',
  integer: 'time block_number',
  decimal:
    'amount0 amount1 reserve0 reserve1 token0_price_usd token1_price_usd token0_price_eth token1_price_eth amount_usd amount_eth pair_liquidity_usd pair_liquidity_eth',
})
const klineTable = table({ string: 'id interval topic' })
const klineNativeTable = table({ decimal: 'open high low close volume', integer: 'time' })
const klineUsdTable = table({
  decimal:
    'open high low close volume amount_24h change change_v2 count_24h high_24h low_24h volume_24h',
  string: 'swap',
  integer: 'time',
})
const switchTable = table({ string: 'chain event id new_main_pair old_main_pair tag token' })
const switchPairTable = table({
  string:
    'amm chain pair tag target_token token0_address token0_symbol token1_address token1_symbol',
  number: 'init_reserve0 init_reserve1 reserve0 reserve1 tvl',
  integer: 'token0_decimal token1_decimal',
})
const priceTable = table({
  string: 'chain pair target_token direction token',
  boolean: 'is_main_pair',
  decimal:
    'uprice last_price reserve0 reserve1 price_change price_change_24h volume_24_u change tvl makers_24h tx_amount_24h tx_count_24h',
  integer: 'time',
})
const envelopeTable = table({ integer: 'id sent_time', string: 'jsonrpc' })

const decimalText = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/
const exponentNumber = /[:,[]-?\d+(\.\d+)?[eE]/

function kindsOf(value: unknown): Kind[] {
  if (value === null) return ['null']
  if (typeof value === 'boolean') return ['boolean']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number']
  const isDecimal = typeof value === 'string' && decimalText.test(value) && value !== '-0'
  return isDecimal ? ['string', 'decimal'] : ['string']
}

/** Names of fields that are missing or of another type. */
function faultsOf(object: Message, wanted: Table): string[] {
  return Object.entries(wanted).flatMap(([name, kind]) => {
    if (!Object.hasOwn(object, name)) return [`${name} is missing`]
    return kindsOf(object[name]).includes(kind) ? [] : [`${name} is ${object[name]}, no ${kind}`]
  })
}

const topics = ['tx', 'multi_tx', 'liq', 'kline', 'multi_kline', 'price'] as const
const market = createFeedMarket()
const got = new Map<string, TestSubscriber[]>(topics.map((topic) => [topic, []]))
const messagesOf = (topic: string) => got.get(topic)!.flatMap(({ messages }) => messages)
const withTopic = (topic: string, ofResult: string) =>
  messagesOf(topic).filter(({ result }) => result.topic === ofResult)

beforeAll(() => {
  const generator = new BlockGenerator({ seed: 7 })
  const add = (topic: string, key: string) => got.get(topic)!.push(market.subscribe(key, 7))
  for (let left = 160; left > 0; left -= 1) {
    const block = withRealHashes(generator.next())
    // For every fourth swap all holdings of the trader are known.
    const events = block.events.map((event, at) =>
      event.type === 'swap' && at % 4 === 0
        ? { ...event, holding0: 10n ** 30n + 1n, holding1: 0n, native: 5n, accountFlags: 0b100_001 }
        : event,
    )
    market.apply({ type: 'commit', block: { ...block, events } })
    for (const { address } of block.pairs) {
      for (const topic of ['tx', 'liq', 'price']) add(topic, `${topic}:${address}-local`)
      for (const name of klineIntervalNames) add('kline', `kline:${address}-local:${name}`)
      add('multi_kline', `multi_kline:${address}-local:k15`)
    }
    for (const { address } of block.tokens) {
      add('multi_tx', `multi_tx:${address}-local`)
      add('price', `price:${address}-local`)
    }
  }
})

test.each(topics)('behavior: %s messages have the envelope and no exponents', (topic) => {
  const messages = messagesOf(topic).filter(({ result }) => result.status === undefined)
  expect(messages.length).toBeGreaterThan(50)
  expect(new Set(messages.flatMap((message) => faultsOf(message, envelopeTable)))).toEqual(
    new Set(),
  )
  const [first] = messages
  expect(Object.keys(first)).toEqual(['id', 'jsonrpc', 'result', 'sent_time'])
  expect(first).toMatchObject({ id: 7, jsonrpc: '2.0', sent_time: sentMs })
  const texts = got.get(topic)!.flatMap((subscriber) => subscriber.texts)
  expect(texts.filter((text) => exponentNumber.test(text))).toEqual([])
})

test.each([
  ['tx', txPush],
  ['multi_tx', multiTxPush],
  ['liq', liqPush],
  ['kline', klinePush],
  ['kline', switchPush],
  ['multi_kline', klinePush],
  ['price', pricePush],
] as const)('behavior: every message of %s is as described, member by member', (topic, row) => {
  const messages = messagesOf(topic).filter(
    ({ result }) => (result.status !== undefined) === (row === switchPush),
  )
  expect(messages.length).toBeGreaterThan(0)
  const schema = componentRef(row.name!)
  const faults = messages.flatMap((message) => [
    ...schemaFaults(schema, message, pushSchemas),
    ...orderFaults(row, message),
  ])
  expect(new Set(faults)).toEqual(new Set())
  // Verifies the check itself: a wrong message must have faults.
  const [{ jsonrpc, ...first }] = messages as [Message]
  expect(orderFaults(row, { ...first, jsonrpc })).not.toEqual([])
  expect(schemaFaults(schema, { ...first, jsonrpc, news: 1 }, pushSchemas)).not.toEqual([])
  expect(schemaFaults(schema, first, pushSchemas)).not.toEqual([])
})

test('behavior: tx has every field of a swap, with profile and tx_seq', () => {
  const messages = messagesOf('tx')
  expect(new Set(messages.flatMap(({ result }) => faultsOf(result.tx, pairSwapTable)))).toEqual(
    new Set(),
  )
  for (const { result } of messages) {
    expect(Object.keys(result)).toEqual(['id', 'topic', 'tx'])
    expect(result.topic).toBe('tx')
    expect(result.id).toBe(result.tx.pair_address)
    expect(result.tx.id).toBe(`${result.tx.block_number}-${result.tx.tx_seq}`)
    expect(result.tx.direction).toBe(result.tx.tx_swap_type === 0 ? 'buy' : 'sell')
    const bought = result.tx.direction === 'buy' ? result.tx.to_address : result.tx.from_address
    expect(bought).toBe(result.tx.target_token)
  }
  const profiles = messages.map(({ result }) => JSON.parse(result.tx.profile))
  expect(new Set(profiles.flatMap((profile) => faultsOf(profile, profileTable)))).toEqual(new Set())
  const marksOf = (profile: object) =>
    Object.keys(profile).filter((name) => name.endsWith('_known'))
  const whole = profiles.filter((profile) => marksOf(profile).length === 0)
  expect(whole.length).toBeGreaterThan(5)
  expect(whole[0]).toMatchObject({
    token0HasNewAccount: true,
    token1HasClearedAccount: true,
    token0HasClosedAccount: false,
    token1TotalHolding: 0,
    solTotalHolding: 5e-18,
  })
  // An unknown holding is 0 and marked as unknown.
  const unknown = profiles.find((profile) => marksOf(profile).length === 3)
  for (const name of ['token0TotalHolding', 'token1TotalHolding', 'solTotalHolding'])
    expect(unknown).toMatchObject({ [name]: 0, [`${name}_known`]: false })
})

test('behavior: multi_tx has the same fields without profile and tx_seq', () => {
  const messages = messagesOf('multi_tx')
  expect(new Set(messages.flatMap(({ result }) => faultsOf(result.tx, swapTable)))).toEqual(
    new Set(),
  )
  for (const { result } of messages) {
    expect(result.topic).toBe('tx')
    expect(result.tx).not.toHaveProperty('profile')
    expect(result.tx).not.toHaveProperty('tx_seq')
  }
})

test('behavior: liq has every field and all four types', () => {
  const messages = messagesOf('liq')
  expect(new Set(messages.flatMap(({ result }) => faultsOf(result.tx, liquidityTable)))).toEqual(
    new Set(),
  )
  const words = new Set(messages.map(({ result }) => result.tx.type))
  for (const word of words)
    expect(['addLiquidity', 'removeLiquidity', 'createPair', 'collectFee']).toContain(word)
  expect(words.size).toBeGreaterThan(1)
})

test.each(['kline', 'multi_kline'])('behavior: %s has every field', (topic) => {
  const messages = withTopic(topic, 'kline')
  const faults = messages.flatMap(({ result }) => [
    ...faultsOf(result, klineTable),
    ...faultsOf(result.kline.eth, klineNativeTable),
    ...faultsOf(result.kline.usd, klineUsdTable),
  ])
  expect(new Set(faults)).toEqual(new Set())
  const words =
    topic === 'kline' ? ['s1', '1', '5', '15', '30', '60', '120', '240', '1440', '10080'] : ['15']
  expect(new Set(messages.map(({ result }) => result.interval))).toEqual(new Set(words))
})

test('behavior: a main-pair switch has every field, no topic and no sent_time', () => {
  const messages = messagesOf('kline').filter(({ result }) => result.status !== undefined)
  expect(messages.length).toBeGreaterThan(0)
  const faults = messages.flatMap(({ result: { data } }) => [
    ...faultsOf(data, switchTable),
    ...faultsOf(data.new_main_pair_data, switchPairTable),
  ])
  expect(new Set(faults)).toEqual(new Set())
  for (const message of messages) {
    expect(Object.keys(message)).toEqual(['id', 'jsonrpc', 'result'])
    expect(message.result).not.toHaveProperty('topic')
    const { data, status } = message.result
    expect(status).toBe('ok')
    expect(data.event).toBe('switch_main_pair')
    expect(data.id).toBe(`${data.old_main_pair}-local`)
    expect(data.new_main_pair_data.pair).toBe(data.new_main_pair)
    expect(Object.keys(data.new_main_pair_data)).toHaveLength(16)
  }
})

test('behavior: price has every field, and the directions up, down and flat', () => {
  const entries = messagesOf('price').flatMap(({ result }) => result.prices)
  expect(new Set(entries.flatMap((entry: Message) => faultsOf(entry, priceTable)))).toEqual(
    new Set(),
  )
  const words = new Set(entries.map(({ direction }: Message) => direction))
  expect(words).toEqual(new Set(['up', 'down', 'flat']))
  for (const { direction, uprice, last_price } of entries) {
    const sign = Math.sign(Number(uprice) - Number(last_price))
    expect(direction).toBe(sign === 0 ? 'flat' : sign > 0 ? 'up' : 'down')
  }
})

test('behavior: pushes of a pair are in chain order, without duplicates', () => {
  for (const { messages } of got.get('tx')!) {
    const places = messages.map(({ result }) => {
      const [block, index] = result.tx.id.split('-').map(Number)
      return block * 1_000 + index
    })
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
  }
})
