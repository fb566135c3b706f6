// The documentation site as it is served: every file of its build and no other, with a policy that
// allows nothing inline and nothing from other hosts.
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { posix, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { injectRequest } from '../../../../../test/support/injectRequest.ts'
import type { OpenApi } from '../../../../../test/support/openApi.ts'
import { readOpenApi } from '../../../../../test/support/openApi.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'

const market = createServedMarket()
fillMarket(market.chain)

const root = resolve(import.meta.dirname, '../../../../..')
const site = resolve(root, 'packages/server/static/docs')
const names = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\w\.\w+$/.test(name),
)
const pages = names.filter((name) => name.endsWith('.html') && name !== '404.html')

const get = (path: string, headers: Record<string, string> = {}) =>
  injectRequest(market.server, { url: path, headers })

const types: Record<string, RegExp> = {
  css: /^text\/css/,
  html: /^text\/html/,
  js: /^text\/javascript/,
  json: /^application\/json/,
  md: /^text\/markdown/,
  txt: /^text\/plain/,
  webp: /^image\/webp$/,
}

test('default: every file of the site is served with its type, policy and caching', async () => {
  expect(pages.length).toBeGreaterThan(30)
  for (const name of names) {
    const { statusCode, headers, body } = await get(`/docs/${name}`)
    expect([name, statusCode]).toEqual([name, 200])
    expect(headers['content-type'], name).toMatch(types[posix.extname(name).slice(1)]!)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['cache-control']).toMatch(name.startsWith('assets/') ? /immutable/ : /no-cache/)
    expect(body === readFileSync(resolve(site, name), 'utf8'), name).toBe(true)
  }
})

test('behavior: a page has an address without extension, and its Markdown at that address plus .md', async () => {
  for (const name of pages) {
    const address = `/docs/${name.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`
    const page = await get(address)
    expect([address, page.statusCode, page.headers['content-type']]).toEqual([
      ...[address, 200, 'text/html; charset=utf-8'],
    ])
    const markdown = await get(`/docs/${name.replace(/\.html$/, '.md')}`)
    expect([name, markdown.statusCode]).toEqual([name, 200])
    expect(markdown.body, name).toMatch(/^# /m)
  }
  const { statusCode, headers } = await get('/docs')
  expect([statusCode, headers.location]).toEqual([308, '/docs/'])
})

test('behavior: llms.txt lists every page, and every link of it and of the Markdown is served', async () => {
  const { body } = await get('/docs/llms.txt')
  const listed = [...body.matchAll(/\]\((\/docs\/[^)]+)\)/g)].map(([, path]) => path!)
  const expected = pages.filter((name) => name !== 'index.html')
  expect(listed.toSorted()).toEqual(
    expected.map((name) => `/docs/${name.replace(/\.html$/, '.md')}`).toSorted(),
  )
  for (const path of listed) {
    const { body: markdown } = await get(path)
    for (const [, href] of markdown.matchAll(/(?<!!)\]\((\/docs\/[^)#]+)/g))
      expect([path, href, names.includes(href!.slice('/docs/'.length))]).toEqual([path, href, true])
  }
})

test('behavior: pages have no inline scripts, styles or handlers and load nothing from other hosts', async () => {
  for (const name of [...pages, '404.html']) {
    const html = readFileSync(resolve(site, name), 'utf8')
    // Text of pages is escaped, so that every tag is one of the page.
    const tags = html.match(/<[a-z][^>]*>/g)!
    const inline = tags.filter(
      (tag) =>
        /\s(style|on\w+)="/.test(tag) || /^<(style|script(?![^>]*\ssrc="\/docs\/))/.test(tag),
    )
    expect([name, inline]).toEqual([name, []])
    const loaded = tags
      .filter((tag) => /^<(script|link|img|iframe|source)\b/.test(tag))
      .filter((tag) => !/\s(src|href)="\/docs\//.test(tag))
    expect([name, loaded]).toEqual([name, []])
  }
})

test('behavior: HEAD, a known ETag and compression work as for other documents', async () => {
  const path = '/docs/reference/rest'
  const { headers, body } = await get(path)
  const head = await injectRequest(market.server, { method: 'HEAD', url: path })
  expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', headers.etag])
  const known = await get(path, { 'if-none-match': String(headers.etag) })
  expect([known.statusCode, known.body]).toEqual([304, ''])
  const packed = await get(path, { 'accept-encoding': 'gzip' })
  expect([packed.headers['content-encoding'], packed.body === body]).toEqual(['gzip', true])
})

/** Sends a path as it is. Other clients resolve its dots first. */
async function rawStatus(path: string): Promise<{ status: number; body: string }> {
  await get('/docs/')
  const { port } = market.server.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.end(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  const answer = await text(socket)
  return { status: Number(answer.split(' ')[1]), body: answer }
}

test.each([
  ...['/docs/..%2F..%2Fpackage.json', '/docs/reference/..%2F..%2Fexamples.json', '/docs/.inputs'],
  ...['/docs/%2e%2e/examples.json', '/docs/../examples.json', '/docs/reference/../index.html'],
  ...['/docs/..%5c..%5cpackage.json', '/docs//index.html', '/docs/index.html/'],
  ...['/docs/reference%00.md', '/docs/%2Fetc%2Fpasswd', '/docs/assets/..%2findex.html'],
  ...['/docs/assets/%2e%2e%2f%2e%2e%2fexamples.json', '/docs/none.md', '/docs/assets/'],
])('security: %s is no file of the site', async (path) => {
  const { status, body } = await rawStatus(path)
  expect([path, [400, 404].includes(status)]).toEqual([path, true])
  expect(body).not.toMatch(/"name": "chaintape"|root:|API reference/)
})

test('behavior: an unknown page is answered with a page, and an unknown file with an error', async () => {
  const page = await get('/docs/guides/none')
  expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  const file = await get('/docs/assets/none.js')
  expect([file.statusCode, file.json().error?.code ?? file.json()]).toEqual([404, 'not_found'])
})

type FieldsOf = (
  schema: object,
  schemas: object,
) => [name: string, type: string, optional: boolean, meaning: string][]

test('behavior: every answer in the OpenAPI document can be shown as a table', async () => {
  const { fieldsOf } = (await import(
    new URL('../../../../../docs/.vitepress/theme/fields.js', import.meta.url).href
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
