// Nodes that change the amounts in logs. A block's bloom filter does not cover amounts, so they
// must be proven by receipts or confirmed by a second node.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { type ChainNode, depositTopic, startChainNode } from '../support/chainNode.ts'
import { type ChainReader, openReader, type ReaderOptions } from '../support/chainReader.ts'
import { type ChaosRpc, noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { silentLogger, withClient } from '../support/postgres.ts'
import { runProgram, startProgram, writeChainConfig } from '../support/program.ts'
import { refusal } from '../support/rpcProxy.ts'
import {
  expectSameMarket,
  privateConnectionOf,
  readCursor,
  readStored,
} from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

let closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.reverse()) await close()
  closers = []
})

type Log = { blockNumber: string; topics: string[]; data: string }
type LiarOptions = {
  targetUrl: string
  /** Logs with this first topic are changed. */
  topic: string
  change(data: string): string
  from: number
  to: number
  /** Whether the logs in receipts are changed too. */
  liesInReceipts: boolean
}

/** Starts a node that changes the data of logs in some blocks. */
async function startLiar(options: LiarOptions): Promise<ChaosRpc> {
  const { targetUrl, topic, change, from, to } = options
  const changed = (log: Log): Log => {
    const isVictim = Number(log.blockNumber) >= from && Number(log.blockNumber) <= to
    return isVictim && log.topics[0] === topic ? { ...log, data: change(log.data) } : log
  }
  const proxy = await startChaosRpc({
    targetUrl,
    seed: 's',
    rates: noChaos,
    alter({ method }, result) {
      if (method === 'eth_getLogs') return (result as Log[]).map(changed)
      if (method !== 'eth_getTransactionReceipt' || !options.liesInReceipts) return result
      const receipt = result as { logs: Log[] }
      return { ...receipt, logs: receipt.logs.map(changed) }
    },
  })
  closers.push(proxy.close)
  return proxy
}

describe('one block', () => {
  let node: ChainNode

  beforeEach(async () => {
    node = await startChainNode()
    closers = [node.close]
    await node.mine(20, () => 6)
  })

  const liar = (liesInReceipts: boolean) =>
    startLiar({
      targetUrl: node.rpcUrl,
      topic: depositTopic,
      from: 20,
      to: 20,
      liesInReceipts,
      change: () => `0x${'7'.repeat(64)}`,
    })

  /** Reads all blocks, then asks the other endpoints to confirm block 20. */
  async function opinionOn(urls: readonly string[], source: ReaderOptions['source'] = {}) {
    const reader: ChainReader = openReader({
      endpoints: urls.map((httpUrl) => ({ httpUrl })),
      source: { sampleEveryBlocks: 0, ...source },
    })
    closers.push(reader.close)
    await reader.until(() => reader.blocks.at(-1)?.ref.number === 21)
    const received = reader.blocks.find(({ ref }) => ref.number === 20)!
    const { type, ...rest } = await reader.confirm(received)
    const truth = (await node.readAll(20))[0]!
    return { type, rest, received, truth, status: reader.rpc.status() }
  }

  /** Without header hashes nothing can be proven. */
  const formless = { checks: { headerHash: false } }

  test('default: receipts prove that their own node returned wrong logs', async () => {
    const { url } = await liar(false)
    const { type, rest, received, truth, status } = await opinionOn([url])
    expect(received.logs).not.toEqual(truth.logs)
    expect({ type, ...rest }).toEqual({ type: 'wrong', block: truth })
    expect(status[0]!.faultCount).toBe(1)
  })

  test('behavior: another endpoint’s receipts prove it too', async () => {
    const { url } = await liar(true)
    const { type, rest, truth, status } = await opinionOn([url, node.rpcUrl])
    expect({ type, ...rest }).toEqual({ type: 'wrong', block: truth })
    expect(status.map(({ isHealthy }) => isHealthy)).toEqual([false, true])
  })

  test('behavior: true logs are confirmed', async () => {
    expect((await opinionOn([node.rpcUrl])).type).toBe('right')
    expect((await opinionOn([node.rpcUrl, node.rpcUrl], formless)).type).toBe('right')
  })

  test('behavior: without proof the majority of endpoints decides', async () => {
    const { url } = await liar(true)
    const { type, rest, truth } = await opinionOn([url, node.rpcUrl, node.rpcUrl], formless)
    expect({ type, ...rest }).toEqual({ type: 'wrong', block: truth })
  })

  test('behavior: two disagreeing endpoints are a split, and a single endpoint stays alone', async () => {
    const { url } = await liar(true)
    const { type, rest, truth } = await opinionOn([url, node.rpcUrl], formless)
    expect({ type, ...rest }).toEqual({ type: 'split', others: [truth] })
    expect((await opinionOn([url])).type).toBe('alone')
  })

  test('behavior: a sampled block is compared with another endpoint', async () => {
    const { url } = await liar(true)
    // The lying endpoint first reads old blocks, then blocks at the head.
    for (const urls of [
      [url, node.rpcUrl],
      [node.rpcUrl, url],
    ]) {
      const { received, truth } = await opinionOn(urls, { sampleEveryBlocks: 3 })
      expect(received).toEqual(truth)
    }
  })
})

