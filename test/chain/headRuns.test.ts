// Heads that accumulate while a node answers: how many requests they cost, and that reading them
// together loses nothing.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ChainNode, startChainNode } from '../support/chainNode.ts'
import { type ChainReader, openReader, type ReaderOptions } from '../support/chainReader.ts'
import { type ChaosOptions, type ChaosRpc, noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { rangeBlocksOf } from '../support/rpcProxy.ts'

let node: ChainNode
let closers: (() => Promise<void>)[] = []

beforeEach(async () => {
  node = await startChainNode()
  closers = [node.close]
})

afterEach(async () => {
  for (const close of closers.reverse()) await close()
})

/** A reader at the head, behind a proxy that counts requests. */
async function follow(
  options: Partial<ChaosOptions> = {},
  source: ReaderOptions['source'] = {},
): Promise<{ proxy: ChaosRpc; reader: ChainReader }> {
  const target = { targetUrl: node.rpcUrl, seed: 's', rates: noChaos }
  const proxy = await startChaosRpc({ ...target, ...options })
  closers.push(proxy.close)
  const reader = openReader({ endpoints: [{ httpUrl: proxy.url }], source })
  closers.push(reader.close)
  await node.mine(3, () => 1)
  await expectCanonical(reader)
  return { proxy, reader }
}

async function expectCanonical(reader: ChainReader): Promise<void> {
  const canonical = await node.readAll(0)
  const tip = canonical.at(-1)!.ref.hash
  await reader.until(() => reader.blocks.at(-1)?.ref.hash === tip)
  expect(reader.blocks).toEqual(canonical)
}

const callsOf = ({ counts }: ChaosRpc) =>
  [...counts].filter(([name]) => name.startsWith('eth_')).reduce((sum, [, count]) => sum + count, 0)

/** Requests made while the reader takes five blocks that were mined while it was busy. */
async function askedForFive(proxy: ChaosRpc, reader: ChainReader) {
  // Nobody consumes the reader meanwhile, so its source waits at the old head.
  await node.mine(5, (block) => [2, 0, 3, 1, 4][block]!)
  const before = { requests: proxy.requestCount(), calls: callsOf(proxy) }
  await expectCanonical(reader)
  return { requests: proxy.requestCount() - before.requests, calls: callsOf(proxy) - before.calls }
}

test('default: five heads at once take one request for the newest and one batch', async () => {
  const { proxy, reader } = await follow()
  // One request for the newest head, then one batch with five blocks and the logs of all.
  expect(await askedForFive(proxy, reader)).toEqual({ requests: 2, calls: 7 })
  expect(proxy.ranges.at(-1)).toBe(5)
})

test('behavior: a single head is requested by its hash', async () => {
  const { proxy, reader } = await follow()
  await node.mine(1, () => 2)
  const before = { requests: proxy.requestCount(), calls: callsOf(proxy) }
  await expectCanonical(reader)
  expect(proxy.requestCount() - before.requests).toBe(2)
  expect(callsOf(proxy) - before.calls).toBe(3)
  expect(proxy.counts.get('eth_getBlockByHash')).toBeGreaterThan(0)
})

test('behavior: a node that omits logs of a range loses none', async () => {
  const { proxy, reader } = await follow({
    alter: (call, result) =>
      (rangeBlocksOf(call) ?? 1) > 1 ? (result as unknown[]).slice(0, -1) : result,
  })
  await askedForFive(proxy, reader)
})

test('behavior: a node that refuses ranges is asked block by block', async () => {
  const { proxy, reader } = await follow({ rangeBlocksMax: 1 })
  await askedForFive(proxy, reader)
  expect(proxy.counts.get('eth_getBlockByHash')).toBeGreaterThanOrEqual(5)
})

test('behavior: without a bloom filter in the header, receipts of each block are requested', async () => {
  const checks = { bloom: false }
  const { proxy, reader } = await follow({ hasReceipts: true }, { checks })
  expect(await askedForFive(proxy, reader)).toEqual({ requests: 2, calls: 11 })
})

test('behavior: without a bloom filter and receipts, ranges are not trusted', async () => {
  const { proxy, reader } = await follow({}, { checks: { bloom: false } })
  const ranges = proxy.ranges.length
  await askedForFive(proxy, reader)
  expect(proxy.ranges).toHaveLength(ranges)
})

test('behavior: follows a branch that changes between two runs', async () => {
  const { proxy, reader } = await follow()
  await askedForFive(proxy, reader)
  await node.dropBlocks(3)
  await node.mine(7, () => 1)
  await expectCanonical(reader)
  expect(reader.events.filter(({ type }) => type === 'revert')).toHaveLength(3)
})
