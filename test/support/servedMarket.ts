// A market behind the whole HTTP server, without a node, a database or a socket.
import type { ResponseEnvelope } from '@chaintape/protocol'
import type { GatewayChain } from '../../packages/server/src/gateway/chain/gatewayChain.ts'
import type { StoreReads } from '../../packages/server/src/gateway/chain/storeReads.ts'
import type { AddressLimits } from '../../packages/server/src/gateway/clients/addressUsage.ts'
import { createScheduler } from '../../packages/server/src/gateway/ground/scheduler.ts'
import {
  createHttpServer,
  type HttpServer,
} from '../../packages/server/src/gateway/http/httpServer.ts'
import type {
  GatewayLimits,
  HttpServerOptions,
} from '../../packages/server/src/gateway/http/serverOptions.ts'
import { createScreenerBoards } from '../../packages/server/src/gateway/lists/screenerBoards.ts'
import { responseBodySchema } from '../../packages/server/src/gateway/rest/envelope.ts'
import type { OperationContext } from '../../packages/server/src/gateway/rest/operation.ts'
import { operations } from '../../packages/server/src/gateway/rest/operations.ts'
import { createTokenPositionCache } from '../../packages/server/src/gateway/rest/wallets/readPositions.ts'
import { createSmartTrades } from '../../packages/server/src/gateway/rest/wallets/smartTrades.ts'
import { createMarketRows } from '../../packages/server/src/gateway/rows/marketRows.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { createMetrics, type Metrics } from '../../packages/server/src/lib/metrics.ts'
import { schemaFaults } from './checkSchema.ts'
import { gatewayDefaults } from './gatewayDefaults.ts'
import { injectRequest } from './injectRequest.ts'
import { createMemoryKeys, unlimitedHolder, validKey } from './memoryKeys.ts'
import { createMemoryStore, type MemoryStore } from './memoryStore.ts'
import { createServedChain, type ServedChain, servedStartS } from './servedChain.ts'
import { createUnlimitedClients } from './unlimitedClients.ts'

export const servedKey = 'ct_test'
const expiredKey = 'ct_expired'

export type Reply = {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests
  body: any
  text: string
  headers: Readonly<Record<string, unknown>>
}

export type ServedMarket = {
  chains: ReadonlyMap<string, ServedChain>
  /** The first chain. */
  chain: ServedChain
  store: MemoryStore
  serving: OperationContext
  server: HttpServer
  /** Credits spent so far. */
  creditsUsed(): number
  /** Sets the current time in Unix seconds. Without it, the newest block's time is used. */
  setNowS(nowS: number): void
  /** Throws if an operation's answer violates its schema. */
  check(method: string, url: string, text: string): void
  /** Requests a URL. Every 200 answer is checked against its schema. */
  get(url: string): Promise<Reply>
  post(url: string, body: unknown): Promise<Reply>
}

export type ServedMarketOptions = {
  chains?: readonly string[]
  responseEnvelope?: ResponseEnvelope
  /** Further chains. */
  others?: readonly GatewayChain[]
  /** Store reads that replace or extend those in memory. */
  store?: Partial<StoreReads>
  limits?: Partial<GatewayLimits>
  metrics?: Metrics
  addressLimits?: Partial<AddressLimits>
  /** Further options of the server. */
  http?: Partial<HttpServerOptions>
}

const limitsDefault = { ...gatewayDefaults.limits, encodedRowsBytesMax: 8_000_000 }

export function createServedMarket(options: ServedMarketOptions = {}): ServedMarket {
  const { chains: names = ['local'], responseEnvelope = 'contract' } = options
  const memory = createMemoryStore()
  const limits = { ...limitsDefault, ...options.limits }
  const store = { ...memory, ...options.store } as StoreReads
  const chains = new Map(
    names.map((name, at) => [name, createServedChain({ name, storeId: at + 1, store: memory })]),
  )
  let nowS = 0
  const newestS = () =>
    Math.max(servedStartS, ...[...chains.values()].map(({ engine }) => engine.head()?.timeS ?? 0))
  const clock = { nowMs: () => (nowS || newestS()) * 1_000 }
  const holder = unlimitedHolder(validKey)
  const keys = createMemoryKeys(
    new Map([
      [servedKey, holder],
      [expiredKey, unlimitedHolder({ ...validKey, expiresAtS: servedStartS })],
    ]),
  )
  const gatewayChains = new Map([...chains].map(([name, chain]) => [name, chain.gatewayChain]))
  for (const chain of options.others ?? []) gatewayChains.set(chain.profile.name, chain)
  const server = createHttpServer({
    version: '0.0.0',
    chains: gatewayChains,
    keys,
    store,
    limits,
    clock,
    responseEnvelope,
    clients: createUnlimitedClients(keys, options.addressLimits),
    baseUrls: ['http://localhost:8080'],
    corsOrigins: ['*'],
    metrics: options.metrics ?? createMetrics(),
    logger: createLogger('silent'),
    ...options.http,
  })
  const rows = createMarketRows(clock, limits.encodedRowsBytesMax)
  const scheduler = createScheduler()

  async function ask(method: 'GET' | 'POST', url: string, body?: unknown): Promise<Reply> {
    const headers = { 'x-api-key': servedKey }
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const response = await injectRequest(server, {
      method,
      url,
      headers,
      ...(payload === undefined ? {} : { payload }),
    })
    const reply: Reply = {
      status: response.statusCode,
      body: response.json(),
      text: response.body,
      headers: response.headers,
    }
    if (reply.status === 200) checkAnswer(method, url, reply.text, responseEnvelope)
    return reply
  }

  return {
    chains,
    store: memory,
    server,
    serving: {
      chains: gatewayChains,
      clock,
      store,
      rows,
      scheduler,
      usageOf: keys.usageOf,
      positions: createTokenPositionCache(store),
      smartTrades: createSmartTrades(store, clock),
      screener: createScreenerBoards(clock),
      isCompatible: responseEnvelope === 'always',
    },
    chain: chains.get(names[0]!)!,
    creditsUsed: () => holder.spent,
    setNowS(value) {
      nowS = value
    },
    check: (method, url, text) => checkAnswer(method, url, text, responseEnvelope),
    get: (url) => ask('GET', url),
    post: (url, body) => ask('POST', url, body),
  }
}

