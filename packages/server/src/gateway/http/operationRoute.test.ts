// Answers of operations over a real socket, where a wrong length or encoding shows.
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import {
  createServedMarket,
  fillMarket,
  type ServedMarket,
  servedKey,
} from '../../../../../test/support/servedMarket.ts'

const markets: ServedMarket[] = []
afterEach(async () => {
  for (const { server } of markets.splice(0)) await server.close()
})

async function listening() {
  const market = createServedMarket()
  markets.push(market)
  const tokens = fillMarket(market.chain)
  const named = market.chain.token({ symbol: '柴犬🐕', name: 'Zażółć ÿ' })
  market.chain.pool(named, tokens.weth, [1_000, 10])
  market.chain.mine()
  await market.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = market.server.server.address() as AddressInfo
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { 'x-api-key': servedKey, 'accept-encoding': 'identity' },
    })
  return { ...market, ...tokens, named, ask }
}

test('default: an operation answers JSON over a socket', async () => {
  const { ask, traded } = await listening()
  const answer = await ask(`/v2/tokens/${traded[0]!.token.address}-local`)
  const text = await answer.text()
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  expect(answer.headers.get('x-cu-cost')).toBe('5')
  expect(JSON.parse(text).data.token.symbol).toBe('PEPE')
})

test('behavior: non-ASCII text arrives unchanged', async () => {
  const { ask, named } = await listening()
  const answer = await ask(`/v2/tokens/${named.address}-local`)
  const text = await answer.text()
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  expect(JSON.parse(text).data.token).toMatchObject({ symbol: '柴犬🐕', name: 'Zażółć ÿ' })
})

test('behavior: Content-Length of a price batch counts bytes, not characters', async () => {
  const { ask, traded, named } = await listening()
  const ids = [...traded.map(({ token }) => token), named].map(({ address }) => `${address}-local`)
  for (const count of [0, 1, 6]) {
    const token_ids = [...ids.slice(0, count), `0x${'9'.repeat(40)}-local`, ...ids.slice(0, 1)]
    const body = JSON.stringify({ token_ids, tvl_min: 0 })
    const answer = await ask('/v2/tokens/price', { method: 'POST', body })
    const text = await answer.text()
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(Object.keys(JSON.parse(text))).toHaveLength(Math.max(1, count))
  }
})

test('behavior: HEAD gets headers without a body', async () => {
  const { ask, traded } = await listening()
  const path = `/v2/tokens/${traded[0]!.token.address}-local`
  const whole = await (await ask(path)).text()
  const answer = await ask(path, { method: 'HEAD' })
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(whole)))
  expect(await answer.text()).toBe('')
})

test('behavior: metrics count answers by route', async () => {
  const { ask, traded } = await listening()
  await (await ask(`/v2/tokens/${traded[0]!.token.address}-local`)).text()
  await (await ask('/v2/tokens/no-such')).text()
  const text = await (await ask('/metrics')).text()
  const route = 'route="/v2/tokens/:id"'
  expect(text).toContain(`chaintape_http_requests_total{method="GET",${route},status="200"} 1`)
  expect(text).toContain(`chaintape_http_requests_total{method="GET",${route},status="400"} 1`)
  expect(text).toContain(`chaintape_http_request_ms_count{${route}} 2`)
})

test('behavior: a failed request costs no credits', async () => {
  const { ask, creditsUsed } = await listening()
  const answer = await ask('/v2/tokens/no-such')
  expect(answer.status).toBe(400)
  expect(answer.headers.get('x-cu-cost')).toBe('0')
  await answer.text()
  expect(creditsUsed()).toBe(0)
})
