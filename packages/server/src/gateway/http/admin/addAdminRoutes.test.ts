import { expect, test } from 'vitest'
import { createBareHttpServer } from '../../../../../../test/support/bareHttpServer.ts'
import { injectRequest } from '../../../../../../test/support/injectRequest.ts'
import { liveStatus } from '../../../../../../test/support/liveStatus.ts'
import { testPlans } from '../../../../../../test/support/memoryKeyStore.ts'
import { createMemoryKeys } from '../../../../../../test/support/memoryKeys.ts'
import { type OpenApi, readOpenApi } from '../../../../../../test/support/openApi.ts'
import { createUnlimitedClients } from '../../../../../../test/support/unlimitedClients.ts'
import { createLogger } from '../../../lib/logger.ts'
import type { ChainStatus, GatewayChain, GatewayChains } from '../../chain/gatewayChain.ts'
import { UnknownPlanError } from '../../ground/errors.ts'
import type { KeyAdmin, KeyInfo } from '../../keys/keyAdmin.ts'
import { openApiDocument } from '../openapi/openApiDocument.ts'
import type { Router } from '../router.ts'
import { addAdminRoutes } from './addAdminRoutes.ts'

// Every answer in this file is validated against the OpenAPI document.
const openApi = readOpenApi(openApiDocument([], [], 'contract') as OpenApi)

const adminKey = 'an-admin-key-of-tests'

const info: KeyInfo = {
  id: 3,
  accountId: 2,
  name: 'app',
  plan: 'free',
  origin: 'created',
  createdAtS: 100,
  expiresAtS: null,
  revokedAtS: null,
}

const wireInfo = {
  id: 3,
  account_id: 2,
  name: 'app',
  plan: 'free',
  created_at: 100,
  expires_at: null,
  revoked_at: null,
}

function serverOf(key: string | undefined = adminKey, chains: GatewayChains = new Map()) {
  const calls: unknown[][] = []
  const only = <value>(name: string, id: number, args: unknown[], value: value) => {
    calls.push([name, id, ...args])
    return Promise.resolve(id === 3 ? value : null)
  }
  const keys: KeyAdmin = {
    async create(given) {
      calls.push(['create', given])
      const { plan } = given
      if (!testPlans.has(plan)) throw new UnknownPlanError({ plan, known: [...testPlans.keys()] })
      return { ...info, key: 'ct_new' }
    },
    list: async () => [{ ...info, requestCount: 2, creditsUsed: 10 }],
    rotate: (id, graceS) => only('rotate', id, [graceS], { ...info, id: 4, key: 'ct_newer' }),
    expire: (id, inS) => only('expire', id, [inS], { ...info, expiresAtS: 200 }),
    revoke: (id) => only('revoke', id, [], { ...info, revokedAtS: 300 }),
    usage: (id) =>
      only('usage', id, [], {
        key: info,
        plan: null,
        creditsUsed: 10,
        nowMs: 0,
        usages: [{ keyId: 3, day: 0, operation: 'a', requestCount: 2, failedCount: 0, cost: 10 }],
      }),
  }
  const app = createBareHttpServer({ chains, admin: { adminKey: key, keys, plans: testPlans } })
  const ask = async (method: 'GET' | 'POST', url: string, body?: string, headers = {}) => {
    const answer = await injectRequest(app, {
      method,
      url,
      headers: { 'x-admin-key': adminKey, ...headers },
      ...(body === undefined ? {} : { payload: body }),
    })
    const { statusCode: status } = answer
    const described = openApi.operationOf(method, url)!
    expect(openApi.faultsOf(described, status, answer.json()), `${method} ${url}`).toEqual([])
    expect(described.security).toEqual([{ adminKey: [] }])
    expect(answer.headers['cache-control']).toBe('no-store')
    return { status, body: answer.json() }
  }
  return { ask, calls }
}

test('default: creates a key', async () => {
  const { ask, calls } = serverOf()
  const body = JSON.stringify({ plan: 'free', name: 'app', expires_in: 60 })
  expect(await ask('POST', '/admin/keys', body)).toEqual({
    status: 201,
    body: { key: 'ct_new', ...wireInfo },
  })
  expect(calls).toEqual([['create', { plan: 'free', name: 'app', expiresInS: 60 }]])
})

test('default: lists, rotates, expires and revokes keys, and reports usage', async () => {
  const { ask, calls } = serverOf()
  expect(await ask('GET', '/admin/keys')).toEqual({
    status: 200,
    body: { keys: [{ ...wireInfo, period: { requests: 2, credits: 10 } }] },
  })
  expect(await ask('POST', '/admin/keys/3/rotate', '{"grace": 0}')).toMatchObject({
    status: 201,
    body: { key: 'ct_newer', id: 4, replaces: 3 },
  })
  expect((await ask('POST', '/admin/keys/3/expire')).body.expires_at).toBe(200)
  expect((await ask('POST', '/admin/keys/3/revoke')).body.revoked_at).toBe(300)
  expect(await ask('GET', '/admin/keys/3/usage')).toMatchObject({
    status: 200,
    body: { plan: 'free', credits: { used: 10 }, total: { requests: 2, credits: 10 } },
  })
  await ask('POST', '/admin/keys/3/rotate', '')
  expect(calls).toEqual([
    ['rotate', 3, 0],
    ['expire', 3, 0],
    ['revoke', 3],
    ['usage', 3],
    ['rotate', 3, 86_400],
  ])
})

