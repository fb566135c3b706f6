// The page at the address that a start prints.
import { expect, test } from 'vitest'
import { injectRequest } from '../../../../../test/support/injectRequest.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'

const market = createServedMarket()
fillMarket(market.chain)
const ask = (path: string) => injectRequest(market.server, path)

test('default: what this is, where the reference is, and how to get a key, without one', async () => {
  const { statusCode, headers, body } = await ask('/')
  expect(statusCode).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(body).toContain('<h1>')
  expect(body).toContain('href="/docs"')
  expect(body).toContain('chaintape keys create')
})

test('behavior: it may load its own files, and nothing else', async () => {
  const { headers, body } = await ask('/')
  const policy = String(headers['content-security-policy'])
  expect(policy).toMatch(/^default-src 'none';/)
  expect(policy).not.toMatch(/unsafe|https?:|\*|data:/)
  expect(policy).toContain("frame-ancestors 'none'")
  const loaded = [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path!)
  for (const path of loaded) {
    expect(path, 'from here').toMatch(/^\/(?!\/)/)
    expect([path, (await ask(path)).statusCode]).toEqual([path, 200])
  }
  expect(body).not.toMatch(/<style|style="|\son\w+="|<script>/)
})

test('behavior: its script asks what is there without a key', async () => {
  const script = (await ask('/home.js')).body
  const asked = [...script.matchAll(/fetch\('([^']+)'\)/g)].map(([, path]) => path!)
  expect(asked).toEqual(['/health/ready', '/health/live'])
  for (const path of asked) expect((await ask(path)).statusCode).toBe(200)
})
