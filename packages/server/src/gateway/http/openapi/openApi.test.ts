// The OpenAPI document must be valid, complete, and match what the service answers.
import { strict as assert } from 'node:assert'
import { Compile } from 'typebox/schema'
import { expect, test } from 'vitest'
import { openApiSchema } from '../../../../../../test/conformance/openApiSchema.ts'
import { undescribedMembers } from '../../../../../../test/support/checkSchema.ts'
import { injectRequest } from '../../../../../../test/support/injectRequest.ts'
import {
  exampleRequest,
  type OpenApi,
  readOpenApi,
} from '../../../../../../test/support/openApi.ts'
import { servedStartS, wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'
import { operations } from '../../rest/operations.ts'

async function openApiOf(responseEnvelope: 'contract' | 'always') {
  const market = createServedMarket({ responseEnvelope })
  const { weth, wethUsdc } = fillMarket(market.chain)
  market.chain.setBalances(weth, { [wallet(1)]: 1, [wallet(2)]: 2 })
  const { body, headers, status } = await market.get('/openapi.json')
  const [token, pair] = [`${weth.address}-local`, `${wethUsdc.address}-local`]
  // The recorded examples are from another market.
  const own = {
    ...{ 'token-id': token, 'pair-id': pair, symbol: pair, symbols: pair },
    ...{ token_address: weth.address, wallet_address: wallet(1), account_address: wallet(1) },
    ...{ token_ids: [token], time: servedStartS },
  }
  return { market, own, status, headers, document: body as OpenApi }
}

const { document } = await openApiOf('contract')
const whole = Compile(openApiSchema)

function faultsOf(value: unknown): string[] {
  if (whole.Check(value)) return []
  return whole.Errors(value)[1].map(({ instancePath, message }) => `${instancePath} ${message}`)
}

test.each(['contract', 'always'] as const)(
  'default: the document is valid OpenAPI 3.1, %s',
  async (mode) => {
    const { document, status, headers } = await openApiOf(mode)
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(faultsOf(document)).toEqual([])
    expect(document.info.version).toBe('2.1.0')
  },
)

test('behavior: the validation finds mistakes', () => {
  const planted: [string, (copy: OpenApi) => void][] = [
    ['a member nobody knows', (copy) => Object.assign(copy.info, { owner: 'x' })],
    ['no version', (copy) => Reflect.deleteProperty(copy.info, 'version')],
    [
      'a path parameter that may be left out',
      (copy) =>
        Object.assign(copy.paths['/v2/pairs/{pair-id}']!.get!.parameters[0]!, { required: false }),
    ],
    ['a path without a slash', (copy) => Object.assign(copy.paths, { x: {} })],
    [
      'a schema of no type',
      (copy) => Object.assign(copy.components.schemas, { X: { type: 'any' } }),
    ],
    ['a misspelt word', (copy) => Object.assign(copy.components.schemas, { X: { minimun: 1 } })],
  ]
  for (const [name, spoil] of planted) {
    const copy = structuredClone(document)
    spoil(copy)
    // Listing all errors in a document of this size takes seconds, so only validity is checked.
    expect(whole.Check(copy), name).toBe(false)
  }
})

test('behavior: every operation appears once, with its cost and inputs', () => {
  const shown = readOpenApi(document).operations
  const ids = shown.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { id, method, path, cost, inputs, body } of operations) {
    const found = shown.find(({ operationId }) => operationId === id)
    assert(found, id)
    expect(found).toMatchObject({ method, path, 'x-cu-cost': cost })
    expect(found.parameters.map(({ name }) => name)).toEqual(
      Object.values(inputs).map(({ name }) => name),
    )
    expect(found.requestBody !== undefined).toBe(body !== undefined)
    expect(Object.keys(found.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '404', '429', '500', '503']),
    )
    for (const name of path.matchAll(/\{([^}]+)\}/g))
      expect(found.parameters.map((parameter) => parameter.name)).toContain(name[1])
  }
  for (const path of ['/health/live', '/health/ready', '/metrics', '/openapi.json'])
    expect(document.paths[path]!.get).toMatchObject({ security: [], 'x-cu-cost': 0 })
})

test('behavior: every parameter, body member and status has a description', () => {
  for (const { operationId, parameters, requestBody, responses } of readOpenApi(document)
    .operations) {
    for (const { name, description } of parameters)
      expect(description, `${operationId} ${name}`).toMatch(/.{5,}\.$/)
    expect(requestBody?.description ?? 'None.').toMatch(/\.$/)
    for (const response of Object.values(responses))
      expect('$ref' in response || /\.$/.test(response.description)).toBe(true)
  }
  for (const { description } of Object.values(document.components.responses))
    expect(description).toMatch(/\.$/)
})

test.each(['contract', 'always'] as const)(
  'behavior: every member of every object has a description, %s',
  async (mode) => {
    const { document } = await openApiOf(mode)
    expect(undescribedMembers(document)).toEqual([])
    const { TokenRow } = document.components.schemas as Record<string, { properties: object }>
    Reflect.deleteProperty(Reflect.get(TokenRow!.properties, 'tvl'), 'description')
    expect(undescribedMembers(document)).toEqual(['/components/schemas/TokenRow/tvl'])
  },
)

test('behavior: the document has the API key scheme and the servers', () => {
  expect(document.components.securitySchemes).toEqual({
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
    apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
    adminKey: { type: 'apiKey', in: 'header', name: 'X-ADMIN-KEY' },
  })
  expect(document.security).toEqual([{ apiKey: [] }])
  const securityOf = (path: string) => document.paths[path]?.get?.security
  expect(securityOf('/udf/config')).toEqual([{ apiKey: [] }, { apiKeyInQuery: [] }])
  expect(securityOf('/v2/tokens/main')).toBe(undefined)
  expect(securityOf('/admin/keys')).toEqual([{ adminKey: [] }])
  expect(document.servers).toEqual([{ url: 'http://localhost:8080' }])
})

