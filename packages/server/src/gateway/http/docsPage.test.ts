// The reference page loads nothing from other hosts, and can show every operation of the OpenAPI
// document.
import { expect, test } from 'vitest'
import { injectRequest } from '../../../../../test/support/injectRequest.ts'
import type { OpenApi } from '../../../../../test/support/openApi.ts'
import { readOpenApi } from '../../../../../test/support/openApi.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'

const market = createServedMarket()
fillMarket(market.chain)

/** Returns the page and everything it loads, by path. */
async function assets(): Promise<Map<string, { text: string; type: string }>> {
  const found = new Map<string, { text: string; type: string }>()
  const asked = ['/docs']
  for (let url = asked.pop(); url !== undefined; url = asked.pop()) {
    if (found.has(url)) continue
    const { statusCode, body, headers } = await injectRequest(market.server, url)
    expect([url, statusCode]).toEqual([url, 200])
    expect(headers['content-security-policy']).toBe("default-src 'self'; frame-ancestors 'none'")
    found.set(url, { text: body, type: String(headers['content-type']) })
    for (const [, path] of body.matchAll(/(?:href|src)="([^"]+)"/g))
      if (!/^\/(open|async)api\.json$|^\/docs\/guides\//.test(path!)) asked.push(path!)
    for (const [, path] of body.matchAll(/from '([^']+)'/g))
      asked.push(new URL(path!, `http://a${url}`).pathname)
  }
  return found
}

test('default: the reference page and its assets are served', async () => {
  const types = [...(await assets())].map(([url, { type }]) => [url, type.split(';')[0]])
  expect(Object.fromEntries(types)).toEqual({
    '/docs': 'text/html',
    '/docs/docs.css': 'text/css',
    '/docs/docs.js': 'text/javascript',
    '/docs/fields.js': 'text/javascript',
    '/docs/icon.svg': 'image/svg+xml',
    '/docs/search.js': 'text/javascript',
    '/docs/topics.js': 'text/javascript',
  })
})

test('behavior: the page loads nothing from other hosts and has no inline scripts', async () => {
  for (const [url, { text }] of await assets()) {
    const others = text
      .replaceAll('http://www.w3.org/2000/svg', '')
      .match(/\b(https?:)?\/\/\w[\w.]*\.\w+/g)
    expect([url, others]).toEqual([url, null])
    expect([url, text.match(/<style|style="|\son\w+="|<script>|\beval\(|@import|\burl\(/)]).toEqual(
      [url, null],
    )
  }
})

test('behavior: every guide that the page links is served as inert text', async () => {
  const { body: page } = await injectRequest(market.server, '/docs')
  const guides = [...page.matchAll(/href="(\/docs\/guides\/[^"]+)"/g)].map(([, path]) => path!)
  expect(guides.length).toBeGreaterThan(8)
  for (const path of guides) {
    const { statusCode, headers, body } = await injectRequest(market.server, path)
    expect([path, statusCode, headers['content-type']]).toEqual([
      ...[path, 200, 'text/plain; charset=utf-8'],
    ])
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(body).toMatch(/^# /)
  }
  for (const path of ['/docs/none.md', '/docs/..%2Fpackage.json', '/docs/'])
    expect((await injectRequest(market.server, path)).statusCode).toBe(404)
})

type FieldsOf = (
  schema: object,
  schemas: object,
) => [name: string, type: string, optional: boolean, meaning: string][]

test('behavior: every answer in the OpenAPI document can be shown as a table', async () => {
  const { fieldsOf } = (await import(
    new URL('../../../static/fields.js', import.meta.url).href
  )) as {
    fieldsOf: FieldsOf
  }
  const document = (await market.get('/openapi.json')).body as OpenApi
  for (const { operationId, responses } of readOpenApi(document).operations) {
    const { schema } = Object.values((responses['200'] ?? responses['201'])!.content!)[0]!
    const fields = fieldsOf(schema, document.components.schemas)
    for (const [name, type, , meaning] of fields) {
      expect(name, operationId).not.toBe('')
      if (!/\[\]$|\{…\}$/.test(name)) expect(meaning, `${operationId} ${name}`).toMatch(/\S/)
      expect(type, `${operationId} ${name}`).toMatch(/\S/)
    }
    if (!['metrics', 'openapi', 'asyncapi', 'udfTime'].includes(operationId))
      expect(fields.length, operationId).toBeGreaterThan(0)
  }
})
