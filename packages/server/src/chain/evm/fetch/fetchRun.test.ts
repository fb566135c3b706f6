// Runs of blocks read in one request, from a node in memory.
import { expect, test } from 'vitest'
import { createLogger } from '../../../lib/logger.ts'
import { RpcError } from '../../errors.ts'
import type { RpcCall } from '../../rpc/rpcCall.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'
import { bloomChars, createBloomIndex, withBits } from '../verify/bloom.ts'
import { createFailedChecks } from '../verify/failedChecks.ts'
import { createHeaderReader } from '../verify/headerReader.ts'
import { fetchRun } from './fetchRun.ts'
import type { RangeContext } from './rangeLogs.ts'
import { type EvmHeader, toQuantity } from './rawBlock.ts'

const word = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const [swap, txHash] = [word(1), word(3)]
const pool = `0x${'d4'.repeat(20)}`
const hashOf = (number: number) => word(1_000_000 + number)
const index = createBloomIndex()

const bloomOfSwap = (() => {
  const bytes = new Uint8Array((bloomChars - 2) / 2)
  for (const item of [pool, swap])
    for (const bit of index.bitsOf(item)) bytes[bytes.length - 1 - (bit >> 3)]! |= 1 << (bit & 7)
  return `0x${Buffer.from(bytes).toString('hex')}`
})()

const logOf = (number: number) => ({
  address: pool,
  topics: [swap],
  data: '0x',
  blockNumber: toQuantity(number),
  blockHash: hashOf(number),
  transactionHash: txHash,
  transactionIndex: '0x0',
  logIndex: '0x0',
})

const blockOf = (number: number) => ({
  number: toQuantity(number),
  hash: hashOf(number),
  parentHash: hashOf(number - 1),
  timestamp: '0x1',
  logsBloom: bloomOfSwap,
  transactions: [{ hash: txHash, from: pool }],
})

const receiptsOf = (number: number) => [
  { transactionHash: txHash, blockHash: hashOf(number), from: pool, logs: [logOf(number)] },
]

type NodeOptions = {
  /** Replaces answers; undefined keeps the answer, an error refuses. */
  garble?: (call: RpcCall, number: number) => unknown
  context?: Partial<RangeContext>
  rangeMax?: number
  hasBloomCheck?: boolean
  hasReceipts?: boolean
}

/** A node whose every block has one relevant log. */
function openNode({
  garble = () => undefined,
  context = {},
  rangeMax = 100,
  hasBloomCheck = true,
  hasReceipts = false,
}: NodeOptions = {}) {
  const requests: string[][] = []
  function answer(call: RpcCall): unknown {
    const [first] = call.params as [string | { fromBlock: string; toBlock: string }]
    if (typeof first !== 'object') {
      const number = Number(first)
      return call.method === 'eth_getBlockByNumber' ? blockOf(number) : receiptsOf(number)
    }
    const [from, to] = [Number(first.fromBlock), Number(first.toBlock)]
    return Array.from({ length: to - from + 1 }, (_, at) => logOf(from + at))
  }
  const rpc = {
    async requestBatch(calls: readonly RpcCall[]) {
      requests.push(calls.map(({ method, params }) => `${method} ${JSON.stringify(params)}`))
      return calls.map((call, at) => {
        const odd = garble(call, Number(call.params[0]))
        if (odd instanceof RpcError) return { ok: false, error: odd, endpoint: at }
        return { ok: true, value: odd === undefined ? answer(call) : odd, endpoint: 7 }
      })
    },
    supports: (method: string) => hasReceipts && method === 'eth_getBlockReceipts',
  } as unknown as EvmRpc
  const logger = createLogger('silent')
  const whole: RangeContext = {
    chain: 'test',
    rpc,
    topics0: [swap],
    headers: createHeaderReader(null),
    failedChecks: createFailedChecks({ chain: 'test', nowMs: () => 0, logger }),
    validation: {
      checks: { bloom: hasBloomCheck, transactions: true, logIndexes: true },
      wanted: withBits([swap], index),
      receipts: null,
      index,
    },
    prefersReceipts: false,
    isComplete: { block: false, range: false },
    sampleEveryBlocks: 0,
    nowMs: () => 42,
    logRange: { blocks: () => rangeMax, onAnswer: () => {}, onTooLarge: () => {} },
    distrusted: new Set(),
    ...context,
  }
  return { context: whole, requests }
}

const headOf = (number: number, parts: Partial<EvmHeader> = {}) =>
  ({ number, hash: hashOf(number), bloom: bloomOfSwap, ...parts }) as EvmHeader

async function read(context: RangeContext, head: EvmHeader, from = 5) {
  const { signal } = new AbortController()
  const { blocks, isCut } = await fetchRun(context, from, head, { signal })
  for (const { block, endpoint, logsEndpoint, receivedMs } of blocks) {
    expect(block.logs.map(({ logIndex }) => logIndex)).toEqual([0])
    expect([endpoint, logsEndpoint, receivedMs]).toEqual([7, 7, 42])
  }
  return { numbers: blocks.map(({ block }) => block.ref.number), isCut }
}

