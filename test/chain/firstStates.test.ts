// Concentrated pools first seen after their creation, through a node without old state: reserves
// are either right or unknown.
import { afterEach, expect, test } from 'vitest'
import { createEngine, type Engine } from '../../packages/server/src/engine/engine.ts'
import type { FinishedEvent } from '../../packages/server/src/model/finishedBlock.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import { noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createMemoryPipeline, type MemoryPipeline } from '../support/memoryPipeline.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

// Far fewer blocks than real nodes keep, so that a short test chain exceeds the limit.
const stateBlocksMax = 12

/**
 * Starts a market with past trades and follows it from now on through a node that is not an archive
 * node.
 */
async function openLate() {
  const node = await startDevNode({ market: true, seed: 'late' })
  closers.push(() => node.stop())
  for (let block = 0; block < 10; block++) await node.mineMarket()
  const { number } = await node.readHead()
  const proxy = await startChaosRpc({
    targetUrl: node.rpcUrl,
    seed: 'late',
    rates: noChaos,
    stateBlocksMax,
  })
  closers.push(() => proxy.close())
  const pipeline = createMemoryPipeline({
    node,
    startBlock: number + 1,
    readerUrl: proxy.url,
    // The limit of a token with a long past: its transfers are not read, so they cannot give a
    // pool's balance.
    transferScanLogsMax: 1,
  })
  closers.push(() => pipeline.close())
  return { node, proxy, pipeline }
}

async function balanceOf(node: DevNode, token: string, wallet: string, block: string) {
  const data = `0x70a08231${wallet.slice(2).padStart(64, '0')}`
  return BigInt((await node.request('eth_call', [{ to: token, data }, block])) as string)
}

type ReportedState = { number: number; event: Extract<FinishedEvent, { reserve0: bigint }> }

/** The last event with reserves of each block for a pool. */
function reportedStatesOf({ results }: MemoryPipeline, pair: PairRecord): ReportedState[] {
  return results.flatMap(({ block }) => {
    const event = block.events.findLast((item) => 'reserve0' in item && item.pairId === pair.id)
    return event && 'reserve0' in event ? [{ number: block.ref.number, event }] : []
  })
}

function concentratedOf({ rows }: MemoryPipeline): PairRecord[] {
  return [...rows.pairs.values()].filter(({ kind }) => kind === 'concentrated')
}

/**
 * Compares reported reserves with the archive node behind the proxy. Counts how often a pool's
 * reserves were known and unknown.
 */
async function expectTrueOrUnknown(node: DevNode, pipeline: MemoryPipeline) {
  const addresses = new Map(
    [...pipeline.rows.tokens.values()].map((token) => [token.id, token.address]),
  )
  const counts = { known: 0, unknown: 0 }
  for (const pair of concentratedOf(pipeline))
    for (const { number, event } of reportedStatesOf(pipeline, pair)) {
      if (event.reserve0 === 0n && event.reserve1 === 0n) {
        counts.unknown++
        continue
      }
      counts.known++
      const block = `0x${number.toString(16)}`
      expect([number, pair.address, event.reserve0, event.reserve1]).toEqual([
        number,
        pair.address,
        await balanceOf(node, addresses.get(pair.token0Id)!, pair.address, block),
        await balanceOf(node, addresses.get(pair.token1Id)!, pair.address, block),
      ])
    }
  return counts
}

function applyAll({ results }: MemoryPipeline, node: DevNode): Engine {
  const engine = createEngine({ profile: node.profile })
  for (const { block } of results) engine.apply({ type: 'commit', block })
  return engine
}

/**
 * Checks that the engine has each pool's current reserves, and that its initial reserves are the
 * first ones reported.
 */
