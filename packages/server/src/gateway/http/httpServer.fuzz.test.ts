// Over 50,000 requests generated from the schemas of the operations: none causes an internal error,
// every failure has the documented body, and every success matches the schema of its operation.
import { strict as assert } from 'node:assert'
import { base58Ids, errorSpecs, isErrorCode } from '@chaintape/protocol'
import fc, { type Arbitrary } from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { injectRequest } from '../../../../../test/support/injectRequest.ts'
import {
  bodyRequestOf,
  inputRequestOf,
  type OddRequest,
  pathRequest,
} from '../../../../../test/support/oddRequests.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { wallet } from '../../../../../test/support/servedChain.ts'
import {
  createServedMarket,
  fillMarket,
  servedKey,
} from '../../../../../test/support/servedMarket.ts'
import { operations } from '../rest/operations.ts'

const envelopes = ['contract', 'always'] as const
const markets = envelopes.map((responseEnvelope) => {
  const market = createServedMarket({ chains: ['local', 'sol'], responseEnvelope })
  market.chains.get('sol')!.gatewayChain.ids = base58Ids
  market.chains.get('sol')!.mine()
  const filled = fillMarket(market.chain)
  return { market, filled }
})

const { traded, weth } = markets[0]!.filled
const tokenIds = [weth, ...traded.map(({ token }) => token)].map(
  ({ address }) => `${address}-local`,
)
const pairIds = traded.map(({ pair }) => `${pair.address}-local`)
const usual = {
  'token-id': [...tokenIds, `0x${'f'.repeat(40)}-local`],
  'pair-id': [...pairIds, `0x${'f'.repeat(64)}-local`],
  chain: ['local', 'local', 'sol'],
  keyword: ['PEPE', 'coin', weth.address],
  query: ['PEPE', ''],
  tag: ['meme', 'hot', 'new', 'tape_in_hot', 'tape_in_almost', 'pump_in_new'],
  topic: ['hot', 'gainer', 'local'],
  symbol: [...pairIds, 'PEPE/WETH', 'local:PEPE/WETH'],
  exchange: ['local'],
  wallet_address: [wallet(1), wallet(9)],
  account_address: [wallet(1), wallet(9)],
  token_address: [weth.address, traded[0]!.token.address],
  tx_hash: [`0x${'0'.repeat(63)}9`],
  resolution: ['1', '60', '1D', '1S'],
  from: ['0', '1760000000'],
  to: ['1760000100', '253402300799'],
  last_id: ['3-0'],
  fields: ['', ' ', 'chain', 'token.symbol', 'token, pairs'],
}

let requestCount = 0
const statuses = new Map<number, number>()

async function check({ method, url, headers, payload }: OddRequest): Promise<void> {
  // Requests alternate between the two modes.
  const { market } = markets[requestCount % markets.length]!
  requestCount += 1
  const response = await injectRequest(market.server, {
    method,
    url,
    headers: { 'x-api-key': servedKey, ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
  const status = response.statusCode
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const isBodiless = method === 'HEAD'
  if (status === 200) {
    if (!isBodiless) market.check(method, url, response.body)
    return
  }
  // A client whose If-None-Match names the current answer gets a 304 without a body.
  if (status === 304) {
    expect([headers?.['if-none-match'] === undefined, response.body]).toEqual([false, ''])
    return
  }
  // The only redirect leads to the documentation, whatever the request was.
  if (status === 308) {
    expect([response.headers.location, response.body]).toEqual(['/docs/', ''])
    return
  }
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status, response.body).toBeLessThan(500)
  if (isBodiless) return
  const body = response.json()
  expect(response.body.length).toBeLessThan(2_000)
  expect(response.body).not.toMatch(/\n\s+at |node_modules|\.ts:\d/)
  // Errors of chart paths have the form that charting libraries expect.
  if (body.s === 'error') {
    expect(url).toMatch(/df\//)
    expect(body).toEqual({ s: 'error', errmsg: expect.stringMatching(/^\S.*\.$/su) })
    return
  }
  expect(body).toEqual({
    status: 0,
    msg: expect.stringMatching(/^\S.*\.$/su),
    data: null,
    error: {
      code: expect.any(String),
      ...('param' in body.error && { param: expect.any(String) }),
    },
  })
  const code = String(body.error.code)
  assert(isErrorCode(code), code)
  // Node refuses a target of over 16 KB before the gateway reads it.
  expect(errorSpecs[code].httpStatus).toBe(status === 431 ? 400 : status)
}

async function checkMany(requests: Arbitrary<OddRequest>, numRuns: number): Promise<void> {
  await fc.assert(fc.asyncProperty(requests, check), { numRuns: propertyRuns(numRuns) })
}

// Checked after the whole file, so that no test depends on earlier tests.
afterAll(() => {
  expect(requestCount).toBeGreaterThanOrEqual(propertyRuns(50_000))
  for (const status of [200, 400, 401, 403, 404, 405])
    expect(statuses.get(status), String(status)).toBeGreaterThan(0)
  // Otherwise most requests would fail at the first check, and the code after that check would not
  // be tested.
  expect(statuses.get(200)!).toBeGreaterThan(requestCount / 10)
})

test.each(operations)('behavior: inputs of $method $path', async (operation) => {
  await checkMany(inputRequestOf(operation, usual), 1_200)
})

test.each(operations.filter(({ body }) => body !== undefined))(
  'behavior: bodies of $path',
  async (operation) => {
    await checkMany(bodyRequestOf(operation, usual), 2_500)
  },
)

test('behavior: paths, methods and headers', async () => {
  await checkMany(pathRequest(), 10_000)
})
