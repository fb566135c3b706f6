// `chaintape doctor` on real nodes, on nodes that are limited, lie or belong to another chain, and
// on a real database.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GeneratedChain } from '../../packages/devnet/src/solana/generatedChain.ts'
import { solanaProfile } from '../../packages/devnet/src/solana/solanaProfile.ts'
import { genesisHash, startSolanaRpc } from '../../packages/devnet/src/solana/solanaRpcServer.ts'
import type { DoctorFinding } from '../../packages/server/src/ops/doctor/finding.ts'
import { type ChaosOptions, noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { startNatsServers } from '../support/natsServers.ts'
import { urlOf } from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
import { refusal } from '../support/rpcProxy.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

const secret = '0123456789abcdef-of-an-account'

let node: DevNode
let postgres: TestPostgres
const closes: (() => Promise<void>)[] = []

beforeAll(async () => {
  postgres = await startTestPostgres()
  node = await startDevNode({ market: true })
  for (let block = 0; block < 24; block++) await node.mineMarket()
})
afterAll(async () => {
  for (const close of closes) await close()
  await node.stop()
  await postgres.stop()
})

async function proxyUrl(options: Partial<ChaosOptions>): Promise<string> {
  const { rpcUrl: targetUrl } = node
  const proxy = await startChaosRpc({ targetUrl, seed: 'doctor', rates: noChaos, ...options })
  closes.push(proxy.close)
  return `${proxy.url}/v3/${secret}`
}

async function doctor(...args: string[]) {
  const program = runProgram(['doctor', ...args])
  const code = await program.ended
  return { code, out: program.stdout(), err: program.stderr() }
}

// Results of these checks depend on the machine's speed.
const byTheClock = ['latency', 'head']

/** Levels by check, for the subject with these words. */
function levelsOf(findings: readonly DoctorFinding[], subject: string): Record<string, string> {
  const own = findings.filter(
    (finding) => finding.subject.includes(subject) && !byTheClock.includes(finding.check),
  )
  return Object.fromEntries(own.map(({ check, level }) => [check, level]))
}

test('default: each node is listed with its problems, and never with its key', async () => {
  type Raw = Record<string, unknown>
  const isBlock = (method: string) => method.startsWith('eth_getBlockBy')
  const urls = [
    node.rpcUrl,
    // A node that omits one log of a block.
    await proxyUrl({
      alter: ({ method }, result) =>
        method === 'eth_getLogs' ? (result as Raw[]).slice(1) : result,
    }),
    // A node with other blocks.
    await proxyUrl({
      alter: ({ method }, result) =>
        isBlock(method) ? { ...(result as Raw), hash: `0x${'ab'.repeat(32)}` } : result,
    }),
    await proxyUrl({ rangeBlocksMax: 10, hasReceipts: true, stateBlocksMax: 4 }),
    await proxyUrl({
      alter: ({ method }, result) => (method === 'eth_chainId' ? '0x1' : result),
    }),
    `http://127.0.0.1:1/${secret}`,
    await proxyUrl({
      intercept: async (call) => refusal(call, `Key ${secret} is not known at /v3/${secret}`),
    }),
  ]
  const config = await writeChainConfig(postgres.dataDir, node, {
    settings: { database_url: urlOf(await postgres.createDatabaseWithTables()) },
    chain: {
      chain_id: Number(await node.request('eth_chainId', [])),
      rpc: urls.map((http_url) => ({ http_url })),
    },
  })
  const { code, out, err } = await doctor('--config', config, '--json')
  expect([code, err]).toEqual([1, expect.stringContaining('DOCTOR_FAILED')])
  expect(out + err).not.toContain(secret)
  const { findings, ...counts } = JSON.parse(out) as { findings: DoctorFinding[] }
  const right = {
    client: 'ok',
    'chain id': 'ok',
    'log range': 'ok',
    'final block': 'ok',
    batches: 'ok',
    // The node returns receipts one by one only.
    receipts: 'warn',
    archive: 'ok',
    plan: 'ok',
    blocks: 'ok',
  }
  const found = urls.map((_, at) => levelsOf(findings, `rpc[${at}]`))
  expect(found.slice(0, 2)).toEqual([right, { ...right, blocks: 'fail' }])
  // No other node has logs of such a block to compare with.
  expect(found[2]).toEqual({ ...right, blocks: 'warn' })
  expect(found[3]).toEqual({ ...right, receipts: 'ok', 'log range': 'warn' })
  expect(found[4]).toEqual({ ...right, 'chain id': 'fail' })
  expect(found.slice(5)).toEqual([{ connection: 'fail' }, { connection: 'fail' }])
  const agreement = findings.find(({ check }) => check === 'agreement')!
  expect(agreement).toMatchObject({ subject: node.profile.name, level: 'fail' })
  expect(agreement.text).toMatch(/; 0x(ab){32} by \S+ rpc\[2\]/)
  expect(counts).toEqual({
    ...Object.fromEntries(
      ['ok', 'warn', 'fail'].map((level) => [
        level,
        findings.filter((finding) => finding.level === level).length,
      ]),
    ),
  })
  const head = findings.find(({ check }) => check === 'head')!
  // The test chain's blocks have times in the past.
  expect(head).toMatchObject({ level: 'warn', text: expect.stringContaining('s old') })
  // Every warning and failure has an advice.
  for (const { level, advice } of findings) expect(advice === null).toBe(level === 'ok')
})

test('behavior: no problems', async () => {
  const config = await writeChainConfig(postgres.dataDir, node, {
    settings: { database_url: urlOf(await postgres.createDatabaseWithTables()) },
    chain: { rpc: [{ http_url: node.rpcUrl }, { http_url: await proxyUrl({}) }] },
  })
  const { code, out, err } = await doctor('--config', config)
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(/^database$\n {2}ok {4}connection: PostgreSQL \d+/m)
  expect(out).toMatch(/^ {2}ok {4}schema: \d+, the version of this program\.$/m)
  expect(out).toMatch(/^ {2}ok {4}agreement: All 2 nodes have the same block \d+\.$/m)
  expect(out).toMatch(/^\d+ ok, \d+ warn, 0 fail$/m)
})

test('behavior: an unreachable database, and an empty config', async () => {
  const url = `postgres://chaintape:${secret}@127.0.0.1:1/market`
  const gone = await doctor('--database-url', url, '--json')
  expect(gone.code).toBe(1)
  expect(gone.out + gone.err).not.toContain(secret)
  const { findings } = JSON.parse(gone.out) as { findings: DoctorFinding[] }
  expect(levelsOf(findings, 'database')).toEqual({ connection: 'fail' })
  expect(levelsOf(findings, 'chains')).toEqual({ nodes: 'ok' })
  const nothing = await doctor('--data-dir', join(postgres.dataDir, 'none'))
  expect(nothing.out).toContain('connection: None yet')
})

test('behavior: a reachable NATS server and an unreachable one', async () => {
  const nats = await startNatsServers(1)
  closes.push(nats.stop)
  const file = join(postgres.dataDir, 'nats.json')
  const gone = `nats://chaintape:${secret}@127.0.0.1:1`
  const database_url = urlOf(await postgres.createDatabaseWithTables())
  const config = { database_url, nats: { urls: [...nats.urls, gone] } }
  await writeFile(file, JSON.stringify(config))
  const { code, out, err } = await doctor('--config', file, '--json')
  expect([code, err]).toEqual([1, expect.stringContaining('DOCTOR_FAILED')])
  expect(out + err).not.toContain(secret)
  const { findings } = JSON.parse(out) as { findings: DoctorFinding[] }
  const hosts = [new URL(nats.urls[0]!).host, '127.0.0.1:1']
  expect(hosts.map((host) => levelsOf(findings, `nats ${host}`))).toEqual([
    ...[{ connection: 'ok', room: 'ok' }, { connection: 'fail' }],
  ])
  expect(findings.find(({ check }) => check === 'servers')).toMatchObject({ level: 'warn' })
})

test('behavior: Solana nodes', async () => {
  const startTimeS = Math.floor(Date.now() / 1_000) - 60
  const chain = new GeneratedChain({ seed: 11, startTimeS, transactions: 4 })
  const fork = new GeneratedChain({ seed: 12, startTimeS, transactions: 4 })
  for (const grown of [chain, fork]) grown.mine(20)
  const nodes = [
    await startSolanaRpc(() => chain),
    await startSolanaRpc(() => fork),
    await startSolanaRpc(() => chain, { genesis: 'another' }),
  ]
  for (const { stop } of nodes) closes.push(stop)
  const file = join(postgres.dataDir, 'solana.json')
  const solana = {
    rpc: nodes.map(({ url }) => ({ http_url: `${url}/?api-key=${secret}` })),
    genesis_hash: genesisHash,
    programs: solanaProfile.venues,
  }
  await writeFile(file, JSON.stringify({ data_dir: postgres.dataDir, chains: { solana } }))
  const { code, out, err } = await doctor('--config', file, '--json')
  expect([code, err]).toEqual([1, expect.stringContaining('DOCTOR_FAILED')])
  expect(out).not.toContain(secret)
  const { findings } = JSON.parse(out) as { findings: DoctorFinding[] }
  const right = { client: 'ok', genesis: 'ok', blocks: 'ok', transactions: 'ok' }
  expect([0, 1, 2].map((at) => levelsOf(findings, `rpc[${at}]`))).toEqual([
    ...[right, right, { ...right, genesis: 'fail' }],
  ])
  expect(findings.find(({ check }) => check === 'agreement')!.level).toBe('fail')
})
