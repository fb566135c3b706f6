// Ids, lists and topics of existing clients that only compatibility mode accepts
// (docs/reference/compat.md).
import { base58Ids } from '@chaintape/protocol'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../test/support/memoryStore.ts'
import { runAllSteps } from '../../../../test/support/runAllSteps.ts'
import { createServedChain } from '../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../test/support/servedMarket.ts'
import { createLogger } from '../lib/logger.ts'
import { createFeed } from './feed/createFeed.ts'

const mint = 'Ez8LxGyPfHwmdLwjzNCyP1PHQ3WhiLmPvKsNw2NKAjEe'
// Two addresses that differ only by the case of a letter.
const twins = [
  'TwinLkRxxGyPfHwmdLwjzNCyP1PHQ3WhiLmPvKsNw2N',
  'TwinLkRxxGyPfHwmdLwjzNCyP1PHQ3WhiLmPvKsNw2n',
]

function createMarket(responseEnvelope: 'contract' | 'always') {
  const solana = createServedChain({ name: 'solana', storeId: 9, store: createMemoryStore() })
  const market = createServedMarket({
    responseEnvelope,
    others: [{ ...solana.gatewayChain, ids: base58Ids }],
  })
  const sol = solana.token({ symbol: 'SOL' })
  const usdc = solana.token({ symbol: 'USDC', decimals: 6 })
  solana.pool(sol, usdc, [10_000, 2_000_000])
  const [token] = [mint, ...twins].map((address) => {
    const made = solana.token({ symbol: 'MINT', address })
    const pair = solana.pool(made, sol, [1_000_000, 500])
    solana.trade(pair, sol, 1)
    return made
  })
  solana.mine()
  return { market, solana, token, ...fillMarket(market.chain) }
}

const lenient = createMarket('always')
const strict = createMarket('contract')
const pepe = `${lenient.traded[0]!.token.address}-local`
const rule = 'left out: not <token_address>-<chain> of a chain served here'

test.each(['/v2/tokens/price', '/v2/tokens/search', '/v2/tokens/price/at'])(
  'default: %s ignores invalid ids with a warning; without the mode they are refused',
  async (path) => {
    const bad = ['', 'PEPE', '0x12-local', `${pepe}-mars`, 'a"b\r\nc-local']
    const more = { tvl_min: 0, time: 1 }
    const ids = [bad[0], pepe, ...bad.slice(1), pepe]
    const { status, body, headers } = await lenient.market.post(path, { token_ids: ids, ...more })
    const places = [0, 2, 3, 4, 5].map((place) => `token_ids[${place}]`).join(', ')
    expect([status, headers.warning]).toEqual([200, `299 - "${places} ${rule}"`])
    const plain = await lenient.market.post(path, { token_ids: [pepe], ...more })
    expect(body).toEqual(plain.body)
    expect(plain.headers).not.toHaveProperty('warning')
    const refused = await strict.market.post(path, { token_ids: ids, ...more })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'malformed_id'])
    expect(refused.headers).not.toHaveProperty('warning')
  },
)

