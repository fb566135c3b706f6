// The SDK's own client calls every tool of a served market over HTTP.
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wallet } from '../../../../test/support/servedChain.ts'
import {
  createServedMarket,
  fillMarket,
  type ServedMarket,
  servedKey,
} from '../../../../test/support/servedMarket.ts'
import { operations } from '../gateway/operations.ts'
import { operationTools } from './operationTools.ts'
import { answerMcp } from './serveMcp.ts'

let market: ServedMarket
let url = ''
let client: Client
let ids = { token_id: '', pair_id: '' }

beforeAll(async () => {
  market = createServedMarket({
    http: {
      mcp: ({ request, ...call }) => answerMcp({ ...call, version: '0.0.0' }, request),
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

async function connected(headers: Record<string, string>): Promise<Client> {
  const made = new Client({ name: 'test', version: '0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers },
  })
  await made.connect(transport as Parameters<typeof made.connect>[0])
  return made
}

async function call(name: string, given: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: given })
  const [{ text }] = content as [{ text: string }]
  return { text, isError, value: isError ? null : JSON.parse(text) }
}

test('default: a tool for each operation that answers, and watch', async () => {
  const { tools } = await client.listTools()
  const read = operations
    .filter(({ path, aliasOf }) => path.startsWith('/v2/') && aliasOf === undefined)
    .map(({ id }) => id)
  expect(tools.map(({ name }) => name)).toEqual([...read, 'watch'])
  const { inputSchema, description } = tools.find(({ name }) => name === 'pairKlines')!
  expect(inputSchema.required).toEqual(['pair_id'])
  expect(inputSchema.properties).toMatchObject({ limit: { type: 'integer', default: 10 } })
  expect(description).toContain('Costs 10 credit units.')
})

const given = () => ({
  ...ids,
  keyword: 'PEPE',
  chain: 'local',
  tag: 'meme',
  topic: 'hot',
  token_ids: [ids.token_id],
  account_address: wallet(1),
  wallet_address: wallet(1),
  tokens: ids.token_id,
  time: 1,
  token_address: ids.token_id.split('-')[0],
})

test.each(operationTools.map((tool) => [tool.name, tool] as const))(
  'default: %s answers, with few rows and members',
  async (name, { inputSchema }) => {
    const required = inputSchema.required as string[]
    const known = given() as Record<string, unknown>
    const needed = Object.fromEntries(required.map((one) => [one, known[one]]))
    const { isError, text } = await call(name, needed)
    expect(isError, text).toBe(false)
    expect(text.length).toBeLessThan(12_000)
  },
)

test('behavior: members and rows are as asked for, and cost what the operation costs', async () => {
  const before = market.creditsUsed()
  const few = await call('searchTokens', { keyword: 'PEPE', fields: 'symbol', limit: 2 })
  expect(few.value).toEqual([{ symbol: expect.any(String) }, { symbol: expect.any(String) }])
  expect(market.creditsUsed() - before).toBe(5)
  const all = await call('searchTokens', { keyword: 'PEPE', fields: 'all', limit: 1 })
  expect(Object.keys(all.value[0]).length).toBeGreaterThan(50)
  const detail = await call('tokenDetail', { token_id: ids.token_id })
  expect(detail.value.token).toMatchObject({ symbol: 'PEPE' })
  const long = await call('platformTokens', { tag: 'meme', limit: 300, fields: 'all' })
  expect(long.isError).toBe(false)
})

test('default: what a search finds is asked about by its token_id', async () => {
  const [found] = (await call('searchTokens', { keyword: 'PEPE', limit: 1 })).value
  expect(found.token_id).toBe(`${found.token}-${found.chain}`)
  const { value } = await call('tokenDetail', { token_id: found.token_id })
  expect(value.token).toMatchObject({ token_id: found.token_id })
})

test('error: what is wrong says how it is right', async () => {
  const cases = [
    [await call('tokenDetail', {}), 'tokenDetail needs the argument token_id.'],
    [await call('tokenDetail', { id: 1 }), 'has no argument id; it has: token_id, fields'],
    [await call('tokenDetail', { token_id: 'x' }), 'Argument: token_id.'],
    [await call('mainTokens', { chain: 'mars' }), 'local'],
    [await call('nothing'), 'there are: tokenPrices'],
    [await call('watch', { topic: 'x', id: 'y' }), 'topic is one of swaps'],
    [await call('watch', { topic: 'swaps', id: 'y', seconds: 99 }), 'from 1 to 30'],
    [await call('watch', { topic: 'swaps', id: 'y' }), 'is not <address>-<chain>'],
  ] as const
  for (const [{ isError, text }, expected] of cases) {
    expect(isError, text).toBe(true)
    expect(text).toContain(expected)
  }
})

test('error: watch gives up with the connection', async () => {
  // This server takes no WebSockets.
  const lost = await call('watch', { topic: 'swaps', id: ids.pair_id, seconds: 30 })
  expect([lost.isError, lost.text]).toEqual([true, expect.stringContaining('refused or closed')])
})

test('default: documents and the state of the chains are resources', async () => {
  const { resources } = await client.listResources()
  const uris = resources.map(({ uri }) => uri)
  expect(uris).toEqual(expect.arrayContaining(['chaintape://status', 'chaintape://docs/rest.md']))
  const read = async (uri: string) => {
    const [content] = (await client.readResource({ uri })).contents
    return content !== undefined && 'text' in content ? content.text : ''
  }
  expect(JSON.parse(await read('chaintape://status'))).toHaveProperty('chains')
  expect(await read('chaintape://docs/rest.md')).toContain('/v2/tokens')
  await expect(read('chaintape://docs/../package.json')).rejects.toThrow('There is no resource')
})

test('error: who has no key, or a wrong one', async () => {
  await expect(connected({})).rejects.toThrow('missing_key')
  await expect(connected({ 'X-API-KEY': 'wrong' })).rejects.toThrow('invalid_key')
  const bearer = await connected({ Authorization: `Bearer ${servedKey}` })
  expect((await bearer.listTools()).tools.length).toBeGreaterThan(20)
  await bearer.close()
  const get = await fetch(`${url}/mcp`, { headers: { 'X-API-KEY': servedKey } })
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
})
