// The local chain as the program that `chaintape start` runs beside itself; from the compiled package.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { DevnetArguments, DevnetMessage } from '../../packages/devnet/src/message.ts'

const mainPath = resolve(import.meta.dirname, '../../packages/devnet/dist/main.js')

type Message<Type> = Extract<DevnetMessage, { type: Type }>

function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'devnet-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Starts the program in an empty directory and collects what it says. */
function start(dataDir: string, options: Partial<DevnetArguments> = {}) {
  const cwd = join(dataDir, 'elsewhere')
  mkdirSync(cwd, { recursive: true })
  const args = { host: '127.0.0.1', port: 0, dataDir, historyS: 60, seed: 'process', ...options }
  const child: ChildProcess = fork(mainPath, [JSON.stringify(args)], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
    execArgv: [],
  })
  const messages: DevnetMessage[] = []
  child.on('message', (message: DevnetMessage) => messages.push(message))
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  onTestFinished(() => void child.kill('SIGKILL'))

  async function heard<Type extends DevnetMessage['type']>(type: Type): Promise<Message<Type>> {
    for (;;) {
      const found = messages.find((message) => message.type === type)
      if (found) return found as Message<Type>
      const left = await Promise.race([
        once(child, 'message'),
        exited.then(() => 'exited' as const),
      ])
      if (left === 'exited' && !messages.some((message) => message.type === type))
        throw new Error(`Ended without "${type}": ${JSON.stringify(messages)}`)
    }
  }

  return { child, messages, heard, exited, cwd }
}

async function ask(rpcUrl: string, method: string, params: unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(rpcUrl, { method: 'POST', headers, body })
  return ((await response.json()) as { result: unknown }).result
}

type Block = { number: string; hash: string; timestamp: string }

const headOf = (rpcUrl: string) =>
  ask(rpcUrl, 'eth_getBlockByNumber', ['latest', false]) as Promise<Block>

async function mined(rpcUrl: string, number: number): Promise<Block> {
  for (;;) {
    const head = await headOf(rpcUrl)
    if (Number(head.number) >= number) return head
  }
}

test('behavior: killed at any moment it goes on with every block that was seen', async () => {
  const dataDir = tempDir()
  let seen: Block | undefined
  let genesisHash: string | undefined
  for (const blocks of [7, 23, 40]) {
    const run = start(dataDir, { historyS: 600 })
    const { rpcUrl, ...ready } = await run.heard('ready')
    expect(ready.isReplayed).toBe(seen !== undefined)
    expect(ready.genesisHash).toBe(genesisHash ?? ready.genesisHash)
    genesisHash = ready.genesisHash
    if (seen)
      expect(await ask(rpcUrl, 'eth_getBlockByNumber', [seen.number, false])).toMatchObject({
        hash: seen.hash,
      })
    const from = Number((await headOf(rpcUrl)).number)
    seen = await mined(rpcUrl, from + blocks)
    run.child.kill('SIGKILL')
    await run.exited
  }
})

test('behavior: serves before history is mined, ignores Ctrl-C, stops with its parent', async () => {
  const dataDir = tempDir()
  const run = start(dataDir)
  const { rpcUrl, profile } = await run.heard('ready')
  expect(profile.name).toBe('local')
  const { totalS } = await run.heard('history')
  const types = run.messages.map(({ type }) => type)
  expect(types.indexOf('history')).toBeGreaterThan(types.indexOf('ready'))
  expect(totalS).toBeGreaterThanOrEqual(60)
  run.child.kill('SIGINT')
  const head = await headOf(rpcUrl)
  await mined(rpcUrl, Number(head.number) + 2)
  run.child.disconnect()
  expect(await run.exited).toEqual([0, null])
  // Nothing is written but the journal.
  expect(readdirSync(run.cwd)).toEqual([])
  expect(readdirSync(dataDir).sort()).toEqual(['devnet', 'elsewhere'])

  const again = start(dataDir)
  const second = await again.heard('ready')
  expect(second.isReplayed).toBe(true)
  expect(second.profile).toEqual(profile)
  const replays = again.messages.filter((message) => message.type === 'replay')
  const { totalBlocks } = replays[0]!
  expect(totalBlocks).toBeGreaterThanOrEqual(Number(head.number) + 2)
  expect(replays[0]).toMatchObject({ minedBlocks: 0 })
  expect(replays.at(-1)).toMatchObject({ minedBlocks: totalBlocks, totalBlocks })
  again.child.kill('SIGTERM')
  expect(await again.exited).toEqual([0, null])
})

test('behavior: a parent that goes before the program is loaded takes it with it', async () => {
  const run = start(tempDir())
  run.child.disconnect()
  expect(await run.exited).toEqual([0, null])
})

test('behavior: rolls over at its limit, the next start is a new chain', async () => {
  const dataDir = tempDir()
  const run = start(dataDir, { blocksMax: 50 })
  const { genesisHash } = await run.heard('ready')
  await run.heard('rollover')
  expect(await run.exited).toEqual([0, null])
  expect(statSync(join(dataDir, 'devnet', 'journal')).size).toBe(0)
  const again = start(dataDir)
  const second = await again.heard('ready')
  expect(second.isReplayed).toBe(false)
  expect(second.genesisHash).not.toBe(genesisHash)
})

test('behavior: a journal that is damaged is told of, and a new chain starts', async () => {
  const dataDir = tempDir()
  const path = join(dataDir, 'devnet', 'journal')
  const run = start(dataDir)
  const { genesisHash } = await run.heard('ready')
  run.child.kill('SIGKILL')
  await run.exited
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, lines.with(Math.floor(lines.length / 2), 'what').join('\n'))
  const again = start(dataDir)
  const second = await again.heard('ready')
  expect(second.isReplayed).toBe(false)
  expect(second.genesisHash).not.toBe(genesisHash)
  const logged = again.messages.flatMap((message) =>
    message.type === 'log' ? message.message : [],
  )
  expect(logged.join()).toMatch(
    /Line \d+ of the local chain's journal cannot be read. A new chain is started./,
  )
})

test('error: port in use', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const run = start(tempDir(), { port })
  const { message } = await run.heard('failed')
  expect(message).toBe(
    `Port ${port} on 127.0.0.1 is in use: stop what listens there or choose another port for the local chain.`,
  )
  expect(await run.exited).toEqual([1, null])
})

test('error: arguments', async () => {
  const child = fork(mainPath, ['{"port":1}'], { execArgv: [] })
  const [message] = await once(child, 'message')
  expect(message).toEqual({
    type: 'failed',
    message: 'The first argument needs host, port and dataDir.',
  })
})
