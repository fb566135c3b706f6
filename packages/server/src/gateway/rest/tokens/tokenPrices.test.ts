import { describe, expect, test } from 'vitest'
import { injectRequest } from '../../../../../../test/support/injectRequest.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

const path = '/v2/tokens/price'

/** Two chains with the same tokens; the second chain has twice the trades. */
function createMarket() {
  const market = createServedMarket({ chains: ['local', 'other'] })
  const { traded, weth, second } = fillMarket(market.chains.get('local')!)
  const other = market.chains.get('other')!
  const filled = fillMarket(other)
  other.trade(filled.traded[0]!.pair, filled.weth, 2)
  other.mine()
  const ids = traded.map(({ token }) => `${token.address}-local`)
  return { market, ids, weth, traded, second }
}

test('default: returns prices keyed by token id', async () => {
  const { market, ids, weth } = createMarket()
  const { status, body } = await market.post(path, { token_ids: [ids[0], `${weth.address}-other`] })
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual([ids[0], `${weth.address}-other`])
  expect(body[ids[0]!]).toEqual({
    token_id: ids[0],
    current_price_usd: expect.stringMatching(/^0\.024642/),
    // Since the day's first trade, because there was no price 24 hours ago.
    price_change_1d: expect.stringMatching(/^1\.826446280/),
    price_change_24h: '1.8264462809917337',
    tvl: expect.stringMatching(/^52400/),
    fdv: expect.stringMatching(/^246407\.679/),
    market_cap: expect.stringMatching(/^246383\.037/),
    tx_volume_u_24h: '2200',
    holders: 0,
    updated_at: 1_760_000_003,
  })
  expect(market.creditsUsed()).toBe(100)
})

test('behavior: keys are the ids as sent, each text answered once', async () => {
  const { market, ids } = createMarket()
  const shouted = ids[0]!.replace('0x70e', '0x70E')
  const { body } = await market.post(path, { token_ids: [shouted, ids[0], ids[0], shouted] })
  expect(Object.keys(body)).toEqual([shouted, ids[0]])
  expect(body[shouted].token_id).toBe(shouted)
  expect({ ...body[shouted], token_id: ids[0] }).toEqual(body[ids[0]!])
})

test('behavior: the same address on two chains is two tokens', async () => {
  const { market, ids } = createMarket()
  const other = ids[0]!.replace('-local', '-other')
  const { body } = await market.post(path, { token_ids: [other, ids[0]] })
  expect(Number(body[other].tx_volume_u_24h)).toBeGreaterThan(Number(body[ids[0]!].tx_volume_u_24h))
})

test('behavior: unknown tokens are absent', async () => {
  const { market, ids } = createMarket()
  const unknown = `0x${'12'.repeat(20)}-local`
  const { body } = await market.post(path, { token_ids: [unknown, ids[0]], tvl_min: 0 })
  expect(Object.keys(body)).toEqual([ids[0]])
  expect((await market.post(path, { token_ids: [unknown] })).body).toEqual({})
})

describe('thresholds', () => {
  test('behavior: tvl_min defaults to 1000, and 0 disables it', async () => {
    const market = createServedMarket()
    const { weth } = fillMarket(market.chain)
    const small = market.chain.token()
    market.chain.pool(small, weth, [1_000, 0.2])
    market.chain.mine()
    const token_ids = [`${small.address}-local`]
    expect((await market.post(path, { token_ids })).body).toEqual({})
    expect((await market.post(path, { token_ids, tvl_min: 0 })).body).not.toEqual({})
    expect((await market.post(path, { token_ids, tvl_min: 800 })).body).not.toEqual({})
    expect((await market.post(path, { token_ids, tvl_min: 800.5 })).body).toEqual({})
  })

  test.each(['tvl_min', 'tx_24h_volume_min'] as const)(
    'behavior: %s is a minimum of its figure',
    async (name) => {
      const { market, ids } = createMarket()
      const field = name === 'tvl_min' ? 'tvl' : 'tx_volume_u_24h'
      const { body: all } = await market.post(path, { token_ids: ids, tvl_min: 0 })
      expect(Object.keys(all)).toEqual(ids)
      for (const id of ids) {
        const bound = Number(all[id][field])
        const { body } = await market.post(path, { token_ids: ids, tvl_min: 0, [name]: bound })
        expect(Object.keys(body)).toEqual(ids.filter((each) => Number(all[each][field]) >= bound))
        expect(body[id]).toEqual(all[id])
      }
    },
  )
})

test('args: 200 ids are accepted, 201 are refused', async () => {
  const { market } = createMarket()
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => `0x${n.toString(16).padStart(40, '0')}-local`)
  expect((await market.post(path, { token_ids: many(200) })).status).toBe(200)
  const refused = await market.post(path, { token_ids: many(201) })
  expect(refused.status).toBe(400)
  expect(refused.body.error).toEqual({ code: 'limit_out_of_range', param: 'token_ids' })
})

const id = `0x${'12'.repeat(20)}-local`

test.each([
  [{}, 'missing_param', 'token_ids'],
  [{ token_ids: null }, 'invalid_param', 'token_ids'],
  [{ token_ids: id }, 'invalid_param', 'token_ids'],
  [{ token_ids: { 0: id } }, 'invalid_param', 'token_ids'],
  [{ token_ids: [] }, 'limit_out_of_range', 'token_ids'],
  [{ token_ids: [id, 7] }, 'invalid_param', 'token_ids'],
  [{ token_ids: [null] }, 'invalid_param', 'token_ids'],
  [{ token_ids: ['__proto__'] }, 'malformed_id', 'token_ids'],
  [{ token_ids: [id, '0x12-local'] }, 'malformed_id', 'token_ids'],
  [{ token_ids: [`0x${'12'.repeat(32)}-local`] }, 'malformed_id', 'token_ids'],
  [{ token_ids: [`0x${'12'.repeat(20)}-eth`] }, 'unknown_chain', 'token_ids'],
  [{ token_ids: [id], tvl_min: -1 }, 'limit_out_of_range', 'tvl_min'],
  [{ token_ids: [id], tvl_min: -0.5 }, 'limit_out_of_range', 'tvl_min'],
  [{ token_ids: [id], tvl_min: '1000' }, 'invalid_param', 'tvl_min'],
  [{ token_ids: [id], tvl_min: null }, 'invalid_param', 'tvl_min'],
  [{ token_ids: [id], tx_24h_volume_min: -1 }, 'limit_out_of_range', 'tx_24h_volume_min'],
  [`{"token_ids":["${id}"],"tvl_min":1e999}`, 'limit_out_of_range', 'tvl_min'],
  ['[]', 'body_invalid', 'body'],
  ['"x"', 'body_invalid', 'body'],
  ['{', 'body_invalid', 'body'],
  ['', 'body_invalid', 'body'],
])('error: %j', async (body, code, param) => {
  const { market } = createMarket()
  const reply = await market.post(path, body)
  expect(reply.status).toBe(400)
  expect(reply.body.error).toEqual({ code, param })
  expect(market.creditsUsed()).toBe(0)
})

test('behavior: unknown members are ignored, with any Content-Type', async () => {
  const { market, ids } = createMarket()
  const response = await injectRequest(market.server, {
    method: 'POST',
    url: path,
    headers: { 'x-api-key': 'ct_test', 'content-type': 'text/plain' },
    payload: JSON.stringify({ token_ids: [ids[0]], what: 1 }),
  })
  expect(Object.keys(response.json())).toEqual([ids[0]])
})
