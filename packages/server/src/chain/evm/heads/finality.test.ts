import { expect, test } from 'vitest'
import { createLogger } from '../../../lib/logger.ts'
import { type Finality, nonFinalBlocksMaxOf } from '../../../model/trust/finality.ts'
import { createChainWindow } from '../../chainWindow.ts'
import { RpcError, type RpcErrorKind } from '../../errors.ts'
import type { RpcRequestOptions, RpcResult } from '../../rpc/rpcCall.ts'
import { createLogRange } from '../fetch/rangeLogs.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'
import type { SourceState } from '../sourceState.ts'
import { createBloomIndex } from '../verify/bloom.ts'
import { createFailedChecks } from '../verify/failedChecks.ts'
import { createHeaderReader } from '../verify/headerReader.ts'
import { findFinalized } from './finality.ts'

const reorgDepthMax = 8
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const refAt = (number: number, blockMs = 1_000) => ({
  number,
  hash: hashOf(number),
  parentNumber: number - 1,
  parentHash: hashOf(number - 1),
  timeS: Math.floor((number * blockMs) / 1_000),
})

/** The node's answer to a request for its final block. */
type Tag = { number: number; hash?: string } | RpcErrorKind | null

function createNode(tag: Tag, blockMs: number) {
  const node = { tag, asked: 0, requests: [] as RpcRequestOptions[], isOnOurBranch: true }
  const answer = (): RpcResult => {
    if (typeof node.tag === 'string') {
      const error = new RpcError({ kind: node.tag, method: 'm', endpoint: null, detail: 'd' })
      return { ok: false, error, endpoint: 0 }
    }
    if (node.tag === null) return { ok: true, value: null, endpoint: 0 }
    return blockAnswer(node.tag.number, node.tag.hash)
  }
  const blockAnswer = (number: number, hash = hashOf(number)): RpcResult => {
    const { timeS } = refAt(number, blockMs)
    const numbers = { number: `0x${number.toString(16)}`, timestamp: `0x${timeS.toString(16)}` }
    const value = { ...numbers, hash, parentHash: hashOf(number - 1), logsBloom: '0x' }
    return { ok: true, value, endpoint: 0 }
  }
  const rpc: Partial<EvmRpc> = {
    async requestBatch(calls, options = {}) {
      const [{ method, params }] = calls as [(typeof calls)[0]]
      expect([method, params[1]]).toEqual(['eth_getBlockByNumber', false])
      if (params[0] !== 'finalized')
        return [blockAnswer(Number(params[0]), node.isOnOurBranch ? undefined : hashOf(1))]
      node.asked += 1
      node.requests.push(options)
      return [answer()]
    },
  }
  return { node, rpc: rpc as EvmRpc }
}

/** Creates a source with blocks 1 to `head`. */
function createSource(
  tag: Tag,
  head: number,
  finality: Finality = { type: 'tag' },
  blockMs = 1_000,
) {
  const { node, rpc } = createNode(tag, blockMs)
  const refs = Array.from({ length: head }, (_, at) => refAt(at + 1, blockMs))
  const clock = { ms: 0 }
  const state: SourceState = {
    context: {
      chain: 'local',
      rpc,
      topics0: [],
      prefersReceipts: false,
      headers: createHeaderReader(null),
      failedChecks: createFailedChecks({
        ...{ chain: 'local', nowMs: () => clock.ms, logger: createLogger('silent') },
      }),
      validation: {
        checks: { bloom: true, transactions: true, logIndexes: true },
        wanted: new Map(),
        index: createBloomIndex(),
        receipts: null,
      },
      isComplete: { block: true, range: false },
      sampleEveryBlocks: 0,
      nowMs: () => clock.ms,
      logRange: createLogRange({ blocks: 10, blocksMax: 10 }),
      distrusted: new Set(),
    },
    window: createChainWindow(refs, Math.max(reorgDepthMax, nonFinalBlocksMaxOf(finality))),
    chain: 'local',
    startNumber: 1,
    reorgDepthMax,
    finality,
    cursor: refAt(head, blockMs),
    heldCount: 8,
    isSparse: false,
    headerAheadSMax: 0,
    origins: new Map(),
    signal: new AbortController().signal,
    logger: createLogger('silent'),
    headNumber: head,
    headTimeS: 0,
    askedHeadNumber: head,
    askedHeadTimeS: 0,
    finalizedNumber: -1,
    horizonNumber: -1,
    tagAskAtMs: Number.NEGATIVE_INFINITY,
    oldDepth: 60,
    isTagSeen: false,
    isTagMissing: false,
    reorgCount: 0,
    lastError: null,
  }
  const add = () => {
    const ref = refAt(state.cursor.number + 1, blockMs)
    state.window.push(ref)
    state.cursor = ref
    state.askedHeadNumber = ref.number
  }
  const finalNumber = async () => {
    const event = await findFinalized(state)
    if (event === null) return null
    expect(event).toEqual({
      type: 'finalize',
      ref: { number: state.finalizedNumber, hash: hashOf(state.finalizedNumber) },
    })
    return state.finalizedNumber
  }
  return { node, clock, state, add, finalNumber }
}

test('default: what the tag says', async () => {
  const { finalNumber } = createSource({ number: 197 }, 200)
  expect(await finalNumber()).toBe(197)
  expect(await finalNumber()).toBeNull()
})

