import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { EvmChainConfig } from '../../kinds/evm/evmChainSchema.ts'
import { evmKind } from '../../kinds/evm/evmKind.ts'
import { createLogger } from '../../lib/logger.ts'
import { pipelineLimitsOf } from '../chain/configuredChains.ts'

const servers: Server[] = []
const stopping: AbortController[] = []

afterEach(() => {
  for (const controller of stopping.splice(0)) controller.abort()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

type Call = { id: number; method: string; params: [unknown] }

const headNumber = 40
const word = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const quantity = (number: number) => `0x${number.toString(16)}`

function blockOf(number: number): unknown {
  if (number > headNumber) return null
  const links = { hash: word(1_000 + number), parentHash: word(999 + number) }
  return { number: quantity(number), ...links, timestamp: quantity(number), transactions: [] }
}

/** A node of an empty chain that records its requests. */
async function startNode(chainId = 1, hangUps = 0): Promise<{ url: string; asked: Call[] }> {
  const asked: Call[] = []
  const answer = (call: Call) => {
    asked.push(call)
    const { id, method, params } = call
    const [first] = params
    const number = first === 'latest' ? headNumber : Number(first)
    if (method === 'eth_chainId') return { id, result: quantity(chainId) }
    if (method === 'eth_getBlockByNumber') return { id, result: blockOf(number) }
    if (method === 'eth_getBlockByHash') return { id, result: blockOf(Number(first) - 1_000) }
    if (method === 'eth_getLogs' || method === 'eth_getBlockReceipts') return { id, result: [] }
    if (method === 'eth_blockNumber') return { id, result: quantity(headNumber) }
    return { id, error: { code: -32_601, message: 'unknown method' } }
  }
  const server = createServer(async (request, response) => {
    if (hangUps-- > 0) return void response.destroy()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[]
    response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const setupOf = (name: string, config: Config) =>
  evmKind.setupOf(name, config.chains[name] as EvmChainConfig, pipelineLimitsOf(config))

/** The intake that a config file with these settings would create. */
async function open(urls: readonly string[], chain: Record<string, unknown> = {}) {
  const native = { symbol: 'ETH', wrapped_token: `0x${'1'.repeat(40)}` }
  const rpc = urls.map((http_url) => ({ http_url }))
  const chains = { test: { rpc, native, start_block: 0, finality: 4, ...chain } }
  const { config } = loadConfig({
    env: {
      CHAINTAPE_CHAINS: JSON.stringify(chains),
      // The test counts requests, so a slow first answer must not be retried.
      CHAINTAPE_LIMITS_RPC_MS_MAX: '600000',
    },
  })
  const controller = new AbortController()
  stopping.push(controller)
  return evmKind.openIntake({
    setup: setupOf('test', config),
    known: [],
    firstNumber: null,
    finalizedNumber: -1,
    logger: createLogger('silent'),
    signal: controller.signal,
  })
}

/** Reads all blocks and returns their number. */
async function readAll(intake: Awaited<ReturnType<typeof open>>): Promise<number> {
  let blocks = 0
  for await (const event of intake.events()) {
    if (event.type !== 'commit') continue
    blocks += 1
    if (event.block.ref.number === headNumber) break
  }
  intake.close()
  return blocks
}

const countOf = (asked: readonly Call[], method: string) =>
  asked.filter((call) => call.method === method).length

test('default: reads ranges of relevant logs', async () => {
  const { url, asked } = await startNode()
  // Final blocks 0 to 31 yield only the two range ends; near the head each of the other 9 blocks is
  // yielded.
  expect(await readAll(await open([url]))).toBe(2 + 9)
  const filters = asked.filter(({ method }) => method === 'eth_getLogs')
  expect(filters[0]!.params[0]).toMatchObject({ fromBlock: '0x0', topics: [expect.any(Array)] })
  expect(countOf(asked, 'eth_getBlockReceipts')).toBe(0)
})

test('args: logs', async () => {
  const receipts = await startNode()
  await readAll(await open([receipts.url], { logs: 'receipts' }))
  expect(countOf(receipts.asked, 'eth_getLogs')).toBe(0)
  expect(countOf(receipts.asked, 'eth_getBlockReceipts')).toBe(headNumber + 1)
  const full = await startNode()
  await readAll(await open([full.url], { logs: 'full_ranges' }))
  const [range] = full.asked.filter(({ method }) => method === 'eth_getLogs')
  expect(range!.params[0]).toEqual({ fromBlock: '0x0', toBlock: expect.any(String) })
})

test('args: history_headers', async () => {
  const { url } = await startNode()
  expect(await readAll(await open([url], { history_headers: 'all' }))).toBe(headNumber + 1)
})

test('args: log_sample_blocks', async () => {
  const byHash = ({ method }: Call) => method === 'eth_getBlockByHash'
  const all = await startNode()
  await readAll(await open([all.url], { log_sample_blocks: 1 }))
  const none = await startNode()
  await readAll(await open([none.url], { log_sample_blocks: 0 }))
  expect(none.asked.filter(byHash)).toHaveLength(0)
  expect(all.asked.filter(byHash)).toHaveLength(headNumber + 1)
})

test('args: node_checks', async () => {
  const node_checks = { transactions: false }
  const { config } = loadConfig({
    env: {
      CHAINTAPE_CHAINS: JSON.stringify({ eth: { rpc: [{ http_url: 'http://n' }], node_checks } }),
    },
  })
  const { blocks } = setupOf('eth', config)
  expect(blocks.checks).toMatchObject({ bloom: true, transactions: false, logIndexes: true })
})

test('error: names an endpoint of another network and reads nothing', async () => {
  const [right, wrong] = [await startNode(1), await startNode(56)]
  const opening = open([right.url, wrong.url], { chain_id: 1 })
  await expect(opening).rejects.toMatchObject({
    code: 'NODE_WRONG_NETWORK',
    shortMessage: `An endpoint of "test" is refused: 1:${new URL(wrong.url).host}: It is of chain 56, not 1.`,
  })
  for (const { asked } of [right, wrong])
    expect(asked.map(({ method }) => method)).toEqual(['eth_chainId'])
})

test.each([
  ['eth', 1],
  ['bsc', 56],
  ['base', 8_453],
])('default: %s is chain %s', (name, chainId) => {
  const chains = { [name]: { rpc: [{ http_url: 'http://n' }] } }
  const { config } = loadConfig({ env: { CHAINTAPE_CHAINS: JSON.stringify(chains) } })
  expect(setupOf(name, config).chainId).toBe(chainId)
})

test('behavior: waits for an unavailable node to learn the first block', async () => {
  // The node hangs up more often than one request is retried.
  const { url } = await startNode(1, 4)
  const intake = await open([url], { start_block: 'latest' })
  expect(intake.progress().startNumber).toBe(headNumber)
  intake.close()
})
