// Clients behind a real nginx with the configurations of deploy/: each client has its own limits,
// and headers sent by clients are not trusted.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { StoreReads } from '../../../packages/server/src/gateway/chain/storeReads.ts'
import type { Feed } from '../../../packages/server/src/gateway/feed/feed.ts'
import { createGateway, type Gateway } from '../../../packages/server/src/gateway/gateway.ts'
import { createMetrics } from '../../../packages/server/src/lib/metrics.ts'
import { gatewayDefaults } from '../../support/gatewayDefaults.ts'
import { createMemoryKeys } from '../../support/memoryKeys.ts'
import { silentLogger } from '../../support/postgres.ts'
import { highAddressLimits } from '../../support/unlimitedClients.ts'
import { until } from '../../support/until.ts'

const read = (name: string) =>
  readFile(resolve(import.meta.dirname, '../../../deploy', name), 'utf8')

const proxyAddress = '127.0.0.1'
// An idle client may burst five times as many requests.
const anonymousRequestsPerS = 1
const requestsMax = 5

let nginx: string
let folder: string
let gateway: Gateway
let service: string
const running: ChildProcess[] = []

beforeAll(() => {
  const script = resolve(import.meta.dirname, '../../installNginx.sh')
  const { status, stdout, stderr } = spawnSync('bash', [script], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr.trim())
  nginx = stdout.trim().split('\n').at(-1)!
})

/** The service's clock is frozen, so that used-up limits do not recover. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chaintape-nginx-'))
  gateway = createGateway({
    ...gatewayDefaults,
    version: '0',
    feed: { tick: () => undefined } as Partial<Feed> as Feed,
    chains: new Map(),
    keys: createMemoryKeys(new Map()),
    store: {} as StoreReads,
    metrics: createMetrics(),
    logger: silentLogger,
    clock: { nowMs: () => 1_000 },
    addressLimits: { ...highAddressLimits, anonymousRequestsPerS },
    trustedProxies: [proxyAddress],
  })
  service = new URL(await gateway.listen()).host
})

afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    await ended
  }
  await gateway.close()
  await rm(folder, { recursive: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, proxyAddress)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Runs nginx with a configuration of deploy/; resolves with its port. */
async function startNginx(configOf: (port: number) => string): Promise<number> {
  const port = await freePort()
  const prefix = join(folder, `${port}`)
  await mkdir(prefix)
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(prefix, name)};`,
  )
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const http = [...places, 'access_log off;', configOf(port)].join('\n')
  const file = join(prefix, 'nginx.conf')
  await writeFile(file, `${user} daemon off; pid nginx.pid; events {}\nhttp {\n${http}\n}\n`)
  const child = spawn(nginx, ['-p', prefix, '-c', file, '-e', 'stderr'], { stdio: 'pipe' })
  running.push(child)
  let complaints = ''
  child.stderr.on('data', (text) => {
    complaints += text
  })
  await until('nginx answers', async () => {
    if (child.exitCode !== null) throw new Error(complaints)
    return await statusFrom(proxyAddress, port, '/metrics').then(
      () => true,
      () => false,
    )
  })
  return port
}

/** deploy/nginx.conf without its TLS. */
async function withTls(upstream: string): Promise<number> {
  const text = await read('nginx.conf')
  return await startNginx((port) =>
    text
      .replace('server 127.0.0.1:8080;', `server ${upstream};`)
      .replace('listen 443 ssl;', `listen ${proxyAddress}:${port};`)
      .replace(/^ *(listen \[::\]|http2|ssl_|access_log).*$/gm, ''),
  )
}

/**
 * The balancer of deploy/compose.cluster.yaml; `networkGateway`: gateway address of its Docker
 * network.
 */
async function balancer(networkGateway: string): Promise<number> {
  const { configs } = parse(await read('compose.cluster.yaml'), { merge: true })
  const text: string = configs.balancer.content
  return await startNginx((port) =>
    text
      .replaceAll('$$', '$')
      .replaceAll(/gateway-\d:8080/g, service)
      .replace('listen 8080;', `listen ${proxyAddress}:${port};`)
      .replace(/set_real_ip_from .*;/, `set_real_ip_from ${networkGateway};`),
  )
}

async function statusFrom(
  localAddress: string,
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const asking = request({ host: proxyAddress, port, localAddress, path, headers, agent: false })
  const [answer] = await once(asking.end(), 'response')
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode
}

test.each<[string, () => Promise<number>]>([
  ['nginx.conf', () => withTls(service)],
  ['the balancer of compose.cluster.yaml', () => balancer('192.0.2.1')],
  [
    'nginx.conf before that balancer',
    async () => await withTls(`${proxyAddress}:${await balancer(proxyAddress)}`),
  ],
])(
  'behavior: each client behind %s has its own limits, whatever headers it sends',
  async (_name, start) => {
    const port = await start()
    const ask = (client: string, headers?: Record<string, string>) =>
      statusFrom(client, port, '/health/live', headers)
    for (let count = 0; count < requestsMax; count += 1) expect(await ask('127.0.0.2')).toBe(200)
    expect(await ask('127.0.0.2')).toBe(429)
    expect(await ask('127.0.0.3')).toBe(200)
    for (const forged of [
      { 'x-forwarded-for': '9.9.9.9' },
      { 'x-forwarded-for': `9.9.9.9, ${proxyAddress}` },
      { forwarded: 'for=9.9.9.9' },
      { 'x-real-ip': '9.9.9.9', 'true-client-ip': '9.9.9.9' },
    ])
      expect([forged, await ask('127.0.0.2', forged)]).toEqual([forged, 429])
  },
)
