// Every parser of client input must take time proportional to the input's length, for any
// characters. Cookies are never read.
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { base58Ids, evmIds, intervalOf, parseId } from '@chaintape/protocol'
import { afterAll, test } from 'vitest'
import { gatewayDefaults } from '../../../../test/support/gatewayDefaults.ts'
import { expectLinear, repeated } from '../../../../test/support/linearTime.ts'
import { createMemoryKeyStore, testPlans } from '../../../../test/support/memoryKeyStore.ts'
import { createMemoryKeys, unlimitedHolder, validKey } from '../../../../test/support/memoryKeys.ts'
import { runAllSteps } from '../../../../test/support/runAllSteps.ts'
import { createServedMarket, fillMarket, servedKey } from '../../../../test/support/servedMarket.ts'
import { highAddressLimits } from '../../../../test/support/unlimitedClients.ts'
import { createLogger } from '../lib/logger.ts'
import { createMetrics } from '../lib/metrics.ts'
import { createClientAddresses } from './clients/clientAddress.ts'
import type { Feed } from './feed/feed.ts'
import { parseParams } from './feed/params/parseParams.ts'
import { topicVariants } from './feed/topics.ts'
import { createGateway } from './gateway.ts'
import { RequestError } from './ground/errors.ts'
import { createAdminAuth } from './http/admin/addAdminRoutes.ts'
import { parseAdminKeyId, readTextMember } from './http/admin/adminInputs.ts'
import { acceptedEncoding, hasMatchingEtag } from './http/answer/encoding.ts'
import { parseJsonRpc } from './http/jsonRpc.ts'
import { isWebSocketUpgrade, parseQuery } from './http/request.ts'
import { createRouter } from './http/router.ts'
import { createKeyAccess, fixedKeyLimits } from './keys/createKeyAccess.ts'
import { operations } from './rest/operations.ts'
import { apiKeyOfUpgrade, isWebSocketPath } from './ws/upgrade.ts'

const market = createServedMarket()
fillMarket(market.chain)
const { serving } = market
const keys = createKeyAccess({
  store: createMemoryKeyStore(),
  plans: testPlans,
  clock: { nowMs: () => 0 },
  logger: createLogger('silent'),
  metrics: createMetrics(),
  limits: { ...fixedKeyLimits, lookupMsMax: 1_000 },
})
afterAll(() => keys.close())

type Parser = readonly [name: string, parse: (text: string) => unknown]

const requestWith = (headers: Record<string, string>, url = '/') =>
  ({ headers, url, socket: { remoteAddress: '10.0.0.1' } }) as unknown as IncomingMessage
const router = createRouter()
for (const { method, path } of operations) router.add(method, path, () => undefined)
const { ofRequest } = createClientAddresses(['0.0.0.0/0', '::/0'])
const isAdmin = createAdminAuth('secret')

const headerParsers: readonly Parser[] = [
  ['If-None-Match', (text) => hasMatchingEtag(requestWith({ 'if-none-match': text }), '"tag"')],
  ['Accept-Encoding', acceptedEncoding],
  ['X-API-KEY', (text) => keys.identify(text)],
  ['X-ADMIN-KEY', (text) => isAdmin(requestWith({ 'x-admin-key': text }))],
  ['X-Forwarded-For', (text) => ofRequest(requestWith({ 'x-forwarded-for': text }))],
  ['Forwarded', (text) => ofRequest(requestWith({ forwarded: text }))],
  ['Forwarded: for', (text) => ofRequest(requestWith({ forwarded: `for="${text}"` }))],
  ['Upgrade', (text) => isWebSocketUpgrade(requestWith({ upgrade: text }))],
]

