import { expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

type Page = { next: string; pairs: { pair: string; created_at: number; tvl: string }[] }

function createMarket() {
  const market = createServedMarket()
  const made = fillMarket(market.chain)
  const read = async (path: string): Promise<Page> => {
    const { status, body } = await market.get(path)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  return { market, read, ...made }
}

/** Reads all pages, following the `next` cursor. */
async function readAll(read: (path: string) => Promise<Page>, path: string, param: string) {
  const pairs: string[] = []
  let next = ''
  do {
    const page = await read(`${path}${next === '' ? '' : `&${param}=${next}`}`)
    pairs.push(...page.pairs.map(({ pair }) => pair))
    next = page.next
  } while (next !== '')
  return pairs
}

test('default: lists all pairs of a token, with rows equal to pair detail', async () => {
  const { market, read, weth } = createMarket()
  const id = `${weth.address}-local`
  const { next, pairs } = await read(`/v2/tokens/pairs/${id}?limit=100`)
  expect(next).toBe('')
  const { engine } = market.chain
  const wethId = engine.findToken(weth.address)!
  const count = [...Array(engine.pairCount()).keys()].filter((pairId) => {
    const { token0Id, token1Id } = engine.pairState(pairId).record
    return token0Id === wethId || token1Id === wethId
  }).length
  expect(count).toBeGreaterThan(5)
  expect(pairs).toHaveLength(count)
  const { body } = await market.get(`/v2/tokens/${id}`)
  expect(pairs.slice(0, 5).map(({ pair }) => pair)).toEqual(
    body.data.pairs.map(({ pair }: { pair: string }) => pair),
  )
  expect((await market.get(`/v2/pairs/${pairs[0]!.pair}-local`)).body).toEqual(pairs[0])
  const paged = await readAll(read, `/v2/tokens/pairs/${id}?limit=2`, 'offset')
  expect(paged).toEqual(pairs.map(({ pair }) => pair))
})

test('default: lists new pairs newest first, without pairs of unknown creation', async () => {
  const { market, read } = createMarket()
  const { engine } = market.chain
  const { pairs, next } = await read('/v2/pairs/new?chain=local&limit=100')
  expect(next).toBe('')
  const created = [...Array(engine.pairCount()).keys()]
    .reverse()
    .map((pairId) => engine.pairState(pairId).record)
    .filter(({ createdAtS }) => createdAtS > 0)
  expect(created.length).toBeGreaterThan(3)
  expect(pairs.map(({ pair }) => pair)).toEqual(created.map(({ address }) => address))
  const times = pairs.map(({ created_at }) => created_at)
  expect(times).toEqual([...times].sort((a, b) => b - a))
  expect(await readAll(read, '/v2/pairs/new?chain=local&limit=3', 'cursor')).toEqual(
    pairs.map(({ pair }) => pair),
  )
})

test.each([
  ['/v2/pairs/new', 'chain', 'missing_param'],
  ['/v2/pairs/new?chain=local&cursor=abc', 'cursor', 'invalid_param'],
  ['/v2/pairs/new?chain=local&limit=101', 'limit', 'limit_out_of_range'],
  ['/v2/tokens/pairs/abc', 'token-id', 'malformed_id'],
  [
    '/v2/tokens/pairs/0x0000000000000000000000000000000000000001-local?offset=1001',
    'offset',
    'limit_out_of_range',
  ],
])('error: %s', async (path, param, code) => {
  const { market } = createMarket()
  const { status, body } = await market.get(path)
  expect([status, body.error]).toEqual([400, { code, param }])
})

test('behavior: an unknown token has no pairs', async () => {
  const { read } = createMarket()
  const path = '/v2/tokens/pairs/0x0000000000000000000000000000000000000001-local'
  expect(await read(path)).toEqual({ next: '', pairs: [] })
})