test('default: the blocks up to the head come from one request', async () => {
  const { context, requests } = openNode()
  expect(await read(context, headOf(7))).toEqual({ numbers: [5, 6, 7], isCut: false })
  const filter = { fromBlock: '0x5', toBlock: '0x7', topics: [[swap]] }
  expect(requests).toEqual([
    [
      'eth_getBlockByNumber ["0x5",true]',
      'eth_getBlockByNumber ["0x6",true]',
      'eth_getBlockByNumber ["0x7",true]',
      `eth_getLogs ${JSON.stringify([filter])}`,
    ],
  ])
})

test('behavior: blocks that are read with all their logs are asked without topics', async () => {
  const { context, requests } = openNode({ context: { isComplete: { block: true, range: false } } })
  expect(await read(context, headOf(5))).toEqual({ numbers: [5], isCut: false })
  expect(requests[0]!.at(-1)).toBe('eth_getLogs [{"fromBlock":"0x5","toBlock":"0x5"}]')
})

test('behavior: a run has 16 blocks at most, and no more than a range of logs', async () => {
  const sixteen = Array.from({ length: 16 }, (_, at) => 5 + at)
  expect(await read(openNode().context, headOf(20))).toEqual({ numbers: sixteen, isCut: false })
  expect(await read(openNode().context, headOf(21))).toEqual({ numbers: sixteen, isCut: false })
  const { context } = openNode({ rangeMax: 2 })
  expect(await read(context, headOf(21))).toEqual({ numbers: [5, 6], isCut: false })
})

test('behavior: without filters, blocks come with receipts, or not in a run', async () => {
  for (const [head, hasBloomCheck] of [
    [headOf(6, { bloom: null }), true],
    [headOf(6), false],
  ] as const) {
    const none = openNode({ hasBloomCheck })
    expect(await read(none.context, head)).toEqual({ numbers: [], isCut: true })
    expect(none.requests).toEqual([])
    const { context, requests } = openNode({ hasBloomCheck, hasReceipts: true, rangeMax: 1 })
    // The limit of log ranges is not for receipts.
    expect(await read(context, head)).toEqual({ numbers: [5, 6], isCut: false })
    expect(requests).toEqual([
      [
        'eth_getBlockByNumber ["0x5",false]',
        'eth_getBlockByNumber ["0x6",false]',
        'eth_getBlockReceipts ["0x5"]',
        'eth_getBlockReceipts ["0x6"]',
      ],
    ])
  }
})

const refusal = new RpcError({ kind: 'failed', method: 'any', endpoint: null, detail: 'Refused' })

test.each<[string, NonNullable<NodeOptions['garble']>]>([
  ['is missing', (_call, number) => (number === 6 ? null : undefined)],
  ['is refused', (_call, number) => (number === 6 ? refusal : undefined)],
  ['is no block', (_call, number) => (number === 6 ? 'block' : undefined)],
  ['is another block', (_call, number) => (number === 6 ? blockOf(5) : undefined)],
  [
    'lacks its log, which its filter shows',
    ({ method }) => (method === 'eth_getLogs' ? [logOf(5), logOf(7)] : undefined),
  ],
  [
    'has a log of another branch',
    ({ method }) =>
      method === 'eth_getLogs'
        ? [logOf(5), { ...logOf(6), blockHash: hashOf(99) }, logOf(7)]
        : undefined,
  ],
])('behavior: the run ends before a block that %s', async (_what, garble) => {
  const { context } = openNode({ garble })
  expect(await read(context, headOf(7))).toEqual({ numbers: [5], isCut: true })
})

test('behavior: the run ends before a head of another hash than the announced one', async () => {
  const { context } = openNode()
  const moved = headOf(7, { hash: hashOf(99) })
  expect(await read(context, moved)).toEqual({ numbers: [5, 6], isCut: true })
})

test.each<[string, unknown]>([
  ['are refused', refusal],
  ['are missing', null],
  ['belong to a block outside of the range', [logOf(5), logOf(8)]],
])('behavior: nothing is read if the logs %s', async (_what, odd) => {
  const { context } = openNode({
    garble: ({ method }) => (method === 'eth_getLogs' ? odd : undefined),
  })
  expect(await read(context, headOf(7))).toEqual({ numbers: [], isCut: true })
})

test('behavior: the run ends before a block without receipts', async () => {
  for (const odd of [null, refusal]) {
    const { context } = openNode({
      hasReceipts: true,
      hasBloomCheck: false,
      garble: ({ method }, number) =>
        method === 'eth_getBlockReceipts' && number === 6 ? odd : undefined,
    })
    expect(await read(context, headOf(7))).toEqual({ numbers: [5], isCut: true })
  }
})
