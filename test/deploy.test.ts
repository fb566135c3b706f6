// Files in deploy/ refer to metrics, settings and one another: every reference must exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../packages/server/src/config/load.ts'
import { addProcessMetrics, createMetrics } from '../packages/server/src/lib/metrics.ts'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'deploy')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

type Rule = { alert: string; expr: string; annotations: { runbook: string } }
type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] }

const rules: Rule[] = parse(read('prometheus/alerts.yml')).groups.flatMap(
  ({ rules: some }: { rules: Rule[] }) => some,
)
const dashboard: Dashboard = JSON.parse(read('grafana/dashboard.json'))
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, expr] as const),
  ),
]

const all = createMetrics()
addProcessMetrics(all)
const metrics = await all.registry.getMetricsAsJSON()
const seriesNames = new Set(
  metrics.flatMap(({ name, type }) =>
    `${type}` === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
)

type Compose = {
  services: Record<
    string,
    {
      environment?: Record<string, string>
      networks?: { default: { ipv4_address: string } }
    }
  >
  networks: { default: { ipam: { config: [{ gateway: string }] } } }
  configs?: { balancer: { content: string } }
}

test.each(expressions)('behavior: "%s" reads series that exist', (_, expr) => {
  const named = expr.match(/\b(chaintape|nodejs|process)_\w+/g) ?? []
  if (!expr.includes('up{')) expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !seriesNames.has(name))).toEqual([])
})

test('behavior: alerts and runbook entries correspond one to one', () => {
  const headings = [...read('README.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
  expect(headings).toEqual(rules.map(({ alert }) => alert))
  for (const { alert, annotations } of rules)
    expect(annotations.runbook).toBe(`deploy/README.md#${alert.toLowerCase()}`)
})

/** Names of our environment variables with their values. */
function variablesOf(text: string): [string, string][] {
  const written = text.matchAll(/(CHAINTAPE_\w+)(?:, value: |: |=)'?([^\s'}\\]+)/g)
  return [...written].map(([, name, value]) => [name!, value!.replace(/\$\{[^}]*\}?/g, 'x')])
}

test.each(['compose.yaml', 'compose.cluster.yaml', 'Dockerfile', 'chaintape.service'])(
  'behavior: the settings in %s are known',
  (name) => {
    const variables = variablesOf(read(name)).filter(([, value]) => !value.startsWith('...'))
    expect(variables.length).toBeGreaterThan(0)
    const env = Object.fromEntries(variables)
    const { warnings } = loadConfig({ env, file: join(folder, 'chaintape.json') })
    expect(warnings.filter(({ path }) => path.startsWith('CHAINTAPE_'))).toEqual([])
  },
)

test('behavior: every path that compose mounts or builds exists', () => {
  const { services, volumes } = parse(read('compose.yaml'))
  expect(existsSync(join(folder, services.chaintape.build.context, 'deploy/Dockerfile'))).toBe(true)
  const mounts: string[] = Object.values<{ volumes?: string[] }>(services).flatMap(
    (service) => service.volumes ?? [],
  )
  expect(mounts.length).toBeGreaterThan(4)
  for (const [from] of mounts.map((mount) => mount.split(':')))
    if (from!.startsWith('.')) expect(existsSync(join(folder, from!)), from!).toBe(true)
    else expect(Object.keys(volumes)).toContain(from)
})

test('behavior: compose trusts the proxy address from which clients reach the service', () => {
  const gatewayOf = ({ networks }: Compose) => networks.default.ipam.config[0].gateway
  const single: Compose = parse(read('compose.yaml'))
  const { environment } = single.services.chaintape!
  expect(JSON.parse(environment!.CHAINTAPE_SERVER_TRUSTED_PROXIES!)).toEqual([gatewayOf(single)])
  const cluster: Compose = parse(read('compose.cluster.yaml'), { merge: true })
  const { nginx, 'gateway-1': gateway } = cluster.services
  expect(JSON.parse(gateway!.environment!.CHAINTAPE_SERVER_TRUSTED_PROXIES!)).toEqual([
    nginx!.networks!.default.ipv4_address,
  ])
  expect(cluster.configs!.balancer.content).toContain(`set_real_ip_from ${gatewayOf(cluster)};`)
})