async function expectMarketOfChain(node: DevNode, pipeline: MemoryPipeline) {
  const engine = applyAll(pipeline, node)
  const addresses = new Map(
    [...pipeline.rows.tokens.values()].map((token) => [token.id, token.address]),
  )
  const pools = concentratedOf(pipeline)
  expect(pools.length).toBeGreaterThan(0)
  for (const pair of pools) {
    const state = engine.pairState(pair.id)
    const { address, token0Id, token1Id } = pair
    expect(state).toMatchObject({
      reserve0: await balanceOf(node, addresses.get(token0Id)!, address, 'latest'),
      reserve1: await balanceOf(node, addresses.get(token1Id)!, address, 'latest'),
    })
    const first = reportedStatesOf(pipeline, pair).find(
      ({ event }) => event.reserve0 + event.reserve1 > 0n,
    )!
    const block = `0x${first.number.toString(16)}`
    expect(state.initReserve0).toBe(await balanceOf(node, addresses.get(token0Id)!, address, block))
    expect(state.tvlUsd).toBeGreaterThan(0)
  }
}

test('default: reserves are unknown until the head, and correct from there on', async () => {
  const { node, proxy, pipeline } = await openLate()
  for (let block = 0; block < 50; block++) await node.mineMarket()
  await pipeline.follow({ isLive: false })
  const pools = concentratedOf(pipeline)
  const caughtUp = await expectTrueOrUnknown(node, pipeline)
  expect(caughtUp.unknown).toBeGreaterThan(0)
  expect(pipeline.resolver.stats().unknownPoolCount).toBeGreaterThan(0)
  expect(pipeline.resolver.stats().failedStateCount).toBeGreaterThan(0)
  expect(proxy.counts.get('pruned')).toBeGreaterThan(0)
  const before = applyAll(pipeline, node)
  for (const { id, token0Id, token1Id } of pools) {
    const { reserve0, reserve1, tvlUsd } = before.pairState(id)
    if (reserve0 !== 0n || reserve1 !== 0n) continue
    expect(tvlUsd).toBe(0)
    const mainPairs = [token0Id, token1Id].map((tokenId) => before.tokenState(tokenId).mainPairId)
    expect(mainPairs).not.toContain(id)
  }

  // A block without events: the pools' reserves are still reported with it.
  await node.mine()
  await pipeline.follow({ isLive: true })
  expect(pipeline.resolver.stats().unknownPoolCount).toBe(0)
  await expectMarketOfChain(node, pipeline)
  for (let block = 0; block < 5; block++) await node.mineMarket()
  await pipeline.follow({ isLive: true })
  await expectTrueOrUnknown(node, pipeline)
  await expectMarketOfChain(node, pipeline)
})

test('behavior: a block that reported pools is reverted, by the same process and by another', async () => {
  const { node, pipeline } = await openLate()
  for (let block = 0; block < 40; block++) await node.mineMarket()
  await pipeline.follow({ isLive: false })
  const { unknownPoolCount } = pipeline.resolver.stats()
  expect(unknownPoolCount).toBeGreaterThan(0)
  for (const isRestarted of [false, true]) {
    const rows = structuredClone(pipeline.rows.balances)
    await node.mine()
    await pipeline.follow({ isLive: true })
    await expectMarketOfChain(node, pipeline)
    if (isRestarted) pipeline.restart()
    await node.reorg(1)
    await pipeline.follow({ isLive: true })
    for (const [key, amount] of pipeline.rows.balances) expect(amount).toBe(rows.get(key) ?? 0n)
    if (!isRestarted) expect(pipeline.resolver.stats().unknownPoolCount).toBe(unknownPoolCount)
  }
  for (let block = 0; block < 5; block++) await node.mineMarket()
  await pipeline.follow({ isLive: true })
  await expectTrueOrUnknown(node, pipeline)
})

test('behavior: unreported pools are still unknown after a restart', async () => {
  const { node, pipeline } = await openLate()
  for (let block = 0; block < 40; block++) await node.mineMarket()
  await pipeline.follow({ isLive: false })
  const { unknownPoolCount } = pipeline.resolver.stats()
  expect(unknownPoolCount).toBeGreaterThan(0)
  pipeline.restart()
  expect(pipeline.resolver.stats().unknownPoolCount).toBeGreaterThanOrEqual(unknownPoolCount)
  for (let block = 0; block < 40; block++) await node.mineMarket()
  await pipeline.follow({ isLive: false })
  await expectTrueOrUnknown(node, pipeline)
  await node.mine()
  await pipeline.follow({ isLive: true })
  await expectMarketOfChain(node, pipeline)
})
