// The SDK's own client, in both generations of the protocol, calls every tool of a served market
// over HTTP.
import type { AddressInfo } from 'node:net'
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wallet } from '../../../test/support/servedChain.ts'
import {
  createServedMarket,
  fillMarket,
  type ServedMarket,
  servedKey,
} from '../../../test/support/servedMarket.ts'
import { operations as restOperations } from '../../server/src/gateway/rest/operations.ts'
import { argumentSchemas } from './arguments.ts'
import { answerMcp, operationOf } from './index.ts'
import { operationTools } from './operationTools.ts'
import { toolSpecs } from './toolSpecs.ts'

const generations = { handshake: 'legacy', perMessage: { pin: '2026-07-28' } } as const
type Mode = NonNullable<ClientOptions['versionNegotiation']>['mode']

let market: ServedMarket
let url = ''
let ids = { token_id: '', pair_id: '' }
let client: Client

beforeAll(async () => {
  market = createServedMarket({
    http: {
      mcp: async () => ({
        operationOf,
        answer: ({ request, ...call }) => answerMcp({ ...call, version: '0.0.0' }, request),
      }),
    },
  })
  const { traded } = fillMarket(market.chain)
  ids = {
    token_id: `${traded[0]!.token.address}-local`,
    pair_id: `${traded[0]!.pair.address}-local`,
  }
  await market.server.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(market.server.server.address() as AddressInfo).port}`
  client = await connected({ 'X-API-KEY': servedKey })
})

afterAll(async () => {
  await client?.close()
  await market?.server.close()
})

async function connected(
  headers: Record<string, string>,
  mode: Mode = generations.handshake,
): Promise<Client> {
  const made = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers },
  })
  await made.connect(transport)
  // From here on the client checks each answer against the tool's output schema.
  await made.listTools()
  return made
}

async function call(name: string, given: Record<string, unknown> = {}, by = client) {
  const {
    content,
    structuredContent,
    isError = false,
  } = await by.callTool({
    name,
    arguments: given,
  })
  const [{ text }] = content as unknown as [{ text: string }]
  if (!isError) expect(JSON.parse(text)).toEqual(structuredContent)
  // biome-ignore lint/suspicious/noExplicitAny: answers of all tools
  return { text, isError, value: structuredContent as any }
}

/** The example with ids of this market. */
function inMarket(example: Readonly<Record<string, unknown>>) {
  const known: Record<string, unknown> = {
    ...ids,
    chain: 'local',
    token_ids: [ids.token_id],
    wallet_address: wallet(1),
    time: 1,
  }
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, known[name] ?? value]),
  )
}

test('default: thirteen tools with titles, output schemas and examples reach every operation', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([...toolSpecs.map(({ name }) => name), 'watch'])
  for (const { title, outputSchema, inputSchema, annotations } of tools) {
    expect(title).toMatch(/^[A-Z]/)
    expect(outputSchema).toMatchObject({ type: 'object' })
    expect(inputSchema.examples).toHaveProperty('length')
    expect(annotations).toMatchObject({ readOnlyHint: true })
  }
  const reached = toolSpecs.flatMap((spec) => Object.values(spec.operations))
  const all = restOperations
    .filter(({ path, aliasOf }) => path.startsWith('/v2/') && aliasOf === undefined)
    .map(({ id }) => id)
  expect(reached.toSorted()).toEqual(all.toSorted())
  // Every model reads all of it: it had 49 kB as one tool for each operation, without titles,
  // output schemas and examples.
  expect(JSON.stringify({ tools }).length).toBeLessThan(32_000)
})

test('behavior: every argument says what it means', () => {
  const names = operationTools.flatMap(({ inputSchema }) =>
    Object.keys(inputSchema.properties as object),
  )
  const known = [...Object.keys(argumentSchemas), 'what']
  expect([...new Set(names)].toSorted()).toEqual(known.toSorted())
})

describe.each(Object.entries(generations))('%s', (_, mode) => {
  test.each(toolSpecs)(
    'default: $name answers its examples, with few rows and members',
    async ({ name, examples }) => {
      const by = await connected({ 'X-API-KEY': servedKey }, mode)
      try {
        for (const example of examples) {
          const { isError, text } = await call(name, inMarket(example), by)
          expect(isError, text).toBe(false)
          expect(text.length).toBeLessThan(12_000)
        }
      } finally {
        await by.close()
      }
    },
  )
})

const needed = () => ({ ...inMarket({ chain: '', token_ids: [], wallet_address: '' }), ...ids })
const more = () => ({
  keyword: 'PEPE',
  tag: 'meme',
  topic: 'hot',
  time: 1,
  token_address: ids.token_id.split('-')[0],
})
const choices = toolSpecs.flatMap(({ name, operations }) =>
  Object.keys(operations).map((what) => [name, what, Object.keys(operations).length > 1] as const),
)

test.each(choices)('default: %s reaches %s', async (name, what, isChosen) => {
  const known = { ...needed(), ...more() } as Record<string, unknown>
  // Asked with nothing, it says what it needs.
  const given: Record<string, unknown> = isChosen ? { what } : {}
  for (;;) {
    const { isError, text } = await call(name, given)
    const [, missing] = /needs the argument (\w+)/.exec(text) ?? []
    if (missing === undefined) {
      expect(isError, text).toBe(false)
      return
    }
    expect(given).not.toHaveProperty(missing)
    given[missing] = known[missing]
  }
})

test('behavior: members and rows are as asked for, and cost what the operation costs', async () => {
  const before = market.creditsUsed()
  const few = await call('search', { keyword: 'PEPE', fields: 'symbol', limit: 2 })
  expect(few.value.rows).toEqual([{ symbol: expect.any(String) }, { symbol: expect.any(String) }])
  expect(market.creditsUsed() - before).toBe(5)
  const all = await call('search', { keyword: 'PEPE', fields: 'all', limit: 1 })
  expect(Object.keys(all.value.rows[0]).length).toBeGreaterThan(50)
  const long = await call('lists', { what: 'platform', tag: 'meme', limit: 300, fields: 'all' })
  expect(long.isError, long.text).toBe(false)
  const { value } = await call('klines', { ...inMarket({ token_id: '' }), fill: true, limit: 2 })
  expect(value.points.length).toBeLessThanOrEqual(2)
})

test('behavior: the screener takes its bounds by name', async () => {
  const sort = 'volume_24h'
  const { value } = await call('screener', { sort, min: { liquidity: 0 } })
  expect(value.tokens.length).toBeGreaterThan(0)
  const none = await call('screener', { sort, min: { volume_24h: 1e15 } })
  expect(none.value.tokens).toEqual([])
})

test('default: a token of a search is asked for by its token_id', async () => {
  const [found] = (await call('search', { keyword: 'PEPE', limit: 1 })).value.rows
  expect(found.token_id).toBe(`${found.token}-${found.chain}`)
  const { value } = await call('token', { token_id: found.token_id })
  expect(value.token).toMatchObject({ token_id: found.token_id })
})

test.each([
  ['token', {}, 'needs the argument token_id.'],
  ['token', { id: 1 }, 'has no argument id; its arguments are: what, token_id, fields'],
  ['token', { what: 'nothing' }, 'what of token is one of detail, batch; "nothing" is not.'],
  ['token', { token_id: 'x' }, 'Argument: token_id.'],
  ['pairs', { what: 'detail', chain: 'eth' }, 'pairs with what=detail has no argument chain'],
  ['lists', { what: 'main', chain: 'mars' }, 'local'],
  ['screener', { min: { wealth: 1 } }, 'min has no wealth; it has: age_s'],
  ['nothing', {}, 'The tools are: search, token'],
  ['watch', { topic: 'x', id: 'y' }, 'topic is one of swaps'],
  ['watch', { topic: 'swaps', id: 'y', seconds: 99 }, 'from 1 to 30'],
  ['watch', { topic: 'swaps', id: 'y' }, 'is not <address>-<chain>'],
])('error: %s %j is refused with advice', async (name, given, expected) => {
  const { isError, text } = await call(name, given)
  expect(isError, text).toBe(true)
  expect(text).toContain(expected)
})

test('error: watch gives up with the connection', async () => {
  // This server takes no WebSockets.
  const lost = await call('watch', { topic: 'swaps', id: ids.pair_id, seconds: 30 })
  expect([lost.isError, lost.text]).toEqual([true, expect.stringContaining('rejected or closed')])
})

test('default: documents and the state of the chains are resources', async () => {
  const { resources } = await client.listResources()
  const uris = resources.map(({ uri }) => uri)
  expect(uris).toEqual(
    expect.arrayContaining(['chaintape://status', 'chaintape://docs/reference/rest.md']),
  )
  const read = async (uri: string) => {
    const [content] = (await client.readResource({ uri })).contents
    return content !== undefined && 'text' in content ? content.text : ''
  }
  expect(JSON.parse(await read('chaintape://status'))).toHaveProperty('chains')
  expect(await read('chaintape://docs/reference/rest.md')).toContain('/v2/tokens')
  await expect(read('chaintape://docs/../package.json')).rejects.toThrow()
})

test('behavior: clients choose the newest protocol by themselves', async () => {
  const made = await connected({ Authorization: `Bearer ${servedKey}` }, 'auto')
  expect(made.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  expect(made.getInstructions()).toContain('search finds a token')
  await made.close()
  expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25')
})

test('error: no key, a wrong key, a GET, a subscription', async () => {
  await expect(connected({})).rejects.toThrow('missing_key')
  await expect(connected({ 'X-API-KEY': 'wrong' })).rejects.toThrow('invalid_key')
  await expect(connected({}, generations.perMessage)).rejects.toThrow('HTTP 401')
  const get = await fetch(`${url}/mcp`, { headers: { 'X-API-KEY': servedKey } })
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  const listen = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'x-api-key': servedKey,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  expect(await listen.json()).toMatchObject({
    id: 1,
    error: { message: 'Subscription limit reached' },
  })
})