test('behavior: every provisioning file is well-formed', () => {
  for (const kind of ['datasources', 'dashboards'])
    for (const name of readdirSync(join(folder, 'grafana/provisioning', kind)))
      expect(parse(read(`grafana/provisioning/${kind}/${name}`)).apiVersion).toBe(1)
})

test('behavior: chart, image and package.json name the same version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const chart = parse(read('helm/chaintape/Chart.yaml'))
  expect([chart.version, chart.appVersion]).toEqual([version, version])
  expect(read('Dockerfile')).toContain(`org.opencontainers.image.version="${version}"`)
})

test('behavior: the image and the unit start an existing program', () => {
  for (const name of ['Dockerfile', 'chaintape.service']) {
    const [program] = /packages\/server\/bin\/[\w.]+/.exec(read(name)) ?? []
    expect(existsSync(join(root, program!)), name).toBe(true)
  }
})

/**
 * Whether the image's build context contains a path. As in Docker, the last pattern in
 * .dockerignore that matches the path or a parent folder decides.
 */
function isInContext(path: string): boolean {
  let isIn = true
  for (const line of readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const pattern = line.replace(/^!/, '')
    const expression = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
    if (new RegExp(`^${expression}(/|$)`).test(path)) isIn = line.startsWith('!')
  }
  return isIn
}

test.each([
  ...['.env', '.env.production', 'deploy/.env', 'packages/server/.env', 'packages/server/src/.env'],
  ...[
    'deploy/chaintape.json',
    'chaintape.json',
    'chaintape.yaml',
    'packages/server/chaintape.json',
  ],
  ...['market.backup', 'backup.zst', 'dump.sql', 'packages/server/market.backup'],
  ...['.chaintape/terminal.url', 'mine/postgres/PG_VERSION', 'id_ed25519', '.git/config'],
  ...['packages/server/node_modules/a.js', 'node_modules/a.js', 'packages/server/dist/main.js'],
])('behavior: %s stays out of the image', (path) => {
  expect(isInContext(path)).toBe(false)
})

const isBuilt = (name: string) => ['LICENSE', 'dist', 'tsconfig.tsbuildinfo'].includes(name)

test('behavior: the image’s build context has every source of the packages, and nothing else', () => {
  expect(readdirSync(root).filter(isInContext).toSorted()).toEqual([
    ...['.npmrc', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md'],
    ...['LICENSE', 'README.md', 'SECURITY.md', 'build.js', 'docs', 'notices.js'],
    ...['package-lock.json', 'package.json', 'packages', 'tsconfig.base.json'],
  ])
  const parts = readdirSync(join(root, 'packages')).flatMap((name) =>
    readdirSync(join(root, 'packages', name)).map((part) => `packages/${name}/${part}`),
  )
  const left = parts.filter((part) => !isInContext(part)).map((part) => part.split('/').at(-1))
  // Contract sources are needed as compiled artifacts only.
  expect(left.filter((name) => !isBuilt(name!) && name !== 'README.md').toSorted()).toEqual([
    'contracts',
    'scripts',
    'scripts',
  ])
})

test('behavior: the image copies runtime files by name', () => {
  const [, image] = read('Dockerfile')
    .split(/^FROM .*$/m)
    .slice(1)
  const copied = [...image!.matchAll(/^COPY (.*) \S+$/gm)].map(([, from]) => from)
  const parts = ['protocol', 'client', 'mcp', 'server'].flatMap((name) => [
    ...[`packages/${name}/package.json`, `packages/${name}/dist`],
  ])
  const runs = [
    'LICENSE',
    'NOTICE',
    'node_modules',
    ...parts,
    'packages/mcp/bin',
    'packages/server/bin',
    'packages/server/static',
  ]
  expect(copied.toSorted()).toEqual(runs.map((path) => `--from=build /app/${path}`).toSorted())
})
