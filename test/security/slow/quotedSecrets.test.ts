// Nodes quote the URLs they are asked at, with every secret and in every encoding: no output of the
// program may contain a secret.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createDataDir, removeDataDir } from '../../support/postgres.ts'
import { type Program, runProgram, testApiKey } from '../../support/program.ts'
import { type QuotingNode, secretsIn, startQuotingNode } from '../../support/quotingNode.ts'
import { until } from '../../support/until.ts'

const adminKey = 'an-admin-key-of-tests'

let dataDir = ''
let configFile = ''
let node: QuotingNode
let service: Program
let address = ''

beforeAll(async () => {
  dataDir = await createDataDir()
  node = await startQuotingNode()
  configFile = join(dataDir, 'config.json')
  const rpc = [{ http_url: node.url, ws_url: node.url.replace('http', 'ws') }]
  const grpc = [{ url: node.url, token: 'TokenOfTheStream99' }]
  const config = {
    data_dir: dataDir,
    api_key: testApiKey,
    admin_key: adminKey,
    log: { level: 'debug' },
    chains: {
      eth: { rpc: [...rpc, { http_url: `${new URL(node.url).origin}/another` }] },
      bsc: { rpc },
      solana: { rpc, grpc },
    },
  }
  await writeFile(configFile, JSON.stringify(config))
  service = runProgram(['start', '--config', configFile, '--port', '0'])
  const listening = /"msg":"Listening","address":"([^"]+)"/
  await until('it listens', () => listening.test(service.stderr()))
  address = listening.exec(service.stderr())![1]!
})

afterAll(async () => {
  service.child.kill('SIGTERM')
  await service.ended
  node.close()
  await removeDataDir(dataDir)
})

async function answerOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${address}${path}`, { headers })
  return `${path} ${JSON.stringify([...response.headers])} ${await response.text()}`
}

async function socketAnswer(): Promise<string> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/ws`, {
    headers: { 'X-API-KEY': testApiKey },
  })
  const call = { jsonrpc: '2.0', id: 1, method: 'subscribe', params: ['tx', '0xab-eth'] }
  return await new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify(call)))
    socket.on('error', reject)
    socket.on('message', (data) => {
      socket.close()
      resolve(String(data))
    })
  })
}

async function outputOf(...args: string[]): Promise<string> {
  const program = runProgram(args)
  await program.ended
  return `${program.stdout()}\n${program.stderr()}`
}

test('default: no output of the service contains a secret of a URL', async () => {
  const key = { 'X-API-KEY': testApiKey }
  await until('the node has quoted everything', () => node.hasQuotedAll())
  const paths = ['/health/ready', '/health/ready?chain=eth', '/health/live', '/metrics']
  const answers: string[] = []
  for (const path of paths) answers.push(await answerOf(path))
  for (const path of ['/v2/status', '/v2/tokens/main?chain=eth', '/v2/supported_chains'])
    answers.push(await answerOf(path, key))
  answers.push(await answerOf('/admin/nodes', { 'X-ADMIN-KEY': adminKey }))
  answers.push(await socketAnswer())
  for (const answer of answers) expect(secretsIn(answer), answer).toEqual([])

  const health = answers[0]!
  expect(health).toContain('"rpc_error":"endpoint ')
  expect(health).not.toMatch(/refused|hidden|127\.0\.0\.1/)
  const nodesAnswer = answers.find((answer) => answer.startsWith('/admin/nodes'))!
  expect(nodesAnswer).toMatch(/Endpoint: 0:127\.0\.0\.1:\d+.*Detail: .*<hidden>/)
  expect(service.stderr()).toContain('<hidden>')
})

test('default: no command prints a secret', async () => {
  const { port } = new URL(address)
  for (const args of [
    ['status', '--config', configFile, '--port', port],
    ['status', '--json', '--config', configFile, '--port', port],
    ['doctor', '--config', configFile],
    ['doctor', '--json', '--config', configFile],
    ['doctor', '--url', node.url],
    ['doctor', '--json', '--url', node.url],
    ['decode', '--chain', 'eth', '--rpc', node.url, `0x${'ab'.repeat(32)}`],
    ['audit', '--config', configFile, '--chain', 'eth'],
    ['config', 'print', '--config', configFile],
  ]) {
    const output = await outputOf(...args)
    expect(output.length).toBeGreaterThan(10)
    expect(secretsIn(output), `${args[0]}: ${output}`).toEqual([])
  }
})

test('default: start screen and log contain no secret', async () => {
  await service.untilOutput(/Chaintape serves, but some chains are not ready/)
  expect(service.stdout()).toMatch(/^ {2}eth: .*endpoint \d: /m)
  expect(secretsIn(service.stdout()), service.stdout()).toEqual([])
  expect(service.stderr()).not.toContain('TokenOfTheStream99')
  for (const line of service.stderr().split('\n')) expect(secretsIn(line), line).toEqual([])
})