test('behavior: a warning names ten ids and counts the rest', async () => {
  const ids = Array.from({ length: 13 }, (_, at) => `bad${at}`)
  const { body, headers } = await lenient.market.post('/v2/tokens/price', { token_ids: ids })
  expect(body.data).toEqual({})
  expect(headers.warning).toMatch(/^299 - "token_ids\[0\], .*token_ids\[9\] and 3 more left out: /)
})

test.each([
  ['/v2/tokens/price', {}],
  ['/v2/tokens/search', []],
  ['/v2/tokens/price/at', {}],
])('default: %s accepts an empty id list; without the mode it is refused', async (path, empty) => {
  const { status, body } = await lenient.market.post(path, { token_ids: [], time: 1 })
  expect([status, body.data]).toEqual([200, empty])
  const refused = await strict.market.post(path, { token_ids: [], time: 1 })
  expect([refused.status, refused.body.error.code]).toEqual([400, 'limit_out_of_range'])
})

test.each([mint.toLowerCase(), mint.toUpperCase()])(
  'default: %s in any case finds the only matching Solana token, in every operation',
  async (written) => {
    const { market } = lenient
    const detail = await market.get(`/v2/tokens/${written}-solana`)
    expect(detail.body.data.token).toMatchObject({ token: mint, token_id: `${mint}-solana` })
    const klines = await market.get(`/v2/klines/token/${written}-solana`)
    expect(klines.body.data.target_token_id).toBe(`${mint}-solana`)
    const key = `${written}-solana`
    const priced = await market.post('/v2/tokens/price', { token_ids: [key], tvl_min: 0 })
    expect(priced.body.data).toMatchObject({ [key]: { token_id: key } })
    const rows = await market.post('/v2/tokens/search', { token_ids: [key] })
    expect(rows.body.data).toMatchObject([{ token: mint }])
    const refused = await strict.market.get(`/v2/tokens/${written}-solana`)
    expect(refused.body).toMatchObject(
      base58Ids.token(written) === null
        ? { error: { code: 'malformed_id' } }
        : { data: { token: {} }, msg: 'SUCCESS: token not found' },
    )
  },
)

test('behavior: an id matching two tokens by case finds neither; each exact id finds its token', async () => {
  const { market } = lenient
  const { status, body } = await market.get(`/v2/tokens/${twins[0]!.toLowerCase()}-solana`)
  expect(status === 400 || body.msg === 'SUCCESS: token not found').toBe(true)
  for (const twin of twins) {
    const found = await market.get(`/v2/tokens/${twin}-solana`)
    expect(found.body.data.token).toMatchObject({ token: twin })
  }
})

test("default: <token>_fo is resolved to the token's launch curve", async () => {
  const { market, launched, traded } = lenient
  const { token, pair } = launched.out
  const curve = (await market.get(`/v2/pairs/${pair.address}-local`)).body
  expect(curve.data).toMatchObject({ pair: pair.address })
  const id = `${token.address}_fo-local`
  expect((await market.get(`/v2/pairs/${id}`)).body).toEqual(curve)
  for (const path of ['/v2/klines/pair/', '/v2/txs/', '/v2/txs/swap/', '/v2/txs/liq/']) {
    const { body } = await market.get(`${path}${id}`)
    expect([path, body.data.pair_id]).toEqual([path, `${pair.address}-local`])
  }
  // This token was never on a launch curve.
  const none = await market.get(`/v2/pairs/${traded[0]!.token.address}_fo-local`)
  expect(none.body).toMatchObject({ data: {}, msg: 'SUCCESS: pair not found' })
  const malformed = await market.get('/v2/pairs/0x12_fo-local')
  expect([malformed.status, malformed.body.error.code]).toEqual([400, 'malformed_id'])
  const refused = await strict.market.get(`/v2/pairs/${id}`)
  expect([refused.status, refused.body.error.code]).toEqual([400, 'malformed_id'])
})

test.each(['ai', 'depin', 'BSC-Meme-Boost', 'eth'])(
  'default: topic %s of the public service is empty; without the mode it is refused',
  async (topic) => {
    const { status, body } = await lenient.market.get(`/v2/ranks?topic=${topic}`)
    expect([status, body.data]).toEqual([200, []])
    const refused = await strict.market.get(`/v2/ranks?topic=${topic}`)
    expect([refused.status, refused.body.error.param]).toEqual([400, 'topic'])
    expect(refused.body.msg).toContain('hot, meme, gainer')
  },
)

test('default: chain filters the rows of ranks', async () => {
  type Row = { chain: string; token: string }
  for (const { market } of [lenient, strict]) {
    const read = async (query: string): Promise<Row[]> => {
      const { body } = await market.get(`/v2/ranks?${query}`)
      return market === lenient.market ? body.data : body
    }
    const all = await read('topic=hot')
    for (const chain of ['local', 'solana']) {
      const some = await read(`topic=hot&chain=${chain}`)
      expect(some.length).toBeGreaterThan(2)
      expect(some).toEqual(all.filter((row) => row.chain === chain))
    }
    expect(await read('topic=local&chain=solana')).toEqual([])
    const { status, body } = await market.get('/v2/ranks?topic=hot&chain=mars')
    expect([status, body.error.code]).toEqual([400, 'unknown_chain'])
    const topic = await market.get('/v2/ranks?topic=nothing')
    expect([topic.status, topic.body.error.param]).toEqual([400, 'topic'])
  }
})

test('default: size is an alias of limit for klines, and ondo a part of their alternative path', async () => {
  const pair = `${lenient.traded[0]!.pair.address}-local`
  for (const { market } of [lenient, strict])
    for (const path of [`/v2/klines/pair/${pair}`, `/v2/klines/token/${pepe}`]) {
      const limited = await market.get(`${path}?interval=s1&limit=1`)
      expect((await market.get(`${path}?interval=s1&size=1`)).body).toEqual(limited.body)
    }
  const klines = await lenient.market.get(`/v2/klines/pair/${pair}?interval=60&size=5`)
  const ondo = await lenient.market.get(`/v2/klines/pair/ondo/${pair}?interval=60&limit=5`)
  expect(ondo.body).toEqual(klines.body)
  expect(ondo.body.data.points.length).toBeGreaterThan(0)
  expect(lenient.market.creditsUsed()).toBeGreaterThan(0)
  expect((await strict.market.get(`/v2/klines/pair/ondo/${pair}`)).status).toBe(404)
})

/** Returns the parsed form of a subscribe request. */
function keysOf({ market }: typeof lenient, ...params: unknown[]): string[] {
  const feed = createFeed({ ...market.serving, history: null, logger: createLogger('silent') })
  return runAllSteps(feed.parse(params)).items.map(({ key }) => key)
}

test.each([mint.toLowerCase(), mint.toUpperCase()])(
  'default: %s in any case subscribes to the only matching Solana token',
  (written) => {
    expect(keysOf(lenient, 'multi_tx', written, 'solana')).toEqual([`multi_tx:${mint}-solana`])
    expect(keysOf(lenient, 'holders', written, 'solana')).toEqual([`holders:${mint}-solana`])
    expect(keysOf(lenient, 'price', [`${written}-solana`])).toEqual([`price:${mint}-solana`])
    const strictKeys = () => keysOf(strict, 'price', [`${written}-solana`])
    if (base58Ids.token(written) === null)
      expect(strictKeys).toThrow(expect.objectContaining({ wireCode: 'malformed_id' }))
    else expect(strictKeys()).toEqual([`price:${written}-solana`])
  },
)

test("default: <token>_fo subscribes to the token's launch curve", () => {
  const { token, pair } = lenient.launched.out
  const written = `${token.address.toUpperCase().replace('0X', '0x')}_fo`
  const curve = `${pair.address}-local`
  for (const id of [written, `${written}-local`]) {
    expect(keysOf(lenient, 'tx', id, 'local')).toEqual([`tx:${curve}`])
    expect(keysOf(lenient, 'liq', id, 'local')).toEqual([`liq:${curve}`])
    expect(keysOf(lenient, 'kline', id, 'k1', 'local')).toEqual([`kline:${curve}:k1`])
    expect(keysOf(lenient, 'multi_kline', [id, 'k5', 'local'])).toEqual([`multi_kline:${curve}:k5`])
    expect(() => keysOf(strict, 'tx', id, 'local')).toThrow(
      expect.objectContaining({ wireCode: 'malformed_id' }),
    )
  }
  expect(keysOf(lenient, 'price', [`${written}-local`, pepe])).toEqual([
    `price:${curve}`,
    `price:${pepe}`,
  ])
})

test('error: <token>_fo of a token without a curve is refused, because nothing would be pushed', () => {
  const written = `${lenient.traded[0]!.token.address}_fo`
  expect(() => keysOf(lenient, 'tx', written, 'local')).toThrow(
    expect.objectContaining({
      wireCode: 'invalid_param',
      shortMessage: expect.stringContaining('no launch curve of this token is known'),
    }),
  )
})
