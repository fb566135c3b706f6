// Runs the client on other runtimes against a whole service, on a connection that is cut
// repeatedly: each must receive every trade once, in order. The runtimes come from npm, into a
// folder of this run.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { WebSocket } from 'ws'
import { createTape } from '../../packages/client/src/index.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { startPatientProgram } from '../support/program.ts'
import { startTcpProxy } from '../support/tcpProxy.ts'

const packages = { bun: '1.4.4', deno: '2.9.6', workerd: '1.20260426.1' }
const cutEveryMs = 3_000
const patienceMs = 300_000

type Tried = {
  chains: string[]
  priceRequests: number
  isPriced: boolean
  error: string
  resumes: number
  ids: string[]
}

type Task = { url: string; key: string; tokenId: string }

type Runtime = { name: string; run(task: Task): Promise<string> }

const here = import.meta.dirname

function runProgram(command: string, args: readonly string[], task: Task): Promise<string> {
  const env = {
    ...process.env,
    URL_OF_SERVICE: task.url,
    KEY: task.key,
    TOKEN_ID: task.tokenId,
  }
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  let text = ''
  child.stdout.on('data', (part) => {
    text += part
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      if (code === 0) resolve(text)
      else reject(new Error(`It ended with ${code}.`))
    })
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

const configOf = (port: number) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .tried),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const tried :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
);
`

async function runWorker(dir: string, task: Task): Promise<string> {
  const port = await freePort()
  const outfile = join(dir, 'worker.js')
  await build({ entryPoints: [join(here, 'worker.mjs')], bundle: true, format: 'esm', outfile })
  writeFileSync(join(dir, 'config.capnp'), configOf(port))
  const workerd = spawn(join(dir, 'node_modules/.bin/workerd'), ['serve', 'config.capnp'], {
    cwd: dir,
    stdio: 'inherit',
  })
  try {
    const query = new URLSearchParams(task)
    for (const endMs = Date.now() + patienceMs; ; ) {
      const answer = await fetch(`http://127.0.0.1:${port}/?${query}`).catch(() => null)
      if (answer !== null) return await answer.text()
      if (Date.now() > endMs || workerd.exitCode !== null) throw new Error('workerd did not start.')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  } finally {
    workerd.kill('SIGKILL')
  }
}

function runtimesIn(dir: string): Runtime[] {
  const program = join(here, 'program.mjs')
  const bin = (name: string) => join(dir, 'node_modules/.bin', name)
  const ofProgram = (name: string, ...args: string[]): Runtime => ({
    name,
    run: (task) => runProgram(bin(name), [...args, program], task),
  })
  const allowed = ['--allow-net', '--allow-env', '--allow-read', '--node-modules-dir=manual']
  return [
    ofProgram('bun', 'run'),
    ofProgram('deno', 'run', '--no-lock', ...allowed),
    { name: 'workerd', run: (task) => runWorker(dir, task) },
  ]
}

/** Faults of a trial as sentences; empty if it passed. */
function faultsOf(tried: Tried, all: readonly string[]): string[] {
  const first = all.indexOf(tried.ids[0] ?? '')
  const wanted = all.slice(first, first + tried.ids.length)
  return [
    ...(tried.chains.join() === 'local' ? [] : [`chains: ${tried.chains}`]),
    ...(tried.priceRequests === 1 ? [] : [`two prices took ${tried.priceRequests} requests`]),
    ...(tried.isPriced ? [] : ['the token has no price']),
    ...(tried.error === 'malformed_id' ? [] : [`a wrong id gave ${tried.error}`]),
    ...(first >= 0 && wanted.join() === tried.ids.join() ? [] : ['trades are missing or twice']),
  ]
}

async function tryAll(dir: string): Promise<boolean> {
  const dataDir = await createDataDir()
  const program = await startPatientProgram(dataDir)
  const { address, api_key: key, example_pair_id: pairId } = program.ready
  const proxy = await startTcpProxy(address.replace('localhost', '127.0.0.1'))
  const tape = createTape({ url: address, key, WebSocket })
  const all: string[] = []
  const following = tape.trades({ chain: 'local' }).each((trade) => {
    all.push(`${trade.id} ${trade.transaction}`)
  })
  following.catch(() => undefined)
  const cutting = setInterval(() => proxy.cut(), cutEveryMs)
  let isGood = true
  try {
    const { target_token: token } = await tape.rest.pairDetail(pairId)
    for (const { name, run } of runtimesIn(dir)) {
      const text = await run({ url: proxy.address, key, tokenId: `${token}-local` }).catch(String)
      const tried = text.startsWith('{') ? (JSON.parse(text) as Tried) : null
      const faults = tried === null ? [text.trim()] : faultsOf(tried, all)
      isGood &&= faults.length === 0
      const summary = tried && `${tried.ids.length} trades, resumed ${tried.resumes} times`
      process.stdout.write(
        `${name}: ${faults.length === 0 ? `good, ${summary}` : faults.join('; ')}\n`,
      )
    }
  } finally {
    clearInterval(cutting)
    await tape.close()
    await proxy.close()
    program.child.kill('SIGINT')
    await program.ended
    await removeDataDir(dataDir)
  }
  return isGood
}

const dir = mkdtempSync(join(tmpdir(), 'chaintape-runtimes-'))
try {
  writeFileSync(
    join(dir, 'package.json'),
    JSON.stringify({ private: true, dependencies: packages }),
  )
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: dir })
  process.exitCode = (await tryAll(dir)) ? 0 : 1
} finally {
  rmSync(dir, { recursive: true, force: true })
}