/** Fixed paths take precedence over paths with an id. */
function operationOf(method: string, url: string) {
  // Normalizes `.` and `..` as a client does; this may remove a part that is not UTF-8.
  const path = decodeURI(new URL(`http://localhost${url}`).pathname)
  const matching = operations.filter((operation) => {
    const pattern = operation.path.replace(/\{[^}]+\}/g, '[^/]+')
    return operation.method === method && new RegExp(`^${pattern}$`).test(path)
  })
  return matching.find((operation) => operation.path === path) ?? matching[0]
}

const bodySchemasIn = (envelope: ResponseEnvelope) =>
  new Map(operations.map((operation) => [operation.id, responseBodySchema(operation, envelope)]))
const bodySchemas = { contract: bodySchemasIn('contract'), always: bodySchemasIn('always') }

function checkAnswer(method: string, url: string, text: string, envelope: ResponseEnvelope): void {
  const operation = operationOf(method, url)
  // With `fields` the answer has only the selected members.
  if (operation === undefined || /[?&]fields=/.test(url)) return
  const faults = schemaFaults(bodySchemas[envelope].get(operation.id)!, JSON.parse(text))
  if (faults.length > 0)
    throw new Error(`${method} ${url} is not as documented: ${faults.slice(0, 5).join('; ')}`)
}

/**
 * The market of most tests: WETH at 2,000 USD, five traded tokens with falling volume and growing
 * depth, and on the launch platform one token on its curve, one almost complete and one graduated.
 */
export function fillMarket(chain: ServedChain) {
  const weth = chain.token({ symbol: 'WETH', name: 'Wrapped Ether' })
  const usdc = chain.token({ symbol: 'USDC', name: 'USD Coin', decimals: 6 })
  const wethUsdc = chain.pool(weth, usdc, [10_000, 20_000_000])
  chain.supply(weth, { total: 120_000, holders: 900 })
  chain.supply(usdc, { total: 50_000_000, holders: 800 })
  chain.mine()
  const words = ['PEPE', 'PEPE2', 'DOGE', 'Inu', 'BIGPEPE']
  const traded = words.map((symbol, at) => {
    const token = chain.token({ symbol, name: `${symbol} Coin`, decimals: [18, 9, 6, 8, 0][at]! })
    const pair = chain.pool(token, weth, [1_000_000, 10 * 2 ** at])
    chain.supply(token, { total: 10_000_000 / (at + 1), locked: 1_000, burnt: 500, holders: at })
    return { token, pair }
  })
  const second = chain.pool(traded[0]!.token, usdc, [1_000, 4_000])
  chain.mine()
  for (const [at, { pair }] of traded.entries()) {
    chain.trade(pair, weth, 1 / (at + 1), `0xa11${'0'.repeat(36)}1`)
    chain.trade(pair, weth, 0.1 / (at + 1), `0xa11${'0'.repeat(36)}2`)
  }
  chain.mine()
  const launched = fillLaunches(chain, weth)
  return { weth, usdc, wethUsdc, traded, second, launched }
}

function fillLaunches(chain: ServedChain, weth: ReturnType<ServedChain['token']>) {
  const [onCurve, almost, out] = ['CURVE', 'ALMOST', 'OUT'].map((symbol) => {
    const token = chain.token({ symbol, name: `${symbol} Launch` })
    const pair = chain.pool(token, weth, [1_000_000, 5], { kind: 'curve' })
    chain.launch(token, pair)
    chain.trade(pair, weth, 0.5)
    return { token, pair }
  }) as [Launched, Launched, Launched]
  chain.mine()
  chain.fill(onCurve.pair, 100_000)
  chain.fill(almost.pair, 850_000)
  const pool = chain.pool(out.token, weth, [500_000, 8])
  chain.graduate(out.token, out.pair, pool)
  chain.mine()
  return { onCurve, almost, out: { ...out, pool } }
}

type Launched = {
  token: ReturnType<ServedChain['token']>
  pair: ReturnType<ServedChain['pool']>
}