describe('a market', () => {
  // Sync(uint112 reserve0, uint112 reserve1)
  const syncTopic = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1'
  let market: IndexedNode

  beforeEach(async () => {
    market = await startIndexedNode({ seed: 'amounts', blocks: 40 })
    closers = [market.stop]
  })

  /** Indexes the whole chain through these endpoints. Returns the data directory. */
  async function backfill(urls: readonly string[], chain: object = {}): Promise<string> {
    const rpc = urls.map((url) => ({ http_url: url, requests_per_second_max: 100_000 }))
    const { dataDir, config } = await market.createConfig({}, { ...chain, rpc })
    expect(await runProgram(['backfill', '--config', config]).ended).toBe(0)
    return dataDir
  }

  async function marketLiar(): Promise<string> {
    const head = Number((await market.node.readHead()).number)
    const { url } = await startLiar({
      targetUrl: market.node.rpcUrl,
      topic: syncTopic,
      liesInReceipts: true,
      from: head - 25,
      to: head - 5,
      // Multiplies the first reserve by 2^16.
      change: (data) => `0x${data.slice(6, 66)}0000${data.slice(66)}`,
    })
    return url
  }

  async function unverifiedReasons(dataDir: string): Promise<string[]> {
    const server = await startPrivatePostgres({ dataDir, logger: silentLogger })
    try {
      const sql = 'SELECT reason FROM doubtful_blocks ORDER BY number'
      const { rows } = await withClient(server.connection, (client) => client.query(sql))
      return rows.map(({ reason }) => reason)
    } finally {
      await server.stop()
    }
  }

  test('default: a lying endpoint next to an honest one changes nothing', async () => {
    const dataDir = await backfill([await marketLiar(), market.node.rpcUrl])
    expectSameMarket(await readStored(dataDir, market.node.profile), await market.backfillFresh())
  })

  /** Runs the service with an honest endpoint until no block is unverified. */
  async function review(dataDir: string, chain: object): Promise<void> {
    const rpc = [{ http_url: market.node.rpcUrl, requests_per_second_max: 100_000 }]
    const config = await writeChainConfig(dataDir, market.node, {
      chain: { ...chain, rpc },
      limits: { doubt_review_ms: 10 },
    })
    const service = await startProgram(dataDir, ['--config', config])
    const connection = await privateConnectionOf(dataDir)
    await until('no block is unverified', async () => {
      // Results of the review are stored with the next block.
      await market.mine(1)
      const sql = 'SELECT count(*) AS count FROM doubtful_blocks'
      const { rows } = await withClient(connection, (client) => client.query(sql))
      return Number(rows[0].count) === 0
    })
    const { hash } = await market.node.readHead()
    await until('the head is stored', async () => (await readCursor(connection))?.hash === hash)
    service.child.kill('SIGTERM')
    expect(await service.ended).toBe(0)
  }

  test('behavior: a mark is removed once an endpoint with receipts is available', async () => {
    const silent = await startChaosRpc({
      targetUrl: market.node.rpcUrl,
      seed: 's',
      rates: noChaos,
      intercept: (call) =>
        /Receipt/.test(call.method)
          ? Promise.resolve(refusal(call, 'the method does not exist', -32_601))
          : undefined,
    })
    closers.push(silent.close)
    // So low that ordinary amounts exceed it.
    const plausibility = { amount_bits_max: 76 }
    const dataDir = await backfill([silent.url], { plausibility })
    expect((await unverifiedReasons(dataDir)).length).toBeGreaterThan(0)
    await review(dataDir, {})
    expectSameMarket(await readStored(dataDir, market.node.profile), await market.backfillFresh())
  })

  test('behavior: falsified blocks are read again once an honest endpoint is available', async () => {
    const finality = { finality: 64 }
    const dataDir = await backfill([await marketLiar()], finality)
    expect((await unverifiedReasons(dataDir)).length).toBeGreaterThan(0)
    await review(dataDir, finality)
    const honest = await backfill([market.node.rpcUrl], finality)
    expectSameMarket(
      await readStored(dataDir, market.node.profile),
      await readStored(honest, market.node.profile),
    )
  })

  test('behavior: blocks of a lying endpoint without another one are marked as unverified', async () => {
    const dataDir = await backfill([await marketLiar()])
    const reasons = await unverifiedReasons(dataDir)
    expect(reasons.length).toBeGreaterThan(0)
    expect(reasons[0]).toMatch(/jumps|disagree|more than there is/)
  })
})
