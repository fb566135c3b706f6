import { expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

function createMarket() {
  const market = createServedMarket()
  fillMarket(market.chain)
  return market
}

const path = '/v2/tokens/trending?chain=local'

test('default: returns tokens with a score, best first', async () => {
  const market = createMarket()
  const { status, body } = await market.get(path)
  expect(status).toBe(200)
  // Five traded tokens, and three tokens that trade on the launch platform.
  expect(body).toMatchObject({ current_page_size: 8, next_page: -1, total: 8 })
  expect(body.tokens[0].symbol).toBe('PEPE')
  expect(market.creditsUsed()).toBe(5)
})

test.each([1, 2, 3, 4, 8, 100])(
  'behavior: pages of %i contain every token exactly once',
  async (size) => {
    const market = createMarket()
    const { body: whole } = await market.get(path)
    const tokens: unknown[] = []
    let page = 0
    for (let left = 20; left > 0 && page !== -1; left -= 1) {
      const { body } = await market.get(`${path}&page_size=${size}&current_page=${page}`)
      expect(body.current_page_size).toBe(body.tokens.length)
      expect(body.total).toBe(8)
      expect(body.next_page).toBe(tokens.length + body.tokens.length < 8 ? page + 1 : -1)
      tokens.push(...body.tokens)
      page = body.next_page
    }
    expect(tokens).toEqual(whole.tokens)
  },
)

test.each([1, 2, 1_000_000, Number.MAX_SAFE_INTEGER])(
  'behavior: page %i is beyond the last page',
  async (page) => {
    const { body } = await createMarket().get(`${path}&current_page=${page}`)
    expect(body).toEqual({ current_page_size: 0, next_page: -1, total: 8, tokens: [] })
  },
)

test('behavior: a chain without trades has no trending tokens', async () => {
  const market = createServedMarket()
  market.chain.token()
  market.chain.mine()
  const { body } = await market.get(path)
  expect(body).toEqual({ current_page_size: 0, next_page: -1, total: 0, tokens: [] })
})

test.each([
  ['', 'missing_param', 'chain'],
  ['chain=eth', 'unknown_chain', 'chain'],
  ['chain=local&current_page=-1', 'limit_out_of_range', 'current_page'],
  ['chain=local&current_page=1.0', 'invalid_param', 'current_page'],
  [`chain=local&current_page=${'9'.repeat(40)}`, 'limit_out_of_range', 'current_page'],
  ['chain=local&page_size=0', 'limit_out_of_range', 'page_size'],
  ['chain=local&page_size=101', 'limit_out_of_range', 'page_size'],
  ['chain=local&page_size=1e2', 'invalid_param', 'page_size'],
])('error: %s', async (query, code, param) => {
  const reply = await createMarket().get(`/v2/tokens/trending?${query}`)
  expect(reply.status).toBe(400)
  expect(reply.body.error).toEqual({ code, param })
})
