// The whole source over nodes in memory: what it gives out is the nodes' chain.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import {
  blockOf,
  EvmNode,
  endpointsOf,
  mineBlocks,
  nextBlock,
  otherTopic,
  wantedTopic,
} from '../../../../../test/support/evmNodes.ts'
import { isRange, readNodes, topics0 } from '../../../../../test/support/evmSource.ts'
import { pollOptions } from '../../../../../test/support/until.ts'

/** Wanted logs in some blocks, others beside them, and empty blocks. */
const varied = (number: number) => ({
  topics: [[wantedTopic], [], [otherTopic, wantedTopic, wantedTopic], [otherTopic]][number % 4]!,
})
const wantedOnly = () => ({})

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type)

test('old blocks come by ranges, new ones one by one, and all are as on the node', async () => {
  const node = new EvmNode(mineBlocks(100, null, varied))
  const reader = readNodes([node])
  await reader.untilAsOn(node)
  expect(reader.blocks).toHaveLength(100)
  const ranges = node.calls.filter(isRange)
  expect(ranges.length).toBeLessThan(8)
  for (let round = 0; round < 4; round += 1) {
    node.mine(varied(round))
    await reader.untilAsOn(node)
  }
  expect(node.calls.filter(isRange)).toHaveLength(ranges.length)
  expect(reader.progress()).toMatchObject({
    ...{ startNumber: 0, headNumber: 103, cursorNumber: 103, isLive: true, reorgCount: 0 },
    headTimeS: Number(node.head.raw.timestamp),
    failedCheck: null,
    lastError: null,
  })
  expect(reader.faults()).toEqual([])
})

test('reading starts at the start block, at the tip too', async () => {
  const node = new EvmNode(mineBlocks(30, null, varied))
  for (const startBlock of [12, 29]) {
    const reader = readNodes([node], { source: { startBlock } })
    await reader.untilAsOn(node)
    expect(reader.blocks[0]!.ref.number).toBe(startBlock)
    expect(reader.progress()).toMatchObject({ startNumber: startBlock, cursorNumber: 29 })
  }
})

test.each([8, 9])('%i new blocks at once take one range of logs', async (gap) => {
  const node = new EvmNode(mineBlocks(60, null, varied))
  const reader = readNodes([node], { source: { isComplete: { block: false, range: false } } })
  await reader.untilAsOn(node)
  const before = node.calls.length
  for (let more = 0; more < gap; more += 1) node.mine(varied(more))
  await reader.untilAsOn(node)
  const toBlock = `0x${(59 + gap).toString(16)}`
  expect(node.calls.slice(before).filter(isRange)).toMatchObject([
    { params: [{ fromBlock: '0x3c', toBlock }] },
  ])
})

