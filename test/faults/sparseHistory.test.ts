// Final history of which only blocks with relevant logs are read, compared with reading every
// block.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EvmBlock } from '../../packages/server/src/model/evm/evmBlock.ts'
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { type ChainNode, startChainNode } from '../support/chainNode.ts'
import { type ChainReader, openReader, type ReaderOptions } from '../support/chainReader.ts'
import { type ChaosOptions, type ChaosRpc, noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { silentLogger, withClient } from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
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

describe('blocks', () => {
  let node: ChainNode

  beforeEach(async () => {
    node = await startChainNode()
    closers = [node.close]
  })

  async function chaos(options: Partial<ChaosOptions> = {}): Promise<ChaosRpc> {
    const proxy = await startChaosRpc({
      targetUrl: node.rpcUrl,
      seed: 's',
      rates: noChaos,
      ...options,
    })
    closers.push(proxy.close)
    return proxy
  }

  function read(urls: readonly string[], source: ReaderOptions['source'] = {}): ChainReader {
    const reader = openReader({
      endpoints: urls.map((httpUrl) => ({ httpUrl })),
      source: {
        isSparse: true,
        finality: { type: 'depth', blocks: 16 },
        reorgDepthMax: 16,
        backfill: { rangeBlocks: 500, parallelRanges: 2 },
        ...source,
      },
    })
    closers.push(reader.close)
    return reader
  }

  const withLogs = (blocks: readonly EvmBlock[]) => blocks.filter(({ logs }) => logs.length > 0)

  /** A block without its parent: in a sparse stream the parent is the last block that was read. */
  const contentOf = ({ ref: { number, hash, timeS }, logs, senders }: EvmBlock) => {
    return { number, hash, timeS, logs, senders }
  }

  /** Reads to the head and compares with every block of the node. */
  async function expectCanonical(reader: ChainReader): Promise<void> {
    const canonical = await node.readAll(0)
    const tip = canonical.at(-1)!.ref.hash
    await reader.until(() => reader.blocks.at(-1)?.ref.hash === tip)
    const wanted = withLogs(canonical).map(contentOf)
    expect(withLogs(reader.blocks).map(contentOf)).toEqual(wanted)
    // Blocks that can still be replaced are read one by one and completely.
    expect(reader.blocks.slice(-16)).toEqual(canonical.slice(-16))
  }

  const callsOf = ({ counts }: ChaosRpc) =>
    [...counts].reduce((sum, [method, count]) => sum + (method.startsWith('eth_') ? count : 0), 0)

  /** One block in `blocks` has a deposit, a transfer and an approval. */
  const oneIn = (blocks: number) => (block: number) => (block % blocks === 0 ? 3 : 0)

  test('default: a quiet chain takes a tenth of the calls for the same history', async () => {
    await node.mine(1_016, oneIn(100))
    const [sparse, dense] = [await chaos(), await chaos()]
    const reader = read([sparse.url])
    await expectCanonical(reader)
    await expectCanonical(read([dense.url], { isSparse: false }))
    // Both include calls at the head: headers of 16 blocks that are not final, their logs, and
    // polls.
    const callsMax = { sparse: 140, dense: 1_060 }
    expect(callsOf(sparse)).toBeLessThanOrEqual(callsMax.sparse)
    expect(callsOf(dense)).toBeGreaterThan(1_016)
    expect(callsOf(dense)).toBeLessThanOrEqual(callsMax.dense)
    expect(reader.blocks.length).toBeLessThan(100)
    expect(reader.progress()).toMatchObject({ isLive: true, cursorNumber: 1_017 })
  })

  test('behavior: a busy chain takes no additional calls', async () => {
    await node.mine(200, () => 3)
    const [sparse, dense] = [await chaos(), await chaos()]
    await expectCanonical(read([sparse.url]))
    await expectCanonical(read([dense.url], { isSparse: false }))
    expect(sparse.counts.get('eth_getLogs')).toBe(dense.counts.get('eth_getLogs'))
    expect(sparse.counts.get('eth_getBlockByHash')).toBe(dense.counts.get('eth_getBlockByHash'))
  })

  test('behavior: resumes after a stop, and at the head reads every block and its reorgs', async () => {
    await node.mine(200, oneIn(20))
    const first = read([node.rpcUrl], { backfill: { rangeBlocks: 40, parallelRanges: 1 } })
    await first.until(() => (first.blocks.at(-1)?.ref.number ?? 0) > 90)
    await first.close()
    const known = first.blocks.map(({ ref }) => ref)
    expect(known.some(({ number, parentNumber }) => number - parentNumber > 1)).toBe(true)
    const reader = read([node.rpcUrl], { known, finalizedNumber: known.at(-3)!.number })
    // The known blocks were passed without logs, so they are replaced by those that the first
    // reader read.
    reader.blocks.splice(0, known.length, ...first.blocks)
    await expectCanonical(reader)
    for (const depth of [1, 5]) {
      await node.mine(2, oneIn(2))
      await expectCanonical(reader)
      await node.dropBlocks(depth)
      await node.mine(depth + 1, oneIn(2))
      await expectCanonical(reader)
    }
    expect(reader.progress().reorgCount).toBe(2)
  })

  test('behavior: one of two endpoints lies', async () => {
    await node.mine(200, oneIn(5))
    const liar = await chaos({ rates: { ...noChaos, lie: 0.5 } })
    const reader = read([liar.url, node.rpcUrl], {
      backfill: { rangeBlocks: 60, parallelRanges: 2 },
    })
    await expectCanonical(reader)
    expect(liar.counts.get('logsLeftOut')).toBeGreaterThan(0)
    expect(reader.rpc.status()[0]!.faultCount).toBeGreaterThan(0)
  })

  test.each(['a', 'b', 'c'])(
    'behavior: chaos of the only endpoint by seed %s nets out to the chain',
    async (seed) => {
      await node.mine(200, oneIn(5))
      const rates = { delay: 0.2, fail: 0.2, limit: 0.05, lie: 0.15 }
      const proxy = await chaos({ seed, rates })
      const backfill = { rangeBlocks: 60, parallelRanges: 2 }
      await expectCanonical(read([proxy.url], { backfill }))
    },
  )

  test('behavior: logs that the only endpoint always omits are noticed by sampled headers', async () => {
    await node.mine(220, oneIn(5))
    type Log = { blockNumber: string }
    const isLeftOut = ({ blockNumber }: Log) => Number(blockNumber) > 60
    const proxy = await chaos({
      // Range queries return nothing of newer blocks, as from a node whose index is behind; queries
      // by block hash are complete.
      alter: ({ method, params: [filter] }, result) =>
        method === 'eth_getLogs' && !Object.hasOwn(filter as object, 'blockHash')
          ? (result as Log[]).filter((log) => !isLeftOut(log))
          : result,
    })
    const reader = read([proxy.url], {
      sampleEveryBlocks: 0,
      backfill: { rangeBlocks: 150, parallelRanges: 1 },
    })
    await expectCanonical(reader)
    expect(reader.rpc.status()[0]!.faultCount).toBeGreaterThan(0)
  })
})

test('behavior: a sparse backfill, killed or not, stores the rows of a complete one', async () => {
  const market = await startIndexedNode({ seed: 'sparse', blocks: 10 })
  closers = [market.stop]
  // Long quiet times, so that a challenger of a main pair takes over while nothing happens.
  for (const quiet of [30, 70, 5, 45, 90, 25]) {
    for (let left = quiet; left > 0; left -= 1) await market.node.mine()
    await market.mine(4)
  }
  const backfill = async (config: string) =>
    expect(await runProgram(['backfill', '--config', config]).ended).toBe(0)
  const dense = await market.createConfig({}, { history_headers: 'all' })
  await backfill(dense.config)
  const sparse = await market.createConfig()
  await backfill(sparse.config)
  const killed = await killedAbove(150, market)
  await backfill(killed.config)
  const wanted = await readStored(dense.dataDir, market.node.profile)
  expect(wanted.tables.swaps!.length).toBeGreaterThan(20)
  for (const { dataDir } of [sparse, killed])
    expectSameMarket(await readStored(dataDir, market.node.profile), wanted)
  const countOf = ({ dataDir }: { dataDir: string }) => countBlocks(dataDir)
  expect(await countOf(sparse)).toBeLessThan((await countOf(dense)) / 2)
})

/**
 * Runs a backfill and kills it while it waits for logs above a block number. Returns its data
 * directory.
 */
async function killedAbove(number: number, market: IndexedNode) {
  const silent = await startChaosRpc({
    targetUrl: market.node.rpcUrl,
    seed: 's',
    rates: noChaos,
    intercept({ method, params: [filter] }) {
      const isAbove = Number((filter as { fromBlock?: string })?.fromBlock) > number
      return method === 'eth_getLogs' && isAbove ? new Promise(() => undefined) : undefined
    },
  })
  closers.push(silent.close)
  const limits = { log_range_blocks_max: 40, backfill_ranges_max: 1 }
  const rpc = [{ http_url: silent.url, requests_per_second_max: 100_000 }]
  const { dataDir, config } = await market.createConfig(limits, { rpc })
  const program = runProgram(['backfill', '--config', config])
  const isFar = async () => {
    const cursor = await readCursor(await privateConnectionOf(dataDir))
    return (cursor?.number ?? 0) > 100
  }
  await until('some blocks are stored', isFar)
  expect(program.child.kill('SIGKILL')).toBe(true)
  expect(await program.ended).toBe('SIGKILL')
  return { dataDir, config: await writeChainConfig(dataDir, market.node) }
}

async function countBlocks(dataDir: string): Promise<number> {
  const server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  try {
    const sql = `SELECT count(*) AS count FROM log WHERE type = 'commit'`
    const { rows } = await withClient(server.connection, (client) => client.query(sql))
    return Number(rows[0].count)
  } finally {
    await server.stop()
  }
}