const targetParsers: readonly Parser[] = [
  ['path', (text) => router.find(`/${text}`)],
  ['path with an id', (text) => router.find(`/v2/tokens/${text}`)],
  ['whole address', (text) => router.find(`http://${text}`)],
  ['query', (text) => parseQuery(`/?${text}`)],
  ['query value', (text) => parseQuery(`/?a=${text}`)],
  ['path of a WebSocket', isWebSocketPath],
  ['query of a WebSocket', (text) => apiKeyOfUpgrade(requestWith({}, `/?${text}`))],
  ['key of a WebSocket', (text) => apiKeyOfUpgrade(requestWith({}, `/?api_key=${text}`))],
  ['id', parseId],
  ['interval', intervalOf],
  ...Object.entries({ evmIds, base58Ids }).flatMap(([family, { token, pair, transaction }]) =>
    Object.entries({ token, pair, transaction }).map(
      ([what, parse]): Parser => [`${what} of ${family}`, parse],
    ),
  ),
]

const bodyParsers: readonly Parser[] = [
  ['admin id', parseAdminKeyId],
  ['admin text', (text) => readTextMember({ name: text }, 'name', null)],
  ...operations.flatMap(({ id, body }): Parser[] => {
    if (body === undefined) return []
    const bodyOf = (text: string) => withTexts(body.example, text)
    const parseBytes = body.createBytesParser?.()
    return [
      [`body of ${id}`, (text) => body.parse(bodyOf(text), serving)],
      [`bytes of ${id}`, (text) => parseBytes?.(Buffer.from(JSON.stringify(bodyOf(text))))],
    ]
  }),
]

/** Returns the value with every string in it replaced by `text`. */
function withTexts(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withTexts(item, text))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withTexts(item, text)]),
  )
}

const subscribe = (...params: unknown[]) =>
  runAllSteps(parseParams(params, { ...serving, itemsMax: 1_000, walletsMax: 100 }))

const socketParsers: readonly Parser[] = [
  ['message', (text) => parseJsonRpc(text, 100)],
  ['call', (text) => parseJsonRpc(JSON.stringify({ jsonrpc: '2.0', id: text, method: text }), 100)],
  ['topic', (text) => subscribe(text)],
  ['since', (text) => subscribe('tx', 'a', 'local', { since: text })],
  ['option', (text) => subscribe('tx', 'a', 'local', { [text]: text })],
  ...[...topicVariants.keys()].flatMap((word): Parser[] => [
    [`${word} with a text`, (text) => subscribe(word, text)],
    [`${word} with an address`, (text) => subscribe(word, text, 'local')],
    [`${word} with an interval`, (text) => subscribe(word, 'a', text, 'local')],
    [`${word} with a list`, (text) => subscribe(word, [text, text, text])],
    [`${word} with a filter`, (text) => subscribe(word, { chain: 'local', [text]: text })],
  ]),
]

/** One input per shared parser. */
const inputParsers: readonly Parser[] = [
  ...new Map(
    operations.flatMap(({ id, inputs }) =>
      Object.values(inputs).map(({ name, parse, correct }): [string, Parser] => [
        `${parse} ${correct}`,
        [
          `${name} of ${id}`,
          (text) => {
            correct?.(text)
            return parse(text, serving)
          },
        ],
      ]),
    ),
  ).values(),
]

const parsers = [
  ...headerParsers,
  ...targetParsers,
  ...inputParsers,
  ...bodyParsers,
  ...socketParsers,
]

// Pairs of characters that some parser searches for, and other characters singly.
const chars = [...' \t,;:="[]{}./-_+%&\\a0']
const others = [..."\n'`()<>*?#@~|!^$19efkwWzé"]
const pairs = chars.flatMap((first) => chars.map((second) => first + second))
const units = [...chars, ...others, ...pairs.filter(([first, second]) => first !== second)]
const sizes = [8_192, 16_384, 65_536]

/** Request errors are valid results. Anything else that a parser throws is a bug. */
function parsed(parse: Parser[1], text: string): unknown {
  try {
    const found = parse(text)
    if (found instanceof Promise) found.catch(() => undefined)
    return null
  } catch (error) {
    if (error instanceof RequestError) return null
    throw error
  }
}

