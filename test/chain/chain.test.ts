import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEvmIntake } from '../../packages/server/src/kinds/evm/evmIntake.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { generatorProfile as profile } from '../support/blockGenerator.ts'
import { type ChainNode, startChainNode } from '../support/chainNode.ts'
import type { ChainReader, ReaderOptions } from '../support/chainReader.ts'
import { openReader } from '../support/chainReader.ts'
import { type ChaosOptions, type ChaosRpc, noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { startTcpProxy } from '../support/tcpProxy.ts'
import { pollOptions } from '../support/until.ts'

let node: ChainNode
let closers: (() => Promise<void>)[] = []

beforeEach(async () => {
  node = await startChainNode()
  closers = [node.close]
})

afterEach(async () => {
  for (const close of closers.reverse()) await close()
})

function read(options: Partial<ReaderOptions> = {}): ChainReader {
  const reader = openReader({ endpoints: [{ httpUrl: node.rpcUrl }], ...options })
  closers.push(reader.close)
  return reader
}

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

/** Blocks of very different sizes, some of them empty. */
const uneven = (block: number) => [3, 0, 7, 1, 0, 12][block % 6]!
const one = () => 1

const tipNumber = (reader: ChainReader) => reader.blocks.at(-1)?.ref.number ?? -1

/**
 * Reads until the reader's head is the node's, then compares all blocks with a plain block-by-block
 * read of the node.
 */
async function expectCanonical(reader: ChainReader, from = 0): Promise<void> {
  const canonical = await node.readAll(from)
  const tip = canonical.at(-1)!.ref.hash
  await reader.until(() => reader.blocks.at(-1)?.ref.hash === tip)
  expect(reader.blocks.filter(({ ref }) => ref.number >= from)).toEqual(canonical)
}

test('default: a backfill equals a sequential read', async () => {
  await node.mine(250, uneven)
  const reader = read()
  await expectCanonical(reader)
  expect(reader.blocks.some(({ logs }) => logs.length > 0)).toBe(true)
  expect(reader.progress()).toMatchObject({ isLive: true, cursorNumber: 251, headNumber: 251 })
  expect(reader.events.filter(({ type }) => type === 'revert')).toEqual([])
})

test('args: startBlock', async () => {
  await node.mine(60, uneven)
  const reader = read({ source: { startBlock: 37 } })
  await expectCanonical(reader, 37)
  expect(reader.blocks[0]!.ref.number).toBe(37)
})

test('behavior: continues live after a backfill, by polling', async () => {
  await node.mine(50, uneven)
  const reader = read()
  await expectCanonical(reader)
  for (let round = 0; round < 5; round += 1) {
    await node.mine(1, uneven)
    await expectCanonical(reader)
  }
})

test('behavior: continues live by subscription', async () => {
  await node.mine(20, uneven)
  const endpoints = [{ httpUrl: node.rpcUrl, wsUrl: node.wsUrl }]
  // With this poll interval, polling cannot deliver the blocks within the test's time; only the
  // subscription can.
  const reader = read({ endpoints, source: { pollMs: 3_600_000 } })
  await expectCanonical(reader)
  let miner = Promise.resolve()
  const ticks = setInterval(() => {
    miner = miner.then(() => node.mine(1, one))
  }, 50)
  try {
    await reader.until(() => reader.blocks.length >= 30)
  } finally {
    clearInterval(ticks)
    await miner
  }
  expect(reader.events.filter(({ type }) => type === 'revert')).toEqual([])
})

test('behavior: finalizes by depth', async () => {
  await node.mine(60, one)
  const reader = read({ source: { finality: { type: 'depth', blocks: 10 } } })
  await reader.until(() => reader.events.at(-1)?.type === 'finalize' && tipNumber(reader) === 61)
  expect(reader.events.at(-1)).toMatchObject({ type: 'finalize', ref: { number: 51 } })
  expect(reader.progress().finalizedNumber).toBe(51)
})

test('behavior: old blocks are final on arrival', async () => {
  await node.mine(60, one)
  const reader = read({ source: { finality: { type: 'depth', blocks: 10 } } })
  await reader.until(() => tipNumber(reader) === 0)
  expect(reader.finalizedNumber()).toBe(0)
  await reader.until(() => tipNumber(reader) === 61)
  expect(reader.finalizedNumber()).toBe(51)
})

test('behavior: finalizes by tag', async () => {
  await node.mine(20, one)
  const reader = read({ source: { finality: { type: 'tag' } } })
  await reader.until(() => reader.events.at(-1)?.type === 'finalize')
  const last = reader.events.at(-1)
  expect(last).toMatchObject({ type: 'finalize', ref: { hash: reader.blocks.at(-1)!.ref.hash } })
})

test('behavior: finalizes by a tag further behind than the blocks in memory', async () => {
  await node.mine(60, one)
  const proxy = await chaos({ finalizedLag: 20 })
  const source = { finality: { type: 'tag' as const }, reorgDepthMax: 8 }
  const reader = read({ endpoints: [{ httpUrl: proxy.url }], source })
  await reader.until(() => reader.progress().finalizedNumber === 41 && tipNumber(reader) === 61)
  expect(reader.finalizedNumber()).toBe(41)

  // The reader starts as after a restart, knowing the newest 20 blocks, which are not final.
  const known = reader.blocks.map(({ ref }) => ref).slice(-20)
  await node.mine(3, one)
  const again = read({
    endpoints: [{ httpUrl: proxy.url }],
    source: { ...source, known, finalizedNumber: 41 },
  })
  await again.until(() => again.events.at(-1)?.type === 'finalize' && tipNumber(again) === 64)
  expect(again.events.at(-1)).toMatchObject({ type: 'finalize', ref: { number: 44 } })
})

test.each(['latest', 1_000_000] as const)(
  'behavior: history begins with the first stored block, whatever the setup says (%s)',
  async (startBlock) => {
    await node.mine(20, one)
    const first = read({ source: { startBlock: 5 } })
    await expectCanonical(first, 5)
    const known = first.blocks.map(({ ref }) => ref).slice(-6)
    const limits = { logRangeBlocksMax: 40, backfillRangesMax: 2, rpcBatchRequestsMax: 50 }
    const stop = new AbortController()
    const intake = await openEvmIntake({
      setup: {
        kind: 'evm',
        profile,
        storeName: 'local',
        startBlock,
        pollMs: 5,
        chainId: undefined,
        blocks: {},
        finality: { type: 'depth', blocks: 3 },
        multicall3: `0x${'00'.repeat(20)}`,
        endpoints: [{ httpUrl: node.rpcUrl }],
        limits: {
          ...limits,
          resolveMsMax: 1_000,
          rpcMsMax: 10_000,
          entriesAheadMax: 10,
          ignoreMs: 600_000,
          creationSearchesMax: 0,
          shareReadsMax: 0,
        },
      },
      known,
      firstNumber: 5,
      finalizedNumber: -1,
      logger: createLogger('silent'),
      signal: stop.signal,
    })
    closers.push(async () => {
      stop.abort()
      intake.close()
    })
    expect(intake.progress().startNumber).toBe(5)
    const tip = known.at(-1)!
    await node.dropBlocks(1)
    await node.mine(2, one)
    const types: string[] = []
    for await (const event of intake.events()) {
      types.push(event.type)
      if (event.type !== 'finalize') continue
      expect(event.ref.number).toBe(tip.number - 2)
      break
    }
    expect(types).toEqual(['revert', 'commit', 'commit', 'finalize'])
  },
)

test.each([1, 3, 10, 64])('behavior: reorg of %i blocks', async (depth) => {
  await node.mine(depth + 30, uneven)
  const source = { reorgDepthMax: 64, finality: { type: 'depth' as const, blocks: 64 } }
  const reader = read({ source })
  await expectCanonical(reader)
  const tip = tipNumber(reader)
  await node.dropBlocks(depth)
  await node.mine(depth + 1, one)
  await expectCanonical(reader)
  const reverted = reader.events.flatMap((event) =>
    event.type === 'revert' ? event.ref.number : [],
  )
  expect(reverted).toEqual(Array.from({ length: depth }, (_, at) => tip - at))
})

test('behavior: reorg to a branch of the same length', async () => {
  await node.mine(20, uneven)
  const reader = read()
  await expectCanonical(reader)
  await node.dropBlocks(2)
  await node.mine(2, one)
  await expectCanonical(reader)
  expect(reader.progress().reorgCount).toBe(1)
})

test('behavior: waits for a node that is behind the cursor', async () => {
  await node.mine(20, uneven)
  const first = read()
  await expectCanonical(first)
  await node.dropBlocks(5)
  const proxy = await chaos()
  const known = first.blocks.map(({ ref }) => ref)
  const reader = read({ endpoints: [{ httpUrl: proxy.url }], source: { known } })
  const isRead = expectCanonicalLater(reader)
  await expect.poll(() => reader.progress().headNumber, pollOptions).toBe(16)
  expect(reader.events).toEqual([])
  await node.mine(6, one)
  await isRead()
  expect(reader.events.filter(({ type }) => type === 'revert')).toHaveLength(5)
})

/**
 * Mines block by block until the proxy has made every listed fault. The number of requests per
 * block depends on the machine.
 */
async function untilDone(proxy: ChaosRpc, reader: ChainReader, names: string[]): Promise<void> {
  while (!names.every((name) => proxy.counts.has(name))) {
    await node.mine(1, one)
    await expectCanonical(reader)
  }
}

/** Starts reading now. The returned function compares the chain later. */
function expectCanonicalLater(reader: ChainReader): () => Promise<void> {
  const isMoving = reader.until(() => reader.events.length > 0)
  return async () => {
    await isMoving
    const canonical = await node.readAll(0)
    await reader.until(() => reader.blocks.at(-1)?.ref.hash === canonical.at(-1)!.ref.hash)
    expect(reader.blocks.map(({ ref }) => ref)).toEqual(canonical.map(({ ref }) => ref))
  }
}

test('behavior: resumes on blocks that were partly replaced', async () => {
  await node.mine(80, uneven)
  const first = read()
  await expectCanonical(first)
  const known = first.blocks.map(({ ref }) => ref).slice(-32)
  await node.dropBlocks(4)
  await node.mine(60, uneven)
  const reader = read({ source: { known } })
  await expectCanonical(reader, known.at(-1)!.number - 3)
  expect(reader.events.slice(0, 4)).toEqual(
    known
      .slice(-4)
      .reverse()
      .map((ref) => ({ type: 'revert', ref })),
  )
})

test('behavior: all known blocks may be replaced if their parent remains', async () => {
  await node.mine(20, one)
  const first = read()
  await expectCanonical(first)
  const known = first.blocks.map(({ ref }) => ref).slice(-6)
  await node.dropBlocks(6)
  await node.mine(8, one)
  const reader = read({ source: { known } })
  await expectCanonical(reader, known[0]!.number)
})

test('error: reorg deeper than the known blocks', async () => {
  await node.mine(30, one)
  const first = read()
  await expectCanonical(first)
  const known = first.blocks.map(({ ref }) => ref).slice(-6)
  await node.dropBlocks(7)
  await node.mine(9, one)
  const reader = read({ source: { known } })
  await expect(reader.until(() => false)).rejects.toMatchObject({ code: 'REORG_TOO_DEEP' })
  expect(reader.events).toEqual([])
})

test.each([
  ['live', 9],
  ['down to the final block', 20],
])('error: reorg deeper than the blocks in memory, %s', async (_, depth) => {
  await node.mine(60, one)
  const source = { reorgDepthMax: 8, finality: { type: 'depth' as const, blocks: 20 } }
  const reader = read({ source })
  await expectCanonical(reader)
  await reader.until(() => reader.progress().finalizedNumber === tipNumber(reader) - 20)
  const ancestor = reader.blocks.at(-1 - depth)!.ref
  const eventsBefore = reader.events.length
  await node.dropBlocks(depth)
  await node.mine(depth + 2, one)
  await expect(reader.until(() => false)).rejects.toMatchObject({
    code: 'REORG_DEEP',
    ancestor: { number: ancestor.number, hash: ancestor.hash },
  })
  expect(reader.events.slice(eventsBefore)).toEqual([])
})

test('error: all blocks are replaced and some are no longer in memory', async () => {
  await node.mine(20, one)
  const source = { startBlock: 10, reorgDepthMax: 4 }
  const reader = read({ source })
  await expectCanonical(reader, 10)
  await node.dropBlocks(14)
  await node.mine(16, one)
  await expect(reader.until(() => false)).rejects.toMatchObject({
    code: 'REORG_DEEP',
    ancestor: { number: 9, hash: null },
  })
})

test.each([
  ['depth', { type: 'depth' as const, blocks: 10 }],
  ['tag', { type: 'tag' as const }],
])(
  'behavior: after a long pause the newest blocks are not final by age, %s',
  async (_, finality) => {
    await node.mine(30, one)
    const proxy = await chaos({ finalizedLag: 10 })
    const reader = read({ endpoints: [{ httpUrl: proxy.url }], source: { finality } })
    await expectCanonical(reader)
    await node.dropBlocks(2)
    await node.mine(60, one)
    await expectCanonical(reader)
    expect(reader.events.filter(({ type }) => type === 'revert')).toHaveLength(2)
  },
)

test('error: reorg below a final block', async () => {
  await node.mine(30, one)
  const reader = read({ source: { finality: { type: 'depth', blocks: 3 } } })
  await expectCanonical(reader)
  await reader.until(() => reader.progress().finalizedNumber === tipNumber(reader) - 3)
  await node.dropBlocks(5)
  await node.mine(7, one)
  await expect(reader.until(() => false)).rejects.toMatchObject({ code: 'REORG_TOO_DEEP' })
})

test('behavior: log ranges shrink to the node’s limit and grow back', async () => {
  await node.mine(300, uneven)
  const proxy = await chaos({ rangeBlocksMax: 21 })
  const reader = read({
    endpoints: [{ httpUrl: proxy.url }],
    source: { backfill: { rangeBlocks: 100, parallelRanges: 2 } },
  })
  await expectCanonical(reader)
  expect(proxy.counts.get('range')).toBeGreaterThan(0)
  const smallest = proxy.ranges.indexOf(Math.min(...proxy.ranges.slice(0, -4)))
  expect(Math.max(...proxy.ranges.slice(smallest))).toBeGreaterThan(proxy.ranges[smallest]!)
})

test.each([10, 1_000, 10_000])(
  'behavior: a node that gives logs of %i blocks at once, of a reader that asks for more',
  async (rangeBlocksMax) => {
    await node.mine(60, uneven)
    const proxy = await chaos({ rangeBlocksMax })
    const backfill = { rangeBlocks: 20_000, parallelRanges: 2 }
    const reader = read({ endpoints: [{ httpUrl: proxy.url }], source: { backfill } })
    await expectCanonical(reader)
    expect(Math.max(...proxy.ranges)).toBeLessThanOrEqual(Math.min(rangeBlocksMax, 62))
  },
)

test('behavior: a connection that loses announcements repeatedly', async () => {
  await node.mine(20, uneven)
  const line = await startTcpProxy(node.wsUrl)
  closers.push(line.close)
  const wsUrl = line.address.replace('http', 'ws')
  const reader = read({ endpoints: [{ httpUrl: node.rpcUrl, wsUrl }] })
  await expectCanonical(reader)
  for (const cut of [line.cut, line.freeze, line.cut]) {
    await node.mine(2, uneven)
    await expectCanonical(reader)
    cut()
    await node.dropBlocks(1)
    await node.mine(3, uneven)
    await expectCanonical(reader)
  }
})

test('behavior: a node without batches gets single requests', async () => {
  await node.mine(40, uneven)
  const proxy = await chaos({ isBatchless: true })
  const reader = read({ endpoints: [{ httpUrl: proxy.url }] })
  await expectCanonical(reader)
  expect(reader.rpc.status()[0]!.isBatching).toBe(false)
})

test('behavior: reads blocks by receipts if the node has them', async () => {
  await node.mine(40, uneven)
  const proxy = await chaos({ hasReceipts: true })
  const source = { prefersReceipts: true }
  const reader = read({ endpoints: [{ httpUrl: proxy.url }], source })
  await expectCanonical(reader)
  await node.dropBlocks(2)
  await node.mine(4, uneven)
  await expectCanonical(reader)
  expect(proxy.counts.get('eth_getLogs')).toBeUndefined()
  expect(proxy.counts.get('eth_getBlockReceipts')).toBeGreaterThan(40)
})

test('behavior: fetches no further ahead of the reader than allowed', async () => {
  await node.mine(300, one)
  const proxy = await chaos()
  const backfill = { rangeBlocks: 40, parallelRanges: 4, prefetchBlocksMax: 100 }
  const reader = read({ endpoints: [{ httpUrl: proxy.url }], source: { backfill } })
  await reader.until(() => reader.blocks.length === 1)
  await expect.poll(() => reader.rpc.status()[0]!.inFlight, pollOptions).toBe(0)
  const asked = proxy.ranges.reduce((sum, blocks) => sum + blocks, 0)
  expect(asked).toBeGreaterThan(40)
  expect(asked).toBeLessThanOrEqual(100)
  await expectCanonical(reader)
})

test('behavior: falls back to logs if receipts are preferred and the node has none', async () => {
  await node.mine(40, uneven)
  const reader = read({ source: { prefersReceipts: true } })
  await expectCanonical(reader)
  expect(reader.rpc.status()[0]!.lacks).toEqual(['eth_getBlockReceipts'])
})

test('behavior: another endpoint takes over from a dead one', async () => {
  await node.mine(40, uneven)
  const proxy = await chaos()
  const reader = read({ endpoints: [{ httpUrl: proxy.url }, { httpUrl: node.rpcUrl }] })
  await expectCanonical(reader)
  const { failureCount } = reader.rpc.status()[0]!
  proxy.kill()
  for (let round = 0; round < 3; round += 1) {
    await node.mine(2, uneven)
    await expectCanonical(reader)
  }
  expect(reader.rpc.status()[0]!.failureCount).toBeGreaterThan(failureCount)
})

test('behavior: one of two endpoints lies', async () => {
  await node.mine(120, uneven)
  const liar = await chaos({ rates: { ...noChaos, lie: 0.5 } })
  const reader = read({ endpoints: [{ httpUrl: liar.url }, { httpUrl: node.rpcUrl }] })
  await expectCanonical(reader)
  await node.mine(3, uneven)
  await expectCanonical(reader)
  await node.dropBlocks(2)
  await node.mine(4, uneven)
  await expectCanonical(reader)
  expect(reader.rpc.status()[0]!.faultCount).toBeGreaterThan(0)
})

test.each(['a', 'b', 'c', 'd'])(
  'behavior: chaos by seed %s nets out to the chain',
  async (seed) => {
    await node.mine(90, uneven)
    const proxy = await chaos({ seed, rates: { delay: 0.2, fail: 0.2, limit: 0.05, lie: 0.15 } })
    const reader = read({
      endpoints: [{ httpUrl: proxy.url }],
      rpc: { batchSizeMax: 10 },
    })
    await expectCanonical(reader)
    for (const depth of [1, 3, 10]) {
      await node.dropBlocks(depth)
      await node.mine(depth + 2, uneven)
      await expectCanonical(reader)
    }
    await untilDone(proxy, reader, ['error', 'limit', 'logsLeftOut', 'notThere'])
  },
)

test('behavior: a single missing log is noticed where all logs are requested', async () => {
  await node.mine(90, uneven)
  const rates = { ...noChaos, lie: 0.3 }
  const proxy = await chaos({ rates, leavesOutOneLog: true })
  const isComplete = { block: true, range: true }
  const reader = read({ endpoints: [{ httpUrl: proxy.url }], source: { isComplete } })
  await expectCanonical(reader)
  await untilDone(proxy, reader, ['logsLeftOut'])
})

test('behavior: ends when stopped', async () => {
  await node.mine(5, one)
  const reader = read()
  await expectCanonical(reader)
  const reading = reader.until(() => false)
  await Promise.all([expect(reading).rejects.toThrow('The source ended'), reader.close()])
})