test('behavior: a tag further behind than the blocks held in memory', async () => {
  const { finalNumber, node, clock, add } = createSource({ number: 71 }, 200)
  expect(await finalNumber()).toBe(71)
  node.tag = { number: 72 }
  add()
  expect(await finalNumber()).toBeNull()
  clock.ms = 1_000
  expect(await finalNumber()).toBe(72)
})

test('behavior: a final block ahead of us says nothing while our newest block is on another branch', async () => {
  const { finalNumber, node, clock } = createSource({ number: 250 }, 200)
  node.isOnOurBranch = false
  expect(await finalNumber()).toBeNull()
  node.isOnOurBranch = true
  clock.ms = 1_000
  expect(await finalNumber()).toBe(200)
})

test('behavior: a tag that is stuck does not keep everything from becoming final', async () => {
  const { finalNumber, clock, add } = createSource({ number: 100 }, 10_100)
  expect(await finalNumber()).toBe(100)
  add()
  clock.ms = 1_000
  expect(await finalNumber()).toBe(101)
})

test('behavior: a final block of another branch is no news', async () => {
  const { finalNumber } = createSource({ number: 150, hash: hashOf(7) }, 200)
  expect(await finalNumber()).toBeNull()
})

test.each(['refused', 'notFound', 'unknownMethod', 'failed'] as const)(
  'behavior: a node without the tag (%s) is asked once a minute, and the depth decides',
  async (kind) => {
    const { finalNumber, node, clock, add } = createSource(kind, 200)
    expect(await finalNumber()).toBe(200 - reorgDepthMax)
    for (clock.ms = 1_000; clock.ms < 60_000; clock.ms += 1_000) {
      add()
      expect(await finalNumber()).not.toBeNull()
    }
    expect(node.asked).toBe(1)
    expect(node.requests[0]!.roundsMax).toBe(1)
    await finalNumber()
    expect(node.asked).toBe(2)
  },
)

test('behavior: nothing is final yet', async () => {
  const { finalNumber, node, clock } = createSource(null, 6)
  expect(await finalNumber()).toBeNull()
  node.tag = { number: 5 }
  clock.ms = 60_000
  expect(await finalNumber()).toBe(5)
})

test.each(['unreachable', 'timeout', 'rateLimited'] as const)(
  'behavior: no answer (%s) makes nothing final',
  async (kind) => {
    const { finalNumber, node, clock } = createSource(kind, 200)
    expect(await finalNumber()).toBeNull()
    node.tag = { number: 20 }
    clock.ms = 1_000
    expect(await finalNumber()).toBe(20)
  },
)

test('behavior: a tag that was there and is away for a moment is waited for', async () => {
  const { finalNumber, node, clock } = createSource({ number: 20 }, 200)
  expect(await finalNumber()).toBe(20)
  node.tag = 'notFound'
  clock.ms = 1_000
  expect(await finalNumber()).toBeNull()
  node.tag = { number: 25 }
  clock.ms = 2_000
  expect(await finalNumber()).toBe(25)
})

test('args: finality by depth asks nobody and may be deeper than the blocks held in memory', async () => {
  const { finalNumber, node } = createSource(null, 200, { type: 'depth', blocks: 30 })
  expect(await finalNumber()).toBe(170)
  expect(node.asked).toBe(0)
})

const ageMinute: Finality = { type: 'age', seconds: 60 }

test.each([
  // The first block 60 s before the head: five blocks share a second.
  { blockMs: 200, head: 1_000, final: 704 },
  { blockMs: 2_000, head: 1_000, final: 970 },
  { blockMs: 12_000, head: 1_000, final: 995 },
  // Blocks are older than a minute, so the minimum of five blocks applies.
  { blockMs: 60_000, head: 1_000, final: 995 },
])('args: finality by age, at a block each $blockMs ms', async ({ blockMs, head, final }) => {
  const { finalNumber, clock, node, add } = createSource(null, head, ageMinute, blockMs)
  clock.ms = head * blockMs
  expect(await finalNumber()).toBe(final)
  expect(await finalNumber()).toBeNull()
  for (let left = 5; left > 0; left -= 1) add()
  clock.ms += 5 * blockMs
  expect(await finalNumber()).toBe(final + 5)
  expect(node.asked).toBe(0)
})

test('behavior: a head from the future makes nothing final before its time', async () => {
  const { finalNumber, clock, state } = createSource(null, 1_000, ageMinute, 200)
  clock.ms = 200_000
  state.window.pop()
  state.cursor = { ...refAt(1_000, 200), timeS: 200 + 900 }
  state.window.push({ ...refAt(1_000, 200), timeS: 200 + 900 })
  expect(await finalNumber()).toBe(704)
})

test('behavior: far behind the head blocks ahead are final, too, where one old enough is found', async () => {
  const { finalNumber, clock, state } = createSource(null, 100, ageMinute, 200)
  state.askedHeadNumber = 2_000
  state.askedHeadTimeS = 400
  clock.ms = 400_000
  expect(await finalNumber()).toBe(100)
  // 60, 120 and 240 blocks span less than a minute.
  expect([state.oldDepth, state.horizonNumber]).toEqual([480, 1_520])
  state.askedHeadNumber = 2_005
  expect(await finalNumber()).toBeNull()
  expect(state.horizonNumber).toBe(1_520)
  clock.ms += 1_000
  await finalNumber()
  expect(state.horizonNumber).toBe(1_525)
})