describe('another branch', () => {
  test.each([
    ['of the same length', 3, 3],
    ['that is longer', 2, 6],
    ['of one block', 1, 1],
  ])('%s replaces ours, newest first', async (_, count, newCount) => {
    const node = new EvmNode(mineBlocks(40, null, varied))
    const reader = readNodes([node])
    await reader.untilAsOn(node)
    const before = reader.events.length
    node.replace(count, { branch: 'b' }, newCount)
    await reader.untilAsOn(node)
    const events = reader.events.slice(before).filter(({ type }) => type !== 'finalize')
    expect(typesOf(events.slice(0, count))).toEqual(Array(count).fill('revert'))
    expect(reader.progress().reorgCount).toBe(1)
    expect(reader.faults()).toEqual([])
  })

  test('is found among old blocks after a time without an answer', async () => {
    const node = new EvmNode(mineBlocks(40, null, varied))
    const reader = readNodes([node])
    await reader.untilAsOn(node)
    node.replace(4, { branch: 'b' }, 40)
    await reader.untilAsOn(node)
    expect(typesOf(reader.events).filter((type) => type === 'revert')).toHaveLength(4)
  })

  test('of a node that another node contradicts is not followed', async () => {
    const [wrong, right] = [
      new EvmNode(mineBlocks(30, null, varied)),
      new EvmNode(mineBlocks(30, null, varied)),
    ] as const
    const reader = readNodes([wrong, right])
    await reader.untilAsOn(right)
    wrong.replace(2, { branch: 'b' })
    const before = wrong.calls.length
    const following = reader.until(() => reader.blocks.at(-1)!.ref.number === 30)
    const looked = () => wrong.calls.slice(before).filter(({ params }) => params[0] === 'latest')
    await vi.waitFor(() => expect(looked().length).toBeGreaterThan(2), pollOptions)
    right.mine()
    await following
    await reader.untilAsOn(right)
    expect(typesOf(reader.events)).not.toContain('revert')
  })

  test.each([0, 1])(
    'that leads nowhere is held against node %i, which reported it',
    async (liar) => {
      const nodes = [0, 1].map(() => new EvmNode(mineBlocks(30, null, varied)))
      const reader = readNodes(nodes)
      await reader.untilAsOn(nodes[0]!)
      const honest = [...nodes[0]!.blocks]
      // The other node has no answer to the next question for the head.
      nodes[1 - liar]!.isDown = true
      const invented = nextBlock(nextBlock(nodes[0]!.blocks[28]!, { branch: 'x' }), { branch: 'x' })
      nodes[liar]!.blocks.push(invented)
      const following = reader.until(() => reader.blocks.at(-1)!.ref.number === 30)
      await vi.waitFor(() => expect(reader.faults().length).toBeGreaterThan(0), pollOptions)
      expect(new Set(reader.faults())).toEqual(
        new Set([`${liar}: Branch of block 30 leads nowhere`]),
      )
      const block = nextBlock(honest.at(-1)!)
      for (const node of nodes) {
        node.isDown = false
        node.blocks = [...honest, block]
      }
      await following
      await reader.untilAsOn(nodes[0]!)
    },
  )

  test('that is deeper than what is held ends the events, at most as many as were known', async () => {
    const node = new EvmNode(mineBlocks(40, null, varied))
    const known = node.blocks.slice(20, 36).map((one) => blockOf(one, topics0).ref)
    // All blocks of an earlier run that may be reverted are, and not one more.
    for (const depth of [16, 17]) {
      const other = new EvmNode(node.blocks.slice(0, 36))
      other.replace(depth, { branch: 'b' }, depth + 2)
      const reader = readNodes([other], {
        source: { known, startBlock: 0, finality: { type: 'depth', blocks: 100 } },
      })
      const following = reader.untilAsOn(other)
      if (depth === 16) await following
      else await expect(following).rejects.toMatchObject({ code: expect.stringMatching(/^REORG/) })
    }
  })
})

test('blocks held in memory are counted up to the limit: a deeper branch is an error that says where it parts', async () => {
  const node = new EvmNode(mineBlocks(60, null, wantedOnly))
  const known = node.blocks.slice(0, 20).map((one) => blockOf(one, topics0).ref)
  const source = { known, reorgDepthMax: 5, finality: { type: 'depth', blocks: 40 } as const }
  for (const depth of [5, 6]) {
    const other = new EvmNode(node.blocks.slice(0, 20))
    other.replace(depth, { branch: 'b' }, depth + 1)
    const reader = readNodes([other], { source })
    const following = reader.until(() => reader.blocks.at(-1)?.ref.hash === other.head.raw.hash)
    if (depth === 5) await following
    else await expect(following).rejects.toMatchObject({ code: 'REORG_DEEP' })
  }
})

test('a node that is behind our newest block says nothing about it', async () => {
  const node = new EvmNode(mineBlocks(40, null, varied))
  const reader = readNodes([node])
  await reader.untilAsOn(node)
  const kept = [...node.blocks]
  node.blocks = kept.slice(0, 30)
  const before = node.calls.length
  const looked = () =>
    node.calls.slice(before).filter(({ params }) => params[0] === 'latest').length
  const waiting = reader.until(() => looked() > 5)
  await vi.waitFor(() => expect(looked()).toBeGreaterThan(5), pollOptions)
  expect(node.calls.slice(before).every(({ params }) => params[0] === 'latest')).toBe(true)
  node.blocks = kept
  node.mine()
  await waiting
  await reader.untilAsOn(node)
  expect(typesOf(reader.events)).not.toContain('revert')
})

test('a restart goes on behind the known blocks, and replaces those that changed meanwhile', async () => {
  const node = new EvmNode(mineBlocks(40, null, varied))
  const known = node.blocks.slice(10, 30).map((one) => blockOf(one, topics0).ref)
  const same = readNodes([node], { source: { known, startBlock: 5 } })
  await same.until(() => same.blocks.at(-1)?.ref.number === 39)
  expect(same.events.find(({ type }) => type === 'commit')).toMatchObject({
    block: { ref: { number: 30 } },
  })
  expect(typesOf(same.events)).not.toContain('revert')
  node.replace(13, { branch: 'b' })
  const changed = readNodes([node], { source: { known, startBlock: 5 } })
  await changed.until(() => changed.blocks.at(-1)?.ref.number === 39)
  expect(typesOf(changed.events).slice(0, 3)).toEqual(['revert', 'revert', 'revert'])
  expect(typesOf(changed.events).filter((type) => type === 'revert')).toHaveLength(3)
})

