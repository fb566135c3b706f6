// Every documented operation, input, limit, field and type, tested over HTTP on a running market.
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../packages/server/src/gateway/rest/operations.ts'
import { faultsOf, valuesAt } from '../conformance/faultsOf.ts'
import {
  type ContractInput,
  type ContractOperation,
  restContract,
} from '../conformance/restContract.ts'
import { type OpenApi, type OpenApiReader, readOpenApi } from '../support/openApi.ts'
import { createDataDir } from '../support/postgres.ts'
import { type Program, startPatientProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

let dataDir = ''
let program: Program & Awaited<ReturnType<typeof startPatientProgram>>
let tokenIds: string[] = []
/** Tokens and a pair of the generated Solana chain. */
let solanaIds: { tokenIds: string[]; pairId: string }
let document: OpenApi
let openApi: OpenApiReader

/** Inputs by name: texts for path and query, JSON values for the body. */
type Values = Record<string, unknown>

beforeAll(async () => {
  dataDir = await createDataDir()
  program = await startPatientProgram(dataDir, { devnet: { solana: true, history_s: 600 } })
  const response = await fetch(`${program.ready.address}/openapi.json`)
  document = (await response.json()) as OpenApi
  openApi = readOpenApi(document)
  const trending = await jsonOf(ask('GET', '/v2/tokens/trending?chain=local&page_size=100'))
  tokenIds = trending.tokens.map(({ token }: { token: string }) => `${token}-local`)
  solanaIds = await findSolanaIds()
})

afterAll(async () => {
  program?.child.kill('SIGINT')
  await program?.ended
  await rm(dataDir, { recursive: true, force: true })
})

async function ask(method: string, target: string, body?: unknown, key = program.ready.api_key) {
  const response = await fetch(`${program.ready.address}${target}`, {
    method,
    headers: key === '' ? {} : { 'X-API-KEY': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await expectAsDescribed(method, target, response)
  return response
}

/** Waits until the second chain has a market: the first chain may be ready before it. */
async function findSolanaIds() {
  const found = { tokenIds: [] as string[], pairId: '' }
  await until('the second local chain has a market', async () => {
    const { tokens } = await jsonOf(ask('GET', '/v2/tokens/trending?chain=localsol&page_size=100'))
    found.tokenIds = tokens.map(({ token }: { token: string }) => `${token}-localsol`)
    const [main] = await jsonOf(ask('GET', '/v2/tokens/main?chain=localsol'))
    found.pairId = `${main?.main_pair}-localsol`
    return found.tokenIds.length > 1 && main?.main_pair !== undefined && main.main_pair !== ''
  })
  return found
}

/** Checks an answer against the OpenAPI document that the service itself returns. */
async function expectAsDescribed(method: string, target: string, response: Response) {
  const operation = openApi.operationOf(method, new URL(response.url).pathname)
  if (operation === undefined) return
  const body = await response.clone().json()
  expect(openApi.faultsOf(operation, response.status, body), target).toEqual([])
}

/** Values for which the answer has rows. */
function goodValues(operation: ContractOperation): Values {
  const values: Values = {}
  for (const { name, kind } of operation.inputs) {
    if (kind === 'ids') values[name] = tokenIds.slice(0, 20)
    if (kind === 'threshold') values[name] = 0
    if (name === 'token-id') values[name] = tokenIds[0]
    if (name === 'pair-id') values[name] = program.ready.example_pair_id
    if (name === 'keyword') values[name] = 'W'
    if (name === 'chain') values[name] = 'local'
    if (name === 'tag') values[name] = 'meme'
  }
  return values
}

function send(operation: ContractOperation, values: Values, key?: string) {
  let path = operation.path
  const query = new URLSearchParams()
  for (const { name, kind } of operation.inputs) {
    const value = values[name]
    if (kind === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(value)))
    else if (operation.method === 'GET' && value !== undefined) query.set(name, String(value))
  }
  const target = query.size === 0 ? path : `${path}?${query}`
  return ask(operation.method, target, operation.method === 'POST' ? values : undefined, key)
}

// biome-ignore lint/suspicious/noExplicitAny: answers are what is tested
async function jsonOf(response: Response | Promise<Response>): Promise<any> {
  return await (await response).json()
}

async function expectBad(response: Response, param: string): Promise<void> {
  const body = await jsonOf(response)
  expect([response.status, body]).toEqual([
    400,
    {
      status: 0,
      msg: expect.stringMatching(/^.{10,}\.$/),
      data: null,
      error: { code: expect.any(String), param },
    },
  ])
  expect(response.headers.get('x-cu-cost')).toBe('0')
}

const manyIds = (count: number) => Array.from({ length: count }, (_, i) => idOf(i))
const idOf = (i: number) => `0x${i.toString(16).padStart(40, '0')}-local`

/** Values of one input that must be refused. */
function badValuesOf(input: ContractInput): unknown[] {
  switch (input.kind) {
    case 'path':
      return ['nothing', '0x12-local', `0x${'ab'.repeat(20)}`, `0x${'ab'.repeat(20)}-nowhere`]
    case 'text':
      if (input.name === 'chain') return ['nowhere']
      return input.name === 'tag' ? ['', 'no_such_tag'] : ['']
    case 'integer': {
      const over = input.max === null ? [] : [input.max + 1, '99999999999999999999']
      return [input.min - 1, ...over, 'ten', '1.5', '1e2', ' ', '0x10', 'NaN']
    }
    case 'word':
      return ['nothing', input.default.toUpperCase(), 'constructor', '__proto__']
    case 'ids':
      return [
        undefined,
        [],
        manyIds(input.max + 1),
        'text',
        {},
        null,
        [1],
        [null],
        ['nothing'],
        [['a']],
      ]
    case 'threshold':
      return [-1, '10', null, [], {}, true]
  }
}

/** Values for the generated Solana chain, for which the answer has rows. */
function goodSolanaValues(operation: ContractOperation): Values {
  const values = goodValues(operation)
  if ('chain' in values) values.chain = 'localsol'
  if ('token-id' in values) values['token-id'] = solanaIds.tokenIds[0]
  if ('pair-id' in values) values['pair-id'] = solanaIds.pairId
  if ('keyword' in values) values.keyword = 'Coin'
  if ('tag' in values) values.tag = 'pump_in_new'
  for (const { name, kind } of operation.inputs)
    if (kind === 'ids') values[name] = solanaIds.tokenIds.slice(0, 20)
  return values
}

describe.each(restContract)('$method $path', (operation) => {
  test('behavior: a chain of another kind answers with the same shape, fields and types', async () => {
    const response = await send(operation, goodSolanaValues(operation))
    const body = await jsonOf(response)
    expect([response.status, body.error]).toEqual([200, undefined])
    for (const { at, fields } of operation.rows) {
      const rows = valuesAt(body, at)
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) expect(faultsOf(row, fields)).toEqual([])
    }
  })

  test('default: shape, fields, types and cost', async () => {
    const response = await send(operation, goodValues(operation))
    const body = await jsonOf(response)
    expect([response.status, body.error]).toEqual([200, undefined])
    expect(Array.isArray(body)).toBe(operation.body === 'array')
    expect(response.headers.get('x-cu-cost')).toBe(String(operation.cost))
    for (const { at, fields } of operation.rows) {
      const rows = valuesAt(body, at)
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) expect(faultsOf(row, fields)).toEqual([])
    }
  })

  test('error: a missing key, and a wrong one', async () => {
    for (const key of ['', 'wrong-key-of-nobody']) {
      const response = await send(operation, goodValues(operation), key)
      expect([response.status, (await jsonOf(response)).status]).toEqual([401, 0])
    }
  })

  test('error: another method', async () => {
    const allowed = operation.method === 'GET' ? 'GET, HEAD' : 'POST'
    for (const method of ['GET', 'POST', 'DELETE'].filter((name) => name !== operation.method)) {
      const response = await ask(method, operation.path)
      expect([response.status, response.headers.get('allow')]).toEqual([405, allowed])
    }
  })

  for (const input of operation.inputs) {
    test(`error: invalid values of ${input.name}`, async () => {
      for (const value of badValuesOf(input)) {
        const values = { ...goodValues(operation), [input.name]: value }
        await expectBad(await send(operation, values), input.name)
      }
    })
    if (input.kind === 'text' && input.isRequired)
      test(`error: ${input.name} is required`, async () => {
        const { [input.name]: _, ...values } = goodValues(operation)
        await expectBad(await send(operation, values), input.name)
      })
    if (input.kind === 'integer' && input.max !== null)
      test(`args: ${input.name} from ${input.min} to ${input.max}`, async () => {
        for (const value of [input.min, input.max]) {
          const values = { ...goodValues(operation), [input.name]: value }
          const body = await jsonOf(send(operation, values))
          const rows = Array.isArray(body) ? body : body.tokens
          expect(rows.length).toBeGreaterThan(0)
          expect(rows.length).toBeLessThanOrEqual(Number(value))
        }
      })
    if (input.kind === 'word')
      test(`args: rows descend by every ${input.name}`, async () => {
        for (const word of input.words) {
          const values = { ...goodValues(operation), [input.name]: word }
          const rows = (await jsonOf(send(operation, values))) as Record<string, string>[]
          const keys = rows.map((row) => Number(row[word]))
          expect(keys).toEqual([...keys].sort((a, b) => b - a))
        }
        const { [input.name]: _, ...without } = goodValues(operation)
        const plain = (await jsonOf(send(operation, without))) as Record<string, string>[]
        const keys = plain.map((row) => Number(row[input.default]))
        expect(keys).toEqual([...keys].sort((a, b) => b - a))
      })
    if (input.kind === 'ids')
      test(`args: ${input.max} of ${input.name}`, async () => {
        const ids = [...tokenIds, ...manyIds(input.max)].slice(0, input.max)
        const response = await send(operation, { ...goodValues(operation), [input.name]: ids })
        expect(response.status).toBe(200)
        const known = Object.keys(await jsonOf(response))
        expect(known.length).toBeGreaterThan(0)
        expect(ids).toEqual(expect.arrayContaining(known))
      })
    if (input.kind === 'path')
      test(`behavior: an unknown ${input.name} gives the empty shape`, async () => {
        const unknown = `0x${'0f'.repeat(20)}-local`
        const response = await send(operation, { ...goodValues(operation), [input.name]: unknown })
        const body = await jsonOf(response)
        const isEnveloped = operation.rows.some(({ fields }) => 'data_type' in fields)
        expect([response.status, body]).toEqual([
          200,
          isEnveloped
            ? {
                status: 1,
                msg: 'SUCCESS: token not found',
                data_type: 1,
                data: { is_audited: false, token: {}, pairs: [] },
              }
            : operation.body === 'array'
              ? []
              : {},
        ])
      })
  }
})

test('behavior: top pairs are at most 5, the main pair first, then by liquidity', async () => {
  for (const id of tokenIds.slice(0, 30)) {
    const { data } = await jsonOf(ask('GET', `/v2/tokens/${id}`))
    expect(data.pairs.length).toBeGreaterThan(0)
    expect(data.pairs.length).toBeLessThanOrEqual(5)
    expect(data.pairs[0].pair).toBe(data.token.main_pair)
  }
})

test('behavior: trending can be paged to the last page', async () => {
  const seen: string[] = []
  let page = 0
  while (page !== -1) {
    const target = `/v2/tokens/trending?chain=local&page_size=7&current_page=${page}`
    const body = await jsonOf(ask('GET', target))
    expect(body.current_page_size).toBe(body.tokens.length)
    expect([page + 1, -1]).toContain(body.next_page)
    seen.push(...body.tokens.map(({ token }: { token: string }) => token))
    page = body.next_page
  }
  expect(seen.length).toBeGreaterThan(7)
  const beyond = await jsonOf(ask('GET', '/v2/tokens/trending?chain=local&current_page=100000'))
  expect(beyond).toMatchObject({ current_page_size: 0, next_page: -1, tokens: [] })
})

async function headBlock(): Promise<number> {
  return (await jsonOf(fetch(`${program.ready.address}/health/ready`))).chains.local.head_block
}

/** Reads several answers for one block. Reads again if another block arrived in between. */
async function atOneHead<answers>(read: () => Promise<answers>): Promise<answers> {
  for (;;) {
    const head = await headBlock()
    const answers = await read()
    if ((await headBlock()) === head) return answers
  }
}

test('behavior: prices are keyed by the requested ids, and thresholds exclude tokens', async () => {
  const ids = tokenIds
    .slice(0, 50)
    .map((id) => id.toUpperCase().replace('0X', '0x').replace('-LOCAL', '-local'))
  const prices = (body: object) =>
    jsonOf(ask('POST', '/v2/tokens/price', { token_ids: ids, ...body }))
  const { all, rich, busy } = await atOneHead(async () => ({
    all: await prices({ tvl_min: 0 }),
    rich: await prices({}),
    busy: await prices({ tvl_min: 0, tx_24h_volume_min: 50.5 }),
  }))
  expect(Object.keys(all).sort()).toEqual([...ids].sort())
  const idsBy = (field: string, min: number) => ids.filter((id) => Number(all[id][field]) >= min)
  expect(Object.keys(rich).sort()).toEqual(idsBy('tvl', 1_000).sort())
  expect(Object.keys(busy).sort()).toEqual(idsBy('tx_volume_u_24h', 50.5).sort())
})

test('default: the service’s OpenAPI document', () => {
  expect(document.info.version).toBe('2.1.0')
  const { port } = new URL(program.ready.address)
  expect(document.servers).toEqual(
    ['127.0.0.1', 'localhost'].map((host) => ({ url: `http://${host}:${port}` })),
  )
  for (const { path, method, id } of operations) {
    const example = document.paths[path]?.[method === 'GET' ? 'get' : 'post']
    expect(example?.responses['200']?.content?.['application/json']?.example, id).toBeDefined()
  }
})