test('default: returns the full errors of nodes', async () => {
  const lastError = { summary: 'endpoint 0: refused', text: 'Said <hidden>' }
  const endpoints = [{ name: '0:node.example:1', isHealthy: false, lastError }]
  const chainOf = (parts: Partial<ChainStatus>) =>
    ({ status: () => liveStatus(parts), reads: { head: () => null } }) as unknown as GatewayChain
  const chains = new Map([
    ['eth', chainOf({ nodes: { error: 'Waits', endpoints } })],
    ['far', chainOf({})],
  ])
  const { ask } = serverOf(adminKey, chains)
  const endpoint = { endpoint: 0, host: 'node.example:1', healthy: false, error: 'Said <hidden>' }
  expect(await ask('GET', '/admin/nodes')).toEqual({
    status: 200,
    body: {
      chains: [
        { chain: 'eth', error: 'Waits', endpoints: [endpoint] },
        { chain: 'far', error: null, endpoints: [] },
      ],
    },
  })
})

test('behavior: every route and its inputs are documented', async () => {
  const routes: string[] = []
  const router: Router = {
    add: (method, path) => void routes.push(`${method} ${path}`),
    find: () => null,
  }
  const context = {
    clients: createUnlimitedClients(createMemoryKeys(new Map())),
    logger: createLogger('silent'),
    chains: new Map(),
  }
  const admin = { adminKey, keys: {} as KeyAdmin, plans: testPlans }
  addAdminRoutes(router, () => () => undefined, admin, context)
  const described = openApi.operations.filter(({ tags }) => tags.includes('admin'))
  expect(described.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort())
  for (const { path, parameters } of described)
    expect(parameters.map(({ name }) => name)).toEqual(path.includes('{id}') ? ['id'] : [])
  // The documented example bodies must be accepted.
  const { ask } = serverOf()
  for (const { method, path, requestBody } of described) {
    const example = requestBody?.content['application/json']?.example
    const body = example === undefined ? undefined : JSON.stringify(example)
    const { status } = await ask(method, path.replace('{id}', '3'), body)
    expect([path, [200, 201].includes(status)]).toEqual([path, true])
  }
})

test('error: requests without the admin key are refused', async () => {
  const { ask, calls } = serverOf()
  for (const [url, method] of [
    ['/admin/keys', 'GET'],
    ['/admin/keys', 'POST'],
    ['/admin/keys/3/rotate', 'POST'],
    ['/admin/keys/3/expire', 'POST'],
    ['/admin/keys/3/revoke', 'POST'],
    ['/admin/keys/3/usage', 'GET'],
    ['/admin/nodes', 'GET'],
  ] as const) {
    const missing = await ask(method, url, undefined, { 'x-admin-key': '' })
    expect(missing).toMatchObject({ status: 401, body: { error: { code: 'missing_key' } } })
    const wrong = await ask(method, url, undefined, { 'x-admin-key': `${adminKey}x` })
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'invalid_key' } } })
  }
  expect(calls).toEqual([])
})

test('behavior: without a configured admin key the routes do not exist', async () => {
  const admin = { adminKey: undefined, keys: {} as KeyAdmin, plans: testPlans }
  const answer = await injectRequest(createBareHttpServer({ admin }), '/admin/keys')
  expect(answer.statusCode).toBe(404)
})

test.each([
  ['/admin/keys', '{"plan": "gold"}', 400, 'invalid_param', 'plan'],
  ['/admin/keys', '', 400, 'missing_param', 'plan'],
  ['/admin/keys', '{', 400, 'body_invalid', 'body'],
  ['/admin/keys', 'null', 400, 'body_invalid', 'body'],
  ['/admin/keys', '[]', 400, 'body_invalid', 'body'],
  ['/admin/keys', '{"plan": 5}', 400, 'invalid_param', 'plan'],
  ['/admin/keys', '{"plan": "free", "name": "a\\u0000b"}', 400, 'invalid_param', 'name'],
  ['/admin/keys', '{"plan": "free", "expires_in": 0}', 400, 'limit_out_of_range', 'expires_in'],
  ['/admin/keys', '{"plan": "free", "expires_in": 1e300}', 400, 'limit_out_of_range', 'expires_in'],
  ['/admin/keys', '{"plan": "free", "expires_in": "9"}', 400, 'invalid_param', 'expires_in'],
  ['/admin/keys/x/rotate', '', 400, 'invalid_param', 'id'],
  ['/admin/keys/3/rotate', '{"grace": -1}', 400, 'limit_out_of_range', 'grace'],
  ['/admin/keys/9/rotate', '', 404, 'not_found', 'id'],
  ['/admin/keys/9/expire', '', 404, 'not_found', 'id'],
  ['/admin/keys/9/revoke', '', 404, 'not_found', 'id'],
])('error: POST %s %s', async (url, body, status, code, param) => {
  const answer = await serverOf().ask('POST', url, body)
  expect(answer).toMatchObject({ status, body: { status: 0, data: null, error: { code, param } } })
})

test('error: an unknown plan names the known plans', async () => {
  const { body } = await serverOf().ask('POST', '/admin/keys', '{"plan": "gold"}')
  expect(body.msg).toBe('There is no plan "gold". Plans: free, five, credits, unlimited.')
})