describe('finality', () => {
  const finalsOf = (events: readonly { type: string; ref?: { number: number } }[]) =>
    events.flatMap(({ type, ref }) => (type === 'finalize' ? ref!.number : []))

  test('by depth: a block so many below the head is final', async () => {
    const node = new EvmNode(mineBlocks(40, null, varied))
    const reader = readNodes([node], { source: { finality: { type: 'depth', blocks: 10 } } })
    await reader.until(() => finalsOf(reader.events).includes(29))
    node.mine()
    await reader.until(() => finalsOf(reader.events).includes(30))
    expect(reader.progress()).toMatchObject({ finalizedNumber: 30, settledNumber: 30 })
    expect(finalsOf(reader.events)).toEqual(finalsOf(reader.events).toSorted((a, b) => a - b))
    expect(Math.max(...finalsOf(reader.events))).toBe(30)
  })

  test('by the tag of the node: never more than it reports', async () => {
    const node = new EvmNode(mineBlocks(40, null, varied))
    node.finalNumber = 33
    const clock = { ms: 2e12 }
    const reader = readNodes([node], {
      source: { finality: { type: 'tag' }, clock: { nowMs: () => clock.ms } },
    })
    await reader.until(() => finalsOf(reader.events).includes(33))
    node.finalNumber = 36
    node.mine()
    clock.ms += 1_000
    await reader.until(() => finalsOf(reader.events).includes(36))
    expect(reader.progress()).toMatchObject({ finalizedNumber: 36 })
  })
})

test('final blocks without wanted logs stay unread, but for a sample', async () => {
  const node = new EvmNode(
    mineBlocks(300, null, (number) => ({
      topics: number % 50 === 20 ? [wantedTopic] : [otherTopic],
    })),
  )
  const reader = readNodes([node], {
    source: {
      isSparse: true,
      finality: { type: 'depth', blocks: 32 },
      backfill: { rangeBlocks: 100, parallelRanges: 2 },
    },
  })
  await reader.until(() => reader.blocks.at(-1)?.ref.number === 299)
  const withLogs = reader.blocks.filter(({ logs }) => logs.length > 0)
  expect(withLogs.map(({ ref }) => ref.number)).toEqual([20, 70, 120, 170, 220, 270])
  expect(reader.blocks.length).toBeLessThan(120)
  expect(reader.blocks.filter(({ ref }) => ref.number >= 268)).toHaveLength(32)
})

test('ranges are never more blocks ahead of the reader than allowed, nor more at once', async () => {
  const node = new EvmNode(mineBlocks(400, null, varied))
  const reader = readNodes([node], {
    source: { backfill: { rangeBlocks: 40, parallelRanges: 3, prefetchBlocksMax: 60 } },
  })
  await reader.until(() => reader.blocks.length > 0)
  const highest = () =>
    Math.max(
      ...node.calls
        .filter(isRange)
        .map(({ params: [filter] }) => Number((filter as { toBlock: string }).toBlock)),
    )
  expect(highest()).toBeLessThan(120)
  for (const number of [100, 200, 300]) {
    await reader.until(() => reader.blocks.at(-1)!.ref.number >= number)
    expect(highest()).toBeLessThan(number + 120)
  }
  await reader.untilAsOn(node)
})

test('announced heads are followed without polling, and their socket is closed at the end', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  let isSubscribed = false
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { id } = JSON.parse(String(data)) as { id: number }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: '0x99' }))
      isSubscribed = true
    })
  })
  const node = new EvmNode(mineBlocks(20, null, varied))
  const wsUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const reader = readNodes([node], {
    endpoints: [{ ...endpointsOf([node])[0]!, wsUrl }],
    source: { pollMs: 60_000 },
  })
  await reader.untilAsOn(node)
  await vi.waitFor(() => expect(isSubscribed).toBe(true), pollOptions)
  const [socket] = server.clients
  for (let round = 0; round < 3; round += 1) {
    const { raw } = node.mine(varied(round))
    const params = { subscription: '0x99', result: raw }
    socket!.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
    await reader.untilAsOn(node)
  }
  await reader.close()
  await vi.waitFor(() => expect(server.clients.size).toBe(0), pollOptions)
})