test('behavior: no text makes a parser slow', { timeout: 120_000 }, async () => {
  for (const unit of units) {
    const texts = new Map(sizes.map((size) => [size, `a${repeated(unit, size)}!`]))
    for (const [name, parse] of parsers)
      await expectLinear(`${name} of ${JSON.stringify(unit)}`, sizes, (size) =>
        parsed(parse, texts.get(size)!),
      )
  }
})

const gateway = createGateway({
  ...gatewayDefaults,
  version: '0',
  feed: { tick: () => undefined } as Partial<Feed> as Feed,
  chains: serving.chains,
  store: serving.store,
  clock: serving.clock,
  keys: createMemoryKeys(new Map([[servedKey, unlimitedHolder(validKey)]])),
  metrics: createMetrics(),
  logger: createLogger('silent'),
  addressLimits: highAddressLimits,
  trustedProxies: ['127.0.0.1'],
  admin: { adminKey: 'secret', keys: {} as never, plans: testPlans },
})
afterAll(() => gateway.close())

/** Sends raw bytes and disconnects at the first byte of the answer. */
function askRaw(port: number, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.once('data', () => socket.destroy())
    socket.once('error', reject).once('close', () => resolve())
  })
}

type Asking = readonly [name: string, requestOf: (text: string) => string]

const headerNames = [
  ...['If-None-Match', 'Accept-Encoding', 'X-API-KEY', 'X-ADMIN-KEY', 'Authorization', 'Origin'],
  ...['X-Forwarded-For', 'Forwarded', 'Sec-Fetch-Site', 'Content-Type', 'Cookie', 'Connection'],
  ...['Upgrade', 'Expect', 'Content-Length'],
]
const paths = ['/', '/openapi.json', '/metrics', '/admin/keys', '/v2/tokens/main?chain=local']
const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
const headOf = (path: string, ...lines: readonly string[]) =>
  [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')

const askings: readonly Asking[] = [
  ...paths.flatMap((path) =>
    headerNames.map(
      (name): Asking => [
        `${name} on ${path}`,
        (text) => headOf(path, 'Host: a', `X-API-KEY: ${servedKey}`, `${name}: a${text}a`),
      ],
    ),
  ),
  ['Host', (text) => headOf('/', `Host: a${text}a`)],
  ['target', (text) => headOf(`/${text}`, 'Host: a')],
  ['query', (text) => headOf(`/v2/tokens?keyword=${text}`, 'Host: a', `X-API-KEY: ${servedKey}`)],
  ['api_key of a WebSocket', (text) => headOf(`/ws?api_key=${text}`, 'Host: a', ...upgrade)],
  ...['Key', 'Protocol', 'Extensions'].map(
    (name): Asking => [
      `Sec-WebSocket-${name}`,
      (text) => headOf('/ws', 'Host: a', ...upgrade, `Sec-WebSocket-${name}: a${text}a`),
    ],
  ),
]

// Node accepts 16 KB of headers.
const headSizes = [7_500, 15_000]
const headUnits = [' ', '\t', ',', ';', '=', '"', 'a', ', ', ' ;', '="', 'a,', '%20']

test('behavior: no request head makes the server slow', { timeout: 120_000 }, async () => {
  const port = Number(new URL(await gateway.listen()).port)
  // Warm-up: the first request of a path builds its answer.
  for (const path of paths) await askRaw(port, headOf(path, 'Host: a'))
  for (const unit of headUnits) {
    const texts = new Map(headSizes.map((size) => [size, repeated(unit, size)]))
    for (const [name, requestOf] of askings)
      await expectLinear(`${name} of ${JSON.stringify(unit)}`, headSizes, (size) =>
        askRaw(port, requestOf(texts.get(size)!)),
      )
  }
})
