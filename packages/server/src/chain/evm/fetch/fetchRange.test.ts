import { describe, expect, test, vi } from 'vitest'
import { createLogger } from '../../../lib/logger.ts'
import { RpcError } from '../../errors.ts'
import type { RpcCall } from '../../rpc/rpcCall.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'
import { bloomChars, createBloomIndex, withBits } from '../verify/bloom.ts'
import { createFailedChecks } from '../verify/failedChecks.ts'
import { createHeaderReader } from '../verify/headerReader.ts'
import { fetchRange } from './fetchRange.ts'
import type { RangeContext } from './rangeLogs.ts'
import { type RawLog, toQuantity } from './rawBlock.ts'

const index = createBloomIndex()
const word = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const [swap, sync] = [word(1), word(2)]
const txHash = word(3)
const pool = `0x${'d4'.repeat(20)}`
const hashOf = (number: number) => word(1_000_000 + number)

function logOf(number: number, logIndex: number, topics: string[]): RawLog {
  const place = { blockNumber: toQuantity(number), blockHash: hashOf(number) }
  const transaction = { transactionHash: txHash, transactionIndex: '0x0' }
  return { address: pool, topics, data: '0x', ...place, ...transaction, logIndex: `0x${logIndex}` }
}

function bloomOf(logs: readonly RawLog[]): string {
  const bytes = new Uint8Array((bloomChars - 2) / 2)
  for (const { address, topics } of logs)
    for (const item of [address, ...topics])
      for (const bit of index.bitsOf(item)) bytes[bytes.length - 1 - (bit >> 3)]! |= 1 << (bit & 7)
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** Returns irrelevant topics whose bloom bits together cover those of a relevant topic. */
function topicsLike(wanted: string): string[] {
  return index.bitsOf(wanted).map((bit) => {
    for (let number = 100; ; number++)
      if (index.bitsOf(word(number)).includes(bit)) return word(number)
  })
}

type NodeOptions = {
  /** Logs that the node returns by range. @default all */
  isTold?: (log: RawLog) => boolean
  /** Alters the answer to a range; `turn` counts the answers. */
  garble?: (logs: readonly RawLog[], turn: number) => unknown
  hasBloom?: boolean
  sampleEveryBlocks?: number
  /** Calls that the node does not answer, counted from 1. */
  refusedCalls?: ReadonlySet<number>
}

/** Simulates a node with these logs. */
function openNode(logs: readonly RawLog[], options: NodeOptions = {}) {
  const { isTold = () => true, garble = (told) => told, hasBloom = true } = options
  let turn = 0
  const blockOf = (number: number) => {
    const own = logs.filter(({ blockNumber }) => Number(blockNumber) === number)
    const links = { hash: hashOf(number), parentHash: hashOf(number - 1) }
    const transactions = [{ hash: txHash, from: pool }]
    return {
      number: toQuantity(number),
      ...links,
      timestamp: '0x1',
      logsBloom: hasBloom ? bloomOf(own) : `0x${'0'.repeat(bloomChars - 2)}`,
      transactions,
    }
  }
  const answer = ({ method, params: [first] }: RpcCall): unknown => {
    if (method === 'eth_getBlockByNumber') return blockOf(Number(first))
    if (method === 'eth_getBlockByHash') return blockOf(Number(first) - 1_000_000)
    const { blockHash, topics } = first as { blockHash?: string; topics?: [string[]] }
    const isWanted = ({ topics: [topic] }: RawLog) => !topics || topics[0].includes(topic!)
    if (blockHash) return logs.filter((log) => log.blockHash === blockHash && isWanted(log))
    turn += 1
    return garble(
      logs.filter((log) => isWanted(log) && isTold(log)),
      turn,
    )
  }
  const penalise = vi.fn<EvmRpc['penalise']>()
  const asked = { requests: 0, logs: 0, blocks: 0 }
  const rpc = {
    requestBatch: async (calls: readonly RpcCall[]) => {
      if (calls.length > 0) asked.requests += 1
      return calls.map((call) => {
        const { method } = call
        asked[method === 'eth_getLogs' ? 'logs' : 'blocks'] += 1
        if (options.refusedCalls?.has(asked.logs + asked.blocks)) {
          const facts = { kind: 'failed', method, endpoint: null, detail: 'Refused' } as const
          return { ok: false, error: new RpcError(facts), endpoint: 0 }
        }
        return { ok: true, value: answer(call), endpoint: 0 }
      })
    },
    supports: () => true,
    endpointCount: () => 1,
    hosts: () => ['a'],
    penalise,
  } as unknown as EvmRpc
  const context: RangeContext = {
    chain: 'test',
    rpc,
    topics0: [swap, sync],
    headers: createHeaderReader(null),
    failedChecks: createFailedChecks({
      chain: 'test',
      nowMs: () => 0,
      logger: createLogger('silent'),
    }),
    validation: {
      checks: { bloom: true, transactions: true, logIndexes: true },
      wanted: withBits([swap, sync], index),
      receipts: null,
      index,
    },
    prefersReceipts: false,
    isComplete: { block: false, range: false },
    sampleEveryBlocks: options.sampleEveryBlocks ?? 0,
    nowMs: () => 0,
    logRange: { blocks: () => 100, onAnswer: () => {}, onTooLarge: () => {} },
    distrusted: new Set(),
  }
  return { context, penalise, asked }
}

async function read(context: RangeContext, to = 6, unreadUpTo = -1): Promise<[number, number[]][]> {
  const { signal } = new AbortController()
  const { blocks } = await fetchRange(context, 5, to, { signal, unreadUpTo })
  return blocks.map(({ block: { ref, logs } }) => [
    ref.number,
    logs.map(({ logIndex }) => logIndex),
  ])
}

test('default: logs of a range are assigned to their blocks', async () => {
  const { context, penalise } = openNode([logOf(5, 0, [swap]), logOf(6, 0, [sync])])
  expect(await read(context)).toEqual([
    [5, [0]],
    [6, [0]],
  ])
  expect(penalise).not.toHaveBeenCalled()
})

test('behavior: a filter that promises a log by chance is not held against the node', async () => {
  const chance = topicsLike(sync).map((topic, at) => logOf(5, at + 1, [topic]))
  const { context, penalise } = openNode([logOf(5, 0, [swap]), ...chance, logOf(6, 0, [swap])])
  expect(await read(context)).toEqual([
    [5, [0]],
    [6, [0]],
  ])
  expect(penalise).not.toHaveBeenCalled()
})

test('behavior: all filters that promise by chance are settled by one request more, for logs alone', async () => {
  const like = (number: number) => [
    logOf(number, 0, [swap]),
    ...topicsLike(sync).map((topic, at) => logOf(number, at + 1, [topic])),
  ]
  const { context, asked } = openNode([...like(5), logOf(6, 0, [swap, sync]), ...like(7)])
  expect((await read(context, 7)).map(([number]) => number)).toEqual([5, 6, 7])
  // Requests: the range, its blocks, and the check of two or three blocks.
  expect(asked.requests).toBe(3)
  expect(asked.blocks).toBe(3)
})

test('behavior: a promise that could not be settled so is settled by reading the block again', async () => {
  const chance = topicsLike(sync).map((topic, at) => logOf(5, at + 1, [topic]))
  const { context, penalise, asked } = openNode([logOf(5, 0, [swap]), ...chance], {
    refusedCalls: new Set([3]),
  })
  expect((await read(context, 5))[0]).toEqual([5, [0]])
  expect(asked.requests).toBe(6)
  expect(penalise).not.toHaveBeenCalled()
})

test.each([
  ['all', () => false],
  ['some', ({ topics }: RawLog) => topics[0] === swap],
])('behavior: %s wanted logs left out are found and held against it', async (_, isTold) => {
  const logs = [logOf(5, 0, [swap]), logOf(5, 1, [sync])]
  const { context, penalise } = openNode(logs, { isTold })
  expect((await read(context))[0]).toEqual([5, [0, 1]])
  expect(penalise.mock.calls).toEqual([[0, 'Logs of block 5 were left out']])
})

const two = [logOf(5, 0, [swap]), logOf(5, 1, [sync]), logOf(6, 0, [swap]), logOf(6, 1, [sync])]
const whole = [
  [5, [0, 1]],
  [6, [0, 1]],
]

test.each([
  ['null', () => null],
  ['an object', () => ({ logs: [] })],
  ['a log of a block outside', (logs: readonly RawLog[]) => [...logs, logOf(7, 0, [swap])]],
  ['a log without a block', (logs: readonly RawLog[]) => [...logs, { ...logs[0], blockNumber: 5 }]],
  ['a log that is none', (logs: readonly RawLog[]) => [...logs, null]],
])('behavior: %s in answer to a range is a fault, and asked for again', async (_, wrong) => {
  const garble = (logs: readonly RawLog[], turn: number) => (turn === 1 ? wrong(logs) : logs)
  const { context, penalise } = openNode(two, { garble, hasBloom: false })
  expect(await read(context)).toEqual(whole)
  expect(penalise.mock.calls).toEqual([[0, expect.stringContaining('blocks 5 to 6')]])
})

test('error: a node that never gives a list', async () => {
  const { context } = openNode(two, { garble: () => null, hasBloom: false })
  await expect(read(context)).rejects.toMatchObject({ code: 'NODE_INCONSISTENT', retryable: true })
})

test.each([
  ['one of a sampled block', 5, 0],
  ['all of a sampled block', 5, -1],
  ['the end of the answer', 6, 1],
])(
  'behavior: %s left out is found without a filter, and nothing of the answer believed',
  async (_, number, logIndex) => {
    const isTold = (log: RawLog) =>
      Number(log.blockNumber) !== number || (logIndex >= 0 && Number(log.logIndex) !== logIndex)
    // Block 6 is only sampled as the end of the range.
    const options = { isTold, hasBloom: false, sampleEveryBlocks: 6 }
    const { context, penalise } = openNode(two, options)
    expect(await read(context)).toEqual(whole)
    expect(penalise.mock.calls).toEqual([[0, `Logs of block ${number} were left out`]])
  },
)

test('behavior: what a sample found counts for the blocks beside it', async () => {
  const isTold = ({ logIndex }: RawLog) => logIndex === '0x0'
  const three = [...two, logOf(7, 0, [swap])]
  const { context } = openNode(three, { isTold, hasBloom: false, sampleEveryBlocks: 6 })
  // Blocks 5 and 7 are the sample.
  expect(await read(context, 7)).toEqual([...whole, [7, [0]]])
})

test('args: sampleEveryBlocks 0 believes what nothing contradicts', async () => {
  const isTold = ({ logIndex }: RawLog) => logIndex === '0x0'
  const { context } = openNode(two, { isTold, hasBloom: false, sampleEveryBlocks: 0 })
  expect(await read(context)).toEqual([
    [5, [0]],
    [6, [0]],
  ])
})

describe('unreadUpTo', () => {
  // Of blocks 5 to 99, the headers of 31, 63 and 95 are sampled.
  const sparse = [logOf(20, 0, [swap]), logOf(70, 0, [sync])]
  const sampled = [
    ...[
      [5, []],
      [20, [0]],
      [31, []],
      [63, []],
    ],
    ...[
      [70, [0]],
      [95, []],
      [99, []],
    ],
  ]
  const last = 99
  const every = Array.from({ length: 95 }, (_, at) => at + 5)

  test('default: blocks with wanted logs, the ends and a sample', async () => {
    const { context, penalise, asked } = openNode(sparse)
    expect(await read(context, last, last)).toEqual(sampled)
    expect(asked).toMatchObject({ logs: 2, blocks: 7 })
    expect(penalise).not.toHaveBeenCalled()
  })

  test('behavior: where wanted logs are in most blocks, it is not a call more than without it', async () => {
    const busy = every.filter((number) => number % 5 < 3).map((number) => logOf(number, 0, [swap]))
    const [with_, without] = [openNode(busy), openNode(busy)]
    const blocks = await read(with_.context, last, last)
    expect(blocks).toEqual(await read(without.context, last))
    expect(blocks).toHaveLength(95)
    expect(with_.asked).toEqual(without.asked)
  })

  test('args: blocks above it are all read', async () => {
    const { context } = openNode(sparse)
    const numbers = (await read(context, last, 72)).map(([number]) => number)
    expect(numbers).toEqual([5, 20, 31, 63, 70, 72, ...every.filter((number) => number > 72)])
  })

  test('behavior: where all logs are asked for, every block is read', async () => {
    const { context } = openNode(sparse)
    context.isComplete = { block: true, range: true }
    expect(await read(context, last, last)).toHaveLength(95)
  })

  test.each([
    ['first', 1, 'Logs of block 70 were left out'],
    ['second', 2, 'Logs of block 70 were told otherwise'],
  ])('behavior: a log that the %s answer leaves out is found', async (_, wrongTurn, fault) => {
    const garble = (logs: readonly RawLog[], turn: number) =>
      turn === wrongTurn ? logs.slice(0, 1) : logs
    // Without bloom filters, no header reveals the omission.
    const { context, penalise } = openNode(sparse, { garble, hasBloom: false })
    const blocks = await read(context, last, last)
    expect(blocks.map(([number]) => number)).toEqual(every)
    expect(blocks.filter(([, logs]) => logs.length > 0)).toEqual([
      [20, [0]],
      [70, [0]],
    ])
    expect(penalise.mock.calls).toEqual([[0, fault]])
  })

  test('behavior: the header of a sampled block says that logs are left out: then all are read', async () => {
    const logs = [...sparse, logOf(63, 0, [swap]), logOf(80, 0, [swap])]
    const isTold = ({ blockNumber }: RawLog) => !['0x3f', '0x50'].includes(blockNumber)
    const { context, penalise } = openNode(logs, { isTold })
    const blocks = await read(context, last, last)
    expect(blocks.map(([number]) => number)).toEqual(every)
    expect(blocks.flatMap(([number, { length }]) => (length > 0 ? number : []))).toEqual([
      ...[20, 63, 70, 80],
    ])
    expect(penalise.mock.calls.map(([, fault]) => fault)).toEqual([
      'Logs of block 63 were left out',
      'Logs of block 80 were left out',
    ])
  })
})
