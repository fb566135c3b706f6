// Served documents must contain the address of the server that serves them.
import type { AddressInfo } from 'node:net'
import { Compile } from 'typebox/schema'
import { afterEach, expect, test } from 'vitest'
import { strictSchema } from '../../../../../../test/support/checkSchema.ts'
import type { OpenApi } from '../../../../../../test/support/openApi.ts'
import {
  createServedMarket,
  fillMarket,
  type ServedMarket,
  servedKey,
} from '../../../../../../test/support/servedMarket.ts'
import { selectedMediaType } from '../../rest/selectedSchemas.ts'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Listens on a free port. */
async function listen(market: ServedMarket, host = '127.0.0.1') {
  const { server } = market.server
  await market.server.listen({ host, port: 0 })
  closing.push(() => market.server.close())
  const { port } = server.address() as AddressInfo
  const read = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'x-api-key': servedKey },
    })
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked into
    return { type: response.headers.get('content-type'), body: (await response.json()) as any }
  }
  return { port, read }
}

test.each(['127.0.0.1', '0.0.0.0', '::'])(
  'default: without base_urls, servers have the port that is listened on, on %s',
  async (host) => {
    const { port, read } = await listen(createServedMarket({ http: { baseUrls: undefined } }), host)
    const { body: openApi } = await read('/openapi.json')
    const hosts = host === '::' ? ['localhost'] : ['127.0.0.1', 'localhost']
    const urls = hosts.map((name) => `http://${name}:${port}`)
    expect(openApi.servers).toEqual(urls.map((url) => ({ url })))
    expect(openApi.externalDocs.url).toBe(`${urls[0]}/asyncapi.json`)
    const { body: asyncApi } = await read('/asyncapi.json')
    expect(Object.values(asyncApi.servers)).toEqual(
      hosts.map((name) => expect.objectContaining({ host: `${name}:${port}`, protocol: 'ws' })),
    )
  },
)

test('behavior: base_urls are the servers, whatever port is listened on', async () => {
  const baseUrls = ['https://market.example/data']
  const { read } = await listen(createServedMarket({ http: { baseUrls } }))
  expect((await read('/openapi.json')).body.servers).toEqual([{ url: baseUrls[0] }])
})

test.each(['contract', 'always'] as const)(
  'behavior: answers reduced by fields have a separate media type and schema, %s',
  async (responseEnvelope) => {
    const market = createServedMarket({ responseEnvelope })
    const { traded } = fillMarket(market.chain)
    const { read } = await listen(market)
    const document: OpenApi = (await read('/openapi.json')).body
    const token = `${traded[0]!.token.address}-local`
    const pair = `${traded[0]!.pair.address}-local`
    const unknown = `0x${'9'.repeat(40)}-local`
    for (const [path, url, fields] of [
      ['/v2/tokens', '/v2/tokens?keyword=PEPE', 'symbol,token_id'],
      ['/v2/tokens/{token-id}', `/v2/tokens/${token}?`, 'token.symbol,pairs.pair'],
      ['/v2/tokens/{token-id}', `/v2/tokens/${unknown}?`, 'token'],
      ['/v2/pairs/{pair-id}', `/v2/pairs/${pair}?`, 'pair'],
      ['/v2/pairs/{pair-id}', `/v2/pairs/${unknown}?`, 'pair'],
      ['/v2/tokens/trending', '/v2/tokens/trending?chain=local', 'tokens.symbol'],
      ['/v2/txs/{pair-id}', `/v2/txs/${pair}?`, 'txs.id'],
    ] as const) {
      const content = document.paths[path]!.get!.responses['200']!.content!
      const faultsOf = (type: string, body: unknown) => {
        const schema = { allOf: [content[type]!.schema], components: document.components }
        const compiled = Compile(strictSchema(schema) as object)
        return compiled.Check(body) ? [] : compiled.Errors(body)[1]
      }
      const whole = await read(url)
      expect(whole.type).toBe('application/json; charset=utf-8')
      expect([url, faultsOf('application/json', whole.body)]).toEqual([url, []])
      const some = await read(`${url}&fields=${fields}`)
      expect(some.type).toBe(selectedMediaType)
      expect([url, faultsOf(selectedMediaType, some.body)]).toEqual([url, []])
      const spoiled = JSON.parse(JSON.stringify(some.body).replace(/"(symbol|pair|id)":"/, '"x":"'))
      if (!url.includes(unknown))
        expect([url, faultsOf(selectedMediaType, spoiled)]).not.toEqual([url, []])
    }
  },
)

test.each(['contract', 'always'] as const)(
  'behavior: every required name has a schema in the same object, %s',
  async (responseEnvelope) => {
    const market = createServedMarket({ responseEnvelope })
    fillMarket(market.chain)
    for (const path of ['/openapi.json', '/asyncapi.json']) {
      const { body } = await market.get(path)
      const faults: string[] = []
      const walk = (value: unknown, place: string) => {
        if (typeof value !== 'object' || value === null) return
        const { required, properties } = value as { required?: unknown; properties?: object }
        // Skips schemas of members that are themselves named `required`.
        if (Array.isArray(required) && !place.endsWith('/properties'))
          for (const name of required)
            if (!Object.hasOwn(properties ?? {}, name)) faults.push(`${place}: ${name}`)
        for (const [name, member] of Object.entries(value))
          if (name !== 'example' && name !== 'examples') walk(member, `${place}/${name}`)
      }
      walk(body, path)
      expect(faults).toEqual([])
    }
  },
)
