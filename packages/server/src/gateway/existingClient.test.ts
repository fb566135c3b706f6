// Models a client written for the public service, with only its base address changed: it requires
// HTTP 200 and `status` 1, reads `data`, and recognizes "not found" by `msg` or by empty values.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleRequest } from '../../../../test/support/openApi.ts'
import { servedStartS, wallet } from '../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket, servedKey } from '../../../../test/support/servedMarket.ts'
import { operations } from './rest/operations.ts'

const market = createServedMarket({ responseEnvelope: 'always' })
const { traded, weth, usdc } = fillMarket(market.chain)
market.chain.setBalances(weth, { [wallet(1)]: 5, [wallet(2)]: 7 })
const idOf = ({ address }: { address: string }) => `${address}-local`
const [token, pair] = [idOf(traded[0]!.token), idOf(traded[0]!.pair)]
const nobody = `0x${'f'.repeat(40)}-local`

let baseUrl = ''
beforeAll(async () => {
  baseUrl = await market.server.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => market.server.close())

// biome-ignore lint/suspicious/noExplicitAny: the client has no types
type Json = any

async function call(path: string, body?: object): Promise<Json> {
  const response = await fetch(`${baseUrl}/v2${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-API-KEY': servedKey, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return await response.json()
}

async function data(path: string, body?: object): Promise<Json> {
  const envelope = await call(path, body)
  if (envelope.status !== 1) throw new Error(envelope.msg)
  return envelope.data
}

const rowFields = {
  chain: 'local',
  symbol: expect.any(String),
  current_price_usd: expect.any(String),
}

test('default: prices are keyed by the ids as sent', async () => {
  const prices = await data('/tokens/price', { token_ids: [token, idOf(weth), nobody], tvl_min: 0 })
  expect(Object.keys(prices)).toEqual([token, idOf(weth)])
  expect(Number.parseFloat(prices[token].current_price_usd)).toBeGreaterThan(0)
})

test('default: a token batch is an array of rows', async () => {
  const rows = await data('/tokens/search', { token_ids: [token, idOf(usdc), nobody] })
  expect(rows.map((row: Json) => `${row.token}-${row.chain}`)).toEqual([token, idOf(usdc)])
})

test.each([
  '/tokens?keyword=PEPE',
  '/tokens/main?chain=local',
  '/tokens/platform?tag=meme',
  '/ranks?topic=hot',
])('default: %s is an array of rows', async (path) => {
  const rows = await data(path)
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row).toMatchObject(rowFields)
})

test('default: token detail has the token, its pairs and the audit flag', async () => {
  const { token: row, pairs, is_audited: isAudited } = await data(`/tokens/${token}`)
  expect(row).toMatchObject(rowFields)
  expect(pairs[0].pair).toBe(row.main_pair)
  expect(isAudited).toBe(false)
})

test('default: pages are followed until the last', async () => {
  const symbols: string[] = []
  for (let page = 0; page >= 0; ) {
    const { tokens, next_page: next } = await data(
      `/tokens/trending?chain=local&page_size=3&current_page=${page}`,
    )
    symbols.push(...tokens.map(({ symbol }: Json) => symbol))
    page = next
  }
  expect(symbols).toContain('PEPE')
  expect(new Set(symbols).size).toBe(symbols.length)
})

test('default: pairs, klines, transactions, holders and wallets are read', async () => {
  expect(await data(`/pairs/${pair}`)).toMatchObject({ pair: traded[0]!.pair.address })
  expect(await data(`/contracts/${token}`)).toMatchObject({ token_symbol: 'PEPE' })
  const { points, pair_id: pairId } = await data(`/klines/token/${token}?interval=1`)
  expect(pairId).toBe(pair)
  for (const { open, close, time } of points)
    expect([typeof open, typeof close, typeof time]).toEqual(['string', 'string', 'number'])
  expect((await data(`/klines/pair/${pair}?interval=1`)).points).toEqual(points)
  const { txs } = await data(`/txs/${pair}`)
  expect(txs.length).toBeGreaterThan(0)
  expect((await data(`/txs/liq/${pair}`)).txs.length).toBeGreaterThan(0)
  const [first] = await data(`/tokens/top100/${idOf(weth)}`)
  expect(first).toMatchObject({ holder: wallet(2), amount_cur: 7 })
  const owner = `chain=local&wallet_address=${wallet(1)}`
  expect((await data(`/address/tx?${owner}`)).result.length).toBeGreaterThan(0)
  expect(await data(`/address/walletinfo?${owner}`)).toMatchObject({ main_token_symbol: 'ETH' })
  expect((await data(`/address/walletinfo/tokens?${owner}`)).length).toBeGreaterThan(0)
})

test.each([
  [`/tokens/${nobody}`, 'token', { is_audited: false, token: {}, pairs: [] }],
  [`/contracts/${nobody}`, 'token', {}],
  [`/tokens/top100/${nobody}`, 'token', []],
  [`/tokens/holders/${nobody}`, 'token', []],
  [`/klines/token/${nobody}`, 'token', expect.objectContaining({ points: [], total_count: 0 })],
  [
    `/address/pnl?chain=local&wallet_address=${wallet(1)}&token_address=${nobody.slice(0, 42)}`,
    'token',
    {},
  ],
  [`/pairs/${nobody}`, 'pair', {}],
  [`/klines/pair/${nobody}`, 'pair', expect.objectContaining({ points: [], total_count: 0 })],
  [`/txs/${nobody}`, 'pair', expect.objectContaining({ txs: [], total_count: 0 })],
  [`/txs/swap/${nobody}`, 'pair', expect.objectContaining({ txs: [] })],
  [`/txs/liq/${nobody}`, 'pair', expect.objectContaining({ txs: [] })],
])('behavior: %s is not found', async (path, what, empty) => {
  expect(await call(path)).toEqual({
    status: 1,
    msg: `SUCCESS: ${what} not found`,
    data_type: 1,
    data: empty,
  })
})

test('behavior: every operation has exactly one envelope', async () => {
  const { body: document } = await market.get('/openapi.json')
  let count = 0
  for (const { path, method, id } of operations.filter(({ path }) => path.startsWith('/v2/'))) {
    const shown = (document as Json).paths[path][method.toLowerCase()]
    const { url, body } = exampleRequest({ ...shown, path }, { time: servedStartS })
    const envelope = await call(url.slice('/v2'.length), body)
    expect([id, Object.keys(envelope)]).toEqual([id, ['status', 'msg', 'data_type', 'data']])
    expect([id, envelope.status, envelope.data_type]).toEqual([id, 1, 1])
    expect(envelope.msg).toMatch(/^SUCCESS/)
    expect(envelope.data, id).not.toHaveProperty('data_type')
    count += 1
  }
  expect(count).toBeGreaterThan(25)
})

test('error: a failed request does not look like a success to such a client', async () => {
  await expect(data('/tokens?keyword=')).rejects.toThrow('HTTP 400')
  const response = await fetch(`${baseUrl}/v2/tokens/main?chain=local`)
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ status: 0, data: null })
})

test('behavior: chart answers have no envelope', async () => {
  const headers = { 'X-API-KEY': servedKey }
  const config = await (await fetch(`${baseUrl}/udf/config`, { headers })).json()
  expect(config).toHaveProperty('supported_resolutions')
})