test('behavior: every reference resolves', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
  expect(refs.length).toBeGreaterThan(20)
  for (const [, path] of refs) {
    const found = path!
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)
    expect(found, path).toBeDefined()
  }
})

test.each(['contract', 'always'] as const)(
  'behavior: examples match their schemas, and their inputs are accepted, %s',
  async (mode) => {
    const { market, own, document } = await openApiOf(mode)
    const openApi = readOpenApi(document)
    for (const operation of openApi.operations) {
      const { operationId, method, responses } = operation
      const known = operations.find(({ id }) => id === operationId)
      if (known === undefined) continue
      const { example } = responses['200']!.content!['application/json']!
      const isLeftOut = mode === 'always' && known.envelopedAnswer !== undefined
      expect([operationId, example === undefined]).toEqual([operationId, isLeftOut])
      if (!isLeftOut) expect(openApi.faultsOf(operation, 200, example), operationId).toEqual([])
      const { url, body } = exampleRequest(operation, own)
      const reply = await (method === 'GET' ? market.get(url) : market.post(url, body))
      expect([operationId, reply.status]).toEqual([operationId, 200])
      expect([operationId, 'etag' in reply.headers]).toEqual([operationId, '304' in responses])
      expect(openApi.faultsOf(operation, 200, reply.body), operationId).toEqual([])
    }
  },
)

/** Yields every object inside a value, with its path. */
function* objectsIn(value: unknown, place = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>]
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, `${place}/${name}`)
}

test.each(['contract', 'always'] as const)(
  'behavior: arrays have item schemas, and examples and defaults match their schemas, %s',
  async (mode) => {
    const { document, market } = await openApiOf(mode)
    const asyncApi = (await market.get('/asyncapi.json')).body
    const arrays = [...objectsIn(document), ...objectsIn(asyncApi)].filter(
      ([, { type }]) => type === 'array',
    )
    expect(arrays.length).toBeGreaterThan(30)
    expect(arrays.flatMap(([place, { items }]) => (items === undefined ? place : []))).toEqual([])
    for (const { operationId, parameters } of readOpenApi(document).operations)
      for (const { name, example, ...parameter } of parameters)
        if (example !== undefined && Reflect.get(parameter, 'schema').type === 'integer')
          expect([operationId, name, typeof example]).toEqual([operationId, name, 'number'])
    const withDefault = [...objectsIn(document.components)].filter(([, of]) => 'default' in of)
    expect(withDefault.length).toBeGreaterThan(100)
    for (const [place, schema] of withDefault)
      expect([place, Compile(schema).Check(schema.default)]).toEqual([place, true])
  },
)

test('behavior: an answer that may be empty is one type, and its members have defaults', () => {
  for (const path of ['/v2/pairs/{pair-id}', '/v2/address/pnl']) {
    const schema = document.paths[path]!.get!.responses['200']!.content!['application/json']!.schema
    const { $ref } = schema as { $ref: string }
    const row = document.components.schemas[$ref.split('/').at(-1)!] as Record<string, never>
    expect([path, 'anyOf' in row, 'required' in row]).toEqual([path, false, false])
    const { then: found, properties } = row as unknown as {
      then: { required: string[] }
      properties: Record<string, { default?: unknown }>
    }
    expect(Compile(row).Check({})).toBe(true)
    expect(Compile({ type: 'object', ...found }).Check({ pair: 'x' })).toBe(false)
    for (const name of found.required)
      expect([name, 'default' in properties[name]!]).toEqual([name, true])
  }
})

test('behavior: with the envelope enabled, the document shows it', async () => {
  const { document } = await openApiOf('always')
  const schemaOf = (path: string, method: 'get' | 'post' = 'get') =>
    document.paths[path]![method]!.responses['200']!.content!['application/json']!.schema as {
      properties?: Record<string, object>
    }
  expect(Object.keys(schemaOf('/v2/tokens/main').properties!)).toEqual([
    ...['status', 'msg', 'data_type', 'data'],
  ])
  expect(schemaOf('/v2/tokens/search', 'post').properties!.data).toMatchObject({ type: 'array' })
  // Answers that already contain the envelope are not wrapped again, and chart answers are never
  // wrapped.
  expect(schemaOf('/v2/tokens/{token-id}')).toEqual({ $ref: '#/components/schemas/TokenDetail' })
  expect(schemaOf('/udf/config')).toEqual({ $ref: '#/components/schemas/UdfConfig' })
})

test('behavior: served documents have an ETag, as documented', async () => {
  const { market, document } = await openApiOf('contract')
  for (const path of ['/openapi.json', '/asyncapi.json', '/metrics', '/health/live']) {
    const { headers } = await injectRequest(market.server, path)
    const isTold = '304' in document.paths[path]!.get!.responses
    expect([path, 'etag' in headers]).toEqual([path, isTold])
  }
  const { '/openapi.json': ofDocument, '/metrics': ofMetrics } = document.paths
  expect(ofDocument!.get!.responses).toHaveProperty('304')
  expect(ofMetrics!.get!.responses).not.toHaveProperty('304')
})

test('behavior: health and metrics match the document', async () => {
  const { market, document } = await openApiOf('contract')
  const openApi = readOpenApi(document)
  for (const operation of openApi.operations) {
    if (!['healthLive', 'healthReady'].includes(operation.operationId)) continue
    const { status, body } = await market.get(operation.path)
    expect(openApi.faultsOf(operation, status, body)).toEqual([])
  }
  const metrics = await injectRequest(market.server, '/metrics')
  expect(metrics.headers['content-type']).toContain('text/plain')
})
