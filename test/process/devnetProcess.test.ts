// The local chain as a separate process that `chaintape start` runs; from the compiled package.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { DevnetArguments, DevnetMessage } from '../../packages/devnet/src/message.ts'
import { startExternalDevnet } from '../support/externalDevnet.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { startProgram, testApiKey } from '../support/program.ts'
import { until } from '../support/until.ts'

const mainPath = resolve(import.meta.dirname, '../../packages/devnet/dist/main.js')

type Message<Type> = Extract<DevnetMessage, { type: Type }>

/** Starts the program in an empty directory and collects its output. */
function start(options: Partial<DevnetArguments> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'devnet-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const args = { host: '127.0.0.1', port: 0, historyS: 60, seed: 'process', ...options }
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

test('behavior: serves before history is mined, ignores Ctrl-C, stops with its parent', async () => {
  const run = start()
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
  expect(readdirSync(run.cwd)).toEqual([])
})

test('behavior: the chain ends with a parent that ends before it has loaded', async () => {
  const run = start()
  run.child.disconnect()
  expect(await run.exited).toEqual([0, null])
})

test('behavior: ends at its limit, and the next start is a new chain with the same contracts', async () => {
  const run = start({ blocksMax: 50 })
  const { genesisHash, profile } = await run.heard('ready')
  await run.heard('rollover')
  expect(await run.exited).toEqual([0, null])
  const second = await start().heard('ready')
  expect(second.genesisHash).not.toBe(genesisHash)
  expect(second.profile).toEqual(profile)
})

test('error: port in use', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const run = start({ port })
  const { message } = await run.heard('failed')
  expect(message).toBe(
    `Port ${port} on 127.0.0.1 is in use: stop what listens there or choose another port for the local chain.`,
  )
  expect(await run.exited).toEqual([1, null])
})

test('error: invalid arguments', async () => {
  const child = fork(mainPath, ['{"port":1}'], { execArgv: [] })
  const [message] = await once(child, 'message')
  expect(message).toEqual({
    type: 'failed',
    message: 'The first argument needs host and port.',
  })
})

test('behavior: `chaintape devnet` keeps running while the service beside it restarts', async () => {
  const devnet = await startExternalDevnet({ CHAINTAPE_DEVNET_HISTORY_S: '20' })
  onTestFinished(() => devnet.stop())
  const dataDir = await createDataDir()
  onTestFinished(() => removeDataDir(dataDir))
  const config = join(dataDir, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({ chains: devnet.chains, api_key: testApiKey, log: { level: 'warn' } }),
  )
  async function serve() {
    const program = await startProgram(dataDir, ['--config', config])
    onTestFinished(() => void program.child.kill('SIGKILL'))
    const { address, example_pair_id: pairId } = program.ready
    async function get<body>(path: string): Promise<body> {
      const response = await fetch(`${address}${path}`, { headers: { 'X-API-KEY': testApiKey } })
      return (await response.json()) as body
    }
    for (const chain of ['local', 'localsol'])
      await until(`${chain} is priced`, async () => {
        const rows = await get<unknown[]>(`/v2/tokens/main?chain=${chain}`)
        return rows.length > 0
      })
    const pair = await get<Record<string, number>>(`/v2/pairs/${pairId}`)
    program.child.kill('SIGINT')
    expect([await program.ended, program.stderr()]).toEqual([0, ''])
    return { pairId, createdS: pair.created_at, trades: Number(pair.tx_24h_count) }
  }
  const before = await serve()
  const after = await serve()
  expect([after.pairId, after.createdS]).toEqual([before.pairId, before.createdS])
  expect(after.trades).toBeGreaterThanOrEqual(before.trades)
})
