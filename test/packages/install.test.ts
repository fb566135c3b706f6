// Every package as npm publishes it: what it contains, and what an install from tarballs can do.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  installTarballs,
  type PackedPackage,
  packAll,
  publishedPackages,
} from '../support/packages.ts'
import { createDataDir } from '../support/postgres.ts'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

let folder: string
let app: string
let printed: string
let packed: readonly PackedPackage[]

beforeAll(async () => {
  folder = await createDataDir()
  app = join(folder, 'app')
  packed = await packAll(folder)
  // Without the demo chain's EVM and PostgreSQL, which are optional: test/packages/slow has them.
  printed = await installTarballs(app, packed, ['--omit=optional'])
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const readManifest = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'))

test('default: the programs run from an install', async () => {
  const { version } = await readManifest('packages/server/package.json')
  const bin = (name: string, ...args: string[]) =>
    run(process.execPath, [join(app, 'node_modules/.bin', name), ...args])
  expect((await bin('chaintape', '--version')).stdout).toBe(`${version}\n`)
  expect((await bin('chaintape', 'chains', '--json')).stdout).toContain('"solana"')
  expect((await bin('chaintape-mcp', '--help')).stdout).toContain('chaintape-mcp')
})

test('behavior: the install prints no warning', () => {
  // The environment of this test run may have settings that npm warns about.
  const warnings = printed.split('\n').filter((line) => /^npm warn (?!Unknown)/.test(line))
  expect(warnings).toEqual([])
})

test('behavior: tarballs have what runs, its types where they can be imported, and no more', () => {
  expect(packed.map(({ folder }) => folder).sort()).toEqual([...publishedPackages].sort())
  for (const { folder: name, files } of packed) {
    const source = (path: string) => path.replace(/^dist\/(.*?)(\.d)?\.[jt]s$/, 'src/$1.ts')
    const stale = files
      .filter((path) => path.startsWith('dist/'))
      .filter((path) => !existsSync(join(root, 'packages', name, source(path))))
    expect([name, stale]).toEqual([name, []])
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']))
    const declarations = files.filter((path) => path.endsWith('.d.ts'))
    const isLibrary = ['protocol', 'client', 'mcp'].includes(name)
    expect([name, declarations.length > 0]).toEqual([name, isLibrary])
  }
  const server = packed.find(({ name }) => name === 'chaintape')!
  expect(server.files).toEqual(
    expect.arrayContaining(['bin/chaintape.js', 'static/terminal/index.html']),
  )
})

test.each(publishedPackages)('behavior: publint has nothing to say of %s', async (name) => {
  const { tarball } = packed.find(({ folder }) => folder === name)!
  const bytes = await readFile(tarball)
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(bytes).buffer },
    strict: true,
  })
  expect(messages.map((message) => formatMessage(message, pkg!))).toEqual([])
})

test.each(publishedPackages)('behavior: the manifest of %s is complete', async (name) => {
  const manifest = await readManifest(`packages/${name}/package.json`)
  const { version, engines } = await readManifest('package.json')
  const repository = 'https://github.com/chaintape/chaintape'
  expect(manifest).toMatchObject({
    version,
    license: 'Apache-2.0',
    engines,
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: `packages/${name}` },
    publishConfig: { access: 'public', provenance: true },
  })
  expect(manifest.keywords.length).toBeGreaterThan(3)
  expect(manifest.private).toBeUndefined()
  // npm runs these for users.
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(manifest.scripts?.[script]).toBeUndefined()
  const ours = { ...manifest.dependencies, ...manifest.optionalDependencies }
  for (const [dependency, range] of Object.entries(ours))
    if (dependency.startsWith('@chaintape/'))
      expect([dependency, range]).toEqual([dependency, version])
})

const useClient = `
import { createRest, createTape } from '@chaintape/client'
import { drawKlines } from '@chaintape/client/lightweight-charts'
import { createDatafeed } from '@chaintape/client/tradingview'
import { intervals, type SwapTx } from '@chaintape/protocol'
import { answerRows } from '@chaintape/protocol/descriptions'

export const tape = createTape({ url: 'http://127.0.0.1:8080', key: 'ct_' })
export const amount = async (id: string): Promise<string> => {
  for await (const swap of tape.swaps(id)) return swap.amount_usd
  return ''
}
export const sides = (swap: SwapTx): string => swap.direction
export const rest: ReturnType<typeof createRest> = tape.rest
export const all = [drawKlines, createDatafeed, intervals, answerRows]
// @ts-expect-error: types resolve, so a wrong one is an error
export const wrong: number = tape.rest
`

const useMcp = `
import { serveMcpStdio } from '@chaintape/mcp'

export const serve = (): Promise<void> =>
  serveMcpStdio({ version: '1', apiKey: 'ct_', url: 'http://127.0.0.1:8080' })
// @ts-expect-error: types resolve, so a wrong one is an error
export const wrong: number = serveMcpStdio
`

const ways = [
  { module: 'NodeNext', moduleResolution: 'NodeNext' },
  { module: 'ESNext', moduleResolution: 'Bundler' },
]

test.each([
  // The client runs in browsers, so its types need none of Node.js.
  ...ways.map((way) => ({ ...way, what: 'client', source: useClient, types: [] })),
  ...ways.map((way) => ({ ...way, what: 'mcp', source: useMcp, types: ['node'] })),
])('behavior: types of $what resolve with $moduleResolution', async ({ what, source, ...way }) => {
  const project = join(app, `${what}-${way.moduleResolution}`)
  await mkdir(project)
  await writeFile(join(project, 'use.mts'), source)
  const compilerOptions = {
    ...way,
    strict: true,
    noEmit: true,
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch((error) => error)
  expect(stdout).toBe('')
})
