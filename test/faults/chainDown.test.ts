// Two chains, one of them without a node that answers: the other chain is served normally.
import { readFile, writeFile } from 'node:fs/promises'
import type { ReadyBody } from '@chaintape/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { type Program, runProgram, testApiKey, writeChainConfig } from '../support/program.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.ts'
import { until } from '../support/until.ts'

let dataDir = ''
let node: DevNode
/** A proxy in front of the node, to cut the chain off. */
let line: TcpProxy
let program: Program | undefined

beforeAll(async () => {
  dataDir = await createDataDir()
  node = await startDevNode({ market: true })
  line = await startTcpProxy(node.rpcUrl)
  line.refuse(true)
})

afterAll(async () => {
  program?.child.kill('SIGTERM')
  await program?.ended
  await line.close()
  await node.stop()
  await removeDataDir(dataDir)
})

async function writeConfig(): Promise<string> {
  const settings = { log: { level: 'info' } }
  const file = await writeChainConfig(dataDir, node, { settings })
  const config = JSON.parse(await readFile(file, 'utf8'))
  const rpc = [{ http_url: line.address, requests_per_second_max: 100_000 }]
  config.chains.down = { ...config.chains.local, rpc }
  await writeFile(file, JSON.stringify(config))
  return file
}

test('default: a chain without nodes does not prevent another chain from being served', async () => {
  const config = await writeConfig()
  program = runProgram([
    ...['start', '--json', '--data-dir', dataDir, '--port', '0', '--config', config],
  ])
  const listening = /"msg":"Listening","address":"([^"]+)"/
  await until('it listens', () => listening.test(program!.stderr()))
  const address = listening.exec(program.stderr())![1]!
  const get = async (path: string) => {
    const response = await fetch(`${address}${path}`, { headers: { 'X-API-KEY': testApiKey } })
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked into
    return { status: response.status, body: (await response.json()) as any }
  }

  // Both chains are known from the first request on; a chain that cannot answer yet reports so.
  const seen = new Set<number>()
  await until('the chain with a node is served', async () => {
    const { status, body } = await get('/v2/tokens/main?chain=local')
    // Keys are also unknown until the service has opened its chains.
    if (status !== 200) expect(['not_ready', 'unavailable']).toContain(body.error.code)
    seen.add(status)
    return status === 200
  })
  expect(seen.has(400)).toBe(false)

  await until('its nodes are known to fail', async () => {
    const { chains } = (await get('/health/ready')).body as ReadyBody
    return chains.down!.rpc_error !== null
  })
  const down = await get('/v2/tokens/main?chain=down')
  expect([down.status, down.body.error]).toEqual([503, { code: 'not_ready', param: 'chain' }])
  expect(down.body.msg).toContain('The chain down cannot be asked: no block is applied yet')
  const ready = await get('/health/ready')
  expect(ready.status).toBe(503)
  expect(ready.body).toMatchObject({
    ready: false,
    reasons: [expect.stringMatching(/^down: no block is applied yet \(/)],
    chains: { local: { ready: true, reason: null }, down: { ready: false } },
  })
  expect((await get('/health/ready?chain=local')).status).toBe(200)
  const chains = (await get('/v2/supported_chains')).body
  expect(chains.map(({ chain }: { chain: string }) => chain)).toEqual(['local', 'down'])

  line.refuse(false)
  await until('it is served as well', async () => (await get('/health/ready')).status === 200)
  expect((await get('/v2/tokens/main?chain=down')).status).toBe(200)
})
