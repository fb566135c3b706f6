import { describe, expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

type Row = Record<string, string | number> & { symbol: string; chain: string; token: string }

const symbolsOf = (rows: readonly Row[]) => rows.map(({ symbol }) => symbol)
const orders = ['tx_volume_u_24h', 'market_cap', 'main_pair_tvl', 'fdv'] as const

function createMarket() {
  const market = createServedMarket({ chains: ['local', 'other'] })
  const filled = fillMarket(market.chains.get('local')!)
  const other = market.chains.get('other')!
  const { traded, weth } = fillMarket(other)
  // PEPE on the other chain is the most traded token.
  other.trade(traded[0]!.pair, weth, 5)
  other.mine()
  return { market, ...filled }
}

test('default: symbol, name or address match in any case, ordered by volume', async () => {
  const { market } = createMarket()
  const { status, body } = await market.get('/v2/tokens?keyword=pepe&chain=local')
  expect(status).toBe(200)
  expect(symbolsOf(body)).toEqual(['PEPE', 'PEPE2', 'BIGPEPE'])
  expect(market.creditsUsed()).toBe(5)
})

test('default: ids in rows are accepted by other operations', async () => {
  const { market, traded } = createMarket()
  const { body } = await market.get('/v2/tokens?keyword=pepe2')
  const { address } = traded[1]!.token
  const ids = body.map(({ token_id }: Row) => token_id)
  expect(ids.toSorted()).toEqual([`${address}-local`, `${address}-other`])
  for (const id of ids) {
    const detail = await market.get(`/v2/tokens/${id}`)
    expect(detail.body.data.token).toMatchObject({ token_id: id, symbol: 'PEPE2' })
  }
})

test('behavior: an address finds its token on every chain', async () => {
  const { market, traded } = createMarket()
  const { address } = traded[2]!.token
  const { body } = await market.get(`/v2/tokens?keyword=${address.replace('0x70e', '0x70E')}`)
  expect(body.map(({ token, chain }: Row) => [token, chain])).toEqual([
    [address, 'local'],
    [address, 'other'],
  ])
})

test('behavior: a name finds its token', async () => {
  const { market } = createMarket()
  const { body } = await market.get('/v2/tokens?keyword=wrapped%20ether&chain=local')
  expect(symbolsOf(body)).toEqual(['WETH'])
})

test('behavior: no match returns an empty array', async () => {
  const { market } = createMarket()
  expect((await market.get('/v2/tokens?keyword=nothing')).body).toEqual([])
})

describe.each(orders)('orderby %s', (orderby) => {
  test('behavior: tokens of all chains are in one order, largest first', async () => {
    const { market } = createMarket()
    const { body } = await market.get(`/v2/tokens?keyword=coin&orderby=${orderby}`)
    const values = body.map((row: Row) => Number(row[orderby]))
    expect(values).toEqual([...values].sort((a, b) => b - a))
    expect(new Set(body.map(({ chain }: Row) => chain))).toEqual(new Set(['local', 'other']))
    expect(new Set(values).size).toBeGreaterThan(3)
  })

  test('behavior: a smaller limit keeps the first matches of the same tier', async () => {
    const { market } = createMarket()
    const { body: all } = await market.get(`/v2/tokens?keyword=coin&orderby=${orderby}`)
    for (const limit of [1, 3, all.length]) {
      const { body } = await market.get(`/v2/tokens?keyword=coin&orderby=${orderby}&limit=${limit}`)
      expect(body).toEqual(all.slice(0, limit))
    }
  })

  test('behavior: an exact symbol is kept before a prefix, and a prefix before other matches', async () => {
    const { market } = createMarket()
    const ask = async (limit: number) =>
      (await market.get(`/v2/tokens?keyword=pepe&limit=${limit}&orderby=${orderby}`)).body as Row[]
    const sorted = async (limit: number) => symbolsOf(await ask(limit)).sort()
    expect(await sorted(1)).toEqual(['PEPE'])
    expect(await sorted(2)).toEqual(['PEPE', 'PEPE'])
    expect(await sorted(4)).toEqual(['PEPE', 'PEPE', 'PEPE2', 'PEPE2'])
    expect(await sorted(5)).toEqual(['BIGPEPE', 'PEPE', 'PEPE', 'PEPE2', 'PEPE2'])
    const kept = (await ask(5)).map((row) => Number(row[orderby]))
    expect(kept).toEqual([...kept].sort((a, b) => b - a))
  })
})

test('behavior: an exact match on one chain is kept before prefixes on another chain', async () => {
  const market = createServedMarket({ chains: ['local', 'other'] })
  const { chain } = market
  const { weth } = fillMarket(chain)
  const rich = chain.token({ symbol: 'GEMINI' })
  const deep = chain.pool(rich, weth, [1_000, 1_000])
  chain.mine()
  chain.trade(deep, weth, 100)
  chain.mine()
  const other = market.chains.get('other')!
  other.token({ symbol: 'GEM' })
  other.mine()
  const { body } = await market.get('/v2/tokens?keyword=gem&limit=1')
  expect(symbolsOf(body)).toEqual(['GEM'])
  expect(symbolsOf((await market.get('/v2/tokens?keyword=gem')).body)).toEqual(['GEMINI', 'GEM'])
})

test('args: limit', async () => {
  const market = createServedMarket()
  for (let n = 0; n < 310; n += 1) market.chain.token({ symbol: `MANY${n}`, name: 'Many' })
  market.chain.mine()
  expect((await market.get('/v2/tokens?keyword=many')).body).toHaveLength(100)
  expect((await market.get('/v2/tokens?keyword=many&limit=300')).body).toHaveLength(300)
})

test.each([
  ['', 'missing_param', 'keyword'],
  ['keyword=', 'missing_param', 'keyword'],
  ['keyword=%20', 'missing_param', 'keyword'],
  ['keyword=a&keyword=b', 'invalid_param', 'keyword'],
  [`keyword=${'a'.repeat(300)}`, 'invalid_param', 'keyword'],
  ['keyword=%zz', 'bad_request', 'query'],
  ['keyword=a&chain=eth', 'unknown_chain', 'chain'],
  ['keyword=a&limit=0', 'limit_out_of_range', 'limit'],
  ['keyword=a&limit=301', 'limit_out_of_range', 'limit'],
  ['keyword=a&limit=-1', 'limit_out_of_range', 'limit'],
  ['keyword=a&limit=1.5', 'invalid_param', 'limit'],
  ['keyword=a&limit=ten', 'invalid_param', 'limit'],
  ['keyword=a&orderby=price', 'invalid_param', 'orderby'],
])('error: %s', async (query, code, param) => {
  const { market } = createMarket()
  const reply = await market.get(`/v2/tokens?${query}`)
  expect(reply.status).toBe(400)
  expect(reply.body.error).toEqual({ code, param })
  expect(market.creditsUsed()).toBe(0)
})
