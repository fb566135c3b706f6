// An installation as on a production machine: without optional packages, and so without the local
// chain.
import { execFile } from 'node:child_process'
import { access, cp, mkdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDevNode } from '../support/devNode.ts'
import { createDataDir, urlOf } from '../support/postgres.ts'
import { type ReadyLine, runProgram, testApiKey, writeChainConfig } from '../support/program.ts'
import { startTestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

const repository = resolve(import.meta.dirname, '../..')
// Files created by npm and git, and files that an installation does not read.
const notCopied = ['node_modules', '.git', 'dist', 'test', 'bench', 'docs', '.chaintape']

let tree: string

beforeAll(async () => {
  tree = await createDataDir()
  const filter = (path: string) =>
    !notCopied.includes(path.split('/').at(-1)!) && !path.endsWith('.tsbuildinfo')
  await cp(repository, tree, { recursive: true, filter })
  const install = ['ci', '--omit=optional', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', install, { cwd: tree, maxBuffer: 2 ** 26 })
})
afterAll(() => rm(tree, { recursive: true, force: true }))

const readJson = async (path: string) => JSON.parse(await readFile(join(tree, path), 'utf8'))

const isThere = (path: string) =>
  access(join(tree, path)).then(
    () => true,
    () => false,
  )

test('default: the local chain and its dependencies are not installed', async () => {
  const { optionalDependencies } = await readJson('packages/devnet/package.json')
  const names = Object.keys(optionalDependencies)
  expect(names).toContain('@nomicfoundation/edr-linux-x64-gnu')
  for (const name of [...names, 'mocha'])
    expect([name, await isThere(`node_modules/${name}`)]).toEqual([name, false])
  expect(await isThere('packages/devnet/dist')).toBe(false)
  const program = runProgram(['--version'], {}, tree)
  expect(await program.ended).toBe(0)
  expect(program.stdout().trim()).toBe((await readJson('packages/server/package.json')).version)
})

test('error: a start without chains names the missing package and how to install it', async () => {
  const program = runProgram(['start', '--data-dir', join(tree, 'data')], {}, tree)
  expect(await program.ended).toBe(1)
  expect(program.stdout()).toBe('')
  for (const text of [
    'DEVNET_MISSING',
    '@nomicfoundation/edr',
    'npm ci, without --omit=optional',
    '--config FILE',
  ])
    expect(program.stderr()).toContain(text)
  // The failed start created nothing.
  expect(await isThere('data')).toBe(false)
})

test('behavior: with chains and its own database it serves', async () => {
  const dataDir = join(tree, 'served')
  await mkdir(dataDir)
  const [node, postgres] = await Promise.all([startDevNode(), startTestPostgres()])
  const database_url = urlOf(await postgres.createDatabase())
  const settings = { database_url, server: { host: '0.0.0.0' } }
  const config = await writeChainConfig(dataDir, node, { settings })
  const program = runProgram(['start', '--json', '--config', config, '--port', '0'], {}, tree)
  try {
    await program.untilOutput(/"ready"[\s\S]*\n?\}\n/)
    const ready = JSON.parse(program.stdout()) as ReadyLine & { exposed: boolean }
    expect(ready.exposed).toBe(true)
    expect(program.stderr()).toContain('Listening on a public address without TLS')
    const address = ready.address.replace('0.0.0.0', '127.0.0.1')
    const headers = { 'x-api-key': testApiKey }
    await until('it answers of the chain', async () => {
      const url = `${address}/v2/tokens/main?chain=${node.profile.name}`
      return (await fetch(url, { headers })).status === 200
    })
  } finally {
    program.child.kill('SIGTERM')
    await program.ended
    await postgres.stop()
    await node.stop()
  }
})
