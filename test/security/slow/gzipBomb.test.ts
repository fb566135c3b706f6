// A node that answers with a gzip bomb, in front of the compiled program.
import { readFile, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DevNode, startDevNode } from '../../support/devNode.ts'
import { createDataDir, removeDataDir } from '../../support/postgres.ts'
import { type Program, runProgram, testApiKey, writeChainConfig } from '../../support/program.ts'
import { forward, type RpcCall, startRpcProxy } from '../../support/rpcProxy.ts'
import { until } from '../../support/until.ts'

let dataDir = ''
let node: DevNode
let program: Program | undefined
const closers: (() => Promise<void>)[] = []

beforeEach(async () => {
  dataDir = await createDataDir()
  node = await startDevNode({ market: true })
})

afterEach(async () => {
  program?.child.kill('SIGKILL')
  await program?.ended
  for (const close of closers.splice(0)) await close()
  await node.stop()
  await removeDataDir(dataDir)
})

/** A proxy in front of the node that answers these methods with `body`. */
async function startBomber(body: Buffer, methods: readonly string[]) {
  let sent = 0
  const proxy = await startRpcProxy(async (text, response) => {
    const asked = JSON.parse(text) as RpcCall | RpcCall[]
    const calls = [asked].flat()
    if (calls.some(({ method }) => methods.includes(method))) {
      sent += 1
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(body)
      return
    }
    const replies = await Promise.all(calls.map((call) => forward(node.rpcUrl, call)))
    response.end(JSON.stringify(Array.isArray(asked) ? replies : replies[0]))
  })
  closers.push(proxy.close)
  return { url: proxy.url, name: `0:${new URL(proxy.url).host}`, sent: () => sent }
}

async function start(rpcUrls: readonly string[]): Promise<Program> {
  const settings = { log: { level: 'info' } }
  const limits = { rpc_ms_max: 20_000, resolve_ms_max: 20_000 }
  const file = await writeChainConfig(dataDir, node, { settings, limits })
  const config = JSON.parse(await readFile(file, 'utf8'))
  config.chains.local.rpc = rpcUrls.map((http_url) => ({
    http_url,
    requests_per_second_max: 100_000,
  }))
  await writeFile(file, JSON.stringify(config))
  return runProgram(['start', '--json', '--data-dir', dataDir, '--port', '0', '--config', file])
}

const linesOf = ({ stderr }: Program) =>
  stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string; method?: string; endpoint?: string })

test('default: the log names a gzip bomb, and SIGTERM ends the process', async () => {
  // 250 million bytes of JSON in 243 kB, 7 GB once parsed.
  const bomb = gzipSync(`{"jsonrpc":"2.0","id":0,"result":[${'[],'.repeat(83_000_000)}0]}`, {
    level: 9,
  })
  const bomber = await startBomber(bomb, ['eth_getBlockByNumber'])
  program = await start([bomber.url])
  const isRefusal = ({ msg }: { msg: string }) => msg === 'Refused a large answer'
  await until('the log says so', () => linesOf(program!).some(isRefusal))
  expect(linesOf(program).find(isRefusal)).toMatchObject({
    method: 'eth_getBlockByNumber',
    endpoint: bomber.name,
    bytesMax: 8_388_608,
  })
  // The chain retries with increasing delays.
  await until('it asked again', () => bomber.sent() > 2)
  expect(linesOf(program).filter(isRefusal)).toHaveLength(1)
  const peakKb = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${program.child.pid}/status`, 'utf8'))
  expect(Number(peakKb![1])).toBeLessThan(1_000_000)
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})

test('behavior: the chain continues with the other endpoint', async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000))
  const methods = ['eth_getLogs', 'eth_getBlockReceipts', 'eth_blockNumber']
  const bomber = await startBomber(bomb, methods)
  program = await start([bomber.url, node.rpcUrl])
  const listening = /"msg":"Listening","address":"([^"]+)"/
  await until('it listens', () => listening.test(program!.stderr()))
  const address = listening.exec(program.stderr())![1]!
  await until('it is ready', async () => {
    const response = await fetch(`${address}/health/ready`, {
      headers: { 'X-API-KEY': testApiKey },
    })
    return ((await response.json()) as { ready: boolean }).ready
  })
  expect(bomber.sent()).toBeGreaterThan(0)
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})
