// The Helm chart, rendered by the template engine of Helm and checked against the types and schemas
// of Kubernetes.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'
import { loadConfig } from '../../packages/server/src/config/load.ts'

const schemas = 'kubernetes-models@5.1.0'
const compiler = resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc')

// biome-ignore lint/suspicious/noExplicitAny: manifests have many shapes; the schemas check them
type Fields = Record<string, any>
type Manifest = { apiVersion: string; kind: string; metadata: { name: string } } & Fields

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chaintape-chart-'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', schemas], {
    cwd: folder,
  })
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function render(values: object) {
  const file = join(folder, 'values.yaml')
  writeFileSync(file, stringify(values))
  const { stdout, stderr, status } = spawnSync(
    join(import.meta.dirname, 'renderChart.sh'),
    [file],
    {
      encoding: 'utf8',
    },
  )
  const manifests = parseAllDocuments(stdout).flatMap((document) => {
    expect(document.errors).toEqual([])
    return (document.toJSON() as Manifest | null) ?? []
  })
  return { manifests, stderr, status }
}

/** The package has a module of each version of the API, `v1` or `apps/v1`; its types are strict. */
function source({ apiVersion, kind, ...rest }: Manifest, index: number): string {
  return `import { ${kind} as Kind${index} } from 'kubernetes-models/${apiVersion}'
new Kind${index}(${JSON.stringify(rest)}).validate()
`
}

/** Faults found by the compiler (unknown fields), else by the schemas (wrong values). */
function faultsOf(manifests: readonly Manifest[]): string {
  const file = join(folder, 'manifests.mts')
  writeFileSync(file, manifests.map(source).join(''))
  const compiled = spawnSync(
    process.execPath,
    [compiler, '--module', 'nodenext', '--skipLibCheck', '--strict', file],
    { cwd: folder, encoding: 'utf8' },
  )
  if (compiled.status !== 0) return compiled.stdout
  return spawnSync(process.execPath, [join(folder, 'manifests.mjs')], { encoding: 'utf8' }).stderr
}

const database = { url: 'postgres://chaintape:secret@postgres:5432/chaintape' }
const everything = {
  database: { existingSecret: 'database' },
  cluster: true,
  nats: { urls: ['nats://nats:4222'], user: 'chaintape', existingSecret: 'nats' },
  ingress: { enabled: true },
  imagePullSecrets: [{ name: 'registry' }],
  extraEnv: [{ name: 'CHAINTAPE_LOG_LEVEL', value: 'info' }],
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'market', operator: 'Exists' }],
  affinity: { podAntiAffinity: {} },
}
const kindsOf = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind).toSorted()

test('behavior: one process is a StatefulSet with a disk', () => {
  const { manifests } = render({ database })
  expect(kindsOf(manifests)).toEqual(['NetworkPolicy', 'Secret', 'Service', 'StatefulSet'])
  expect(faultsOf(manifests)).toBe('')
})

test('behavior: a cluster has indexers, and gateways that scale and survive drained nodes', () => {
  const { manifests } = render(everything)
  expect(kindsOf(manifests)).toEqual([
    ...['Deployment', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'NetworkPolicy'],
    ...['PodDisruptionBudget', 'PodDisruptionBudget', 'Secret', 'Service'],
  ])
  expect(faultsOf(manifests)).toBe('')
  const secret = manifests.find(({ kind }) => kind === 'Secret')!
  expect(Object.keys(secret.stringData)).toEqual(['chaintape.json'])
})

test('behavior: clients reach gateways only, and an indexer on standby does not block a rollout', () => {
  const { manifests } = render(everything)
  const service = manifests.find(({ kind }) => kind === 'Service')!
  const pods = manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => ({
      role: spec.template.spec.containers[0].env[0].value,
      isServed: Object.entries(service.spec.selector).every(
        ([name, value]) => spec.template.metadata.labels[name] === value,
      ),
      ready: spec.template.spec.containers[0].readinessProbe.httpGet.path,
    }))
  expect(pods).toEqual([
    { role: 'indexer', isServed: false, ready: '/health/live' },
    { role: 'gateway', isServed: true, ready: '/health/ready' },
  ])
})

test('behavior: the program knows every variable and every field of the default configuration', () => {
  for (const values of [{ database }, everything]) {
    const { manifests } = render(values)
    const secret = manifests.find(({ kind }) => kind === 'Secret')!
    const config = join(folder, 'chaintape.json')
    writeFileSync(config, secret.stringData['chaintape.json'])
    for (const { spec } of manifests.filter(({ spec }) => spec?.template !== undefined)) {
      const variables: { name: string; value?: string }[] = spec.template.spec.containers[0].env
      expect(variables.length).toBeGreaterThan(4)
      const env = Object.fromEntries(
        variables.map(({ name, value }) => [name, value ?? 'postgres://x@y/z']),
      )
      expect(loadConfig({ env, file: config }).warnings).toEqual([])
    }
  }
})

test('error: a chart without a database says which value is missing', () => {
  const { status, stderr } = render({})
  expect(status).not.toBe(0)
  expect(stderr).toContain('database.url or database.existingSecret is required')
})

test('error: a misspelled field and a wrong type are found', () => {
  const [manifest] = render({ database }).manifests.filter(({ kind }) => kind === 'StatefulSet')
  const planted = (change: object) =>
    faultsOf([{ ...manifest!, spec: { ...manifest!.spec, ...change } }])
  expect(planted({ replica: 1 })).toContain(`'"replica"' does not exist`)
  expect(planted({ replicas: 'one' })).toContain("'string' is not assignable to type 'number'")
  expect(planted({ serviceName: 'market', replicas: 1.5 })).toContain('replicas')
})
