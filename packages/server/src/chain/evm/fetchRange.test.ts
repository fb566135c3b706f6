import { expect, test, vi } from 'vitest'
import { bloomChars, createBloomIndex } from './bloom.ts'
import type { EvmCall, EvmRpc } from './evmRpc.ts'
import { fetchRange, type RangeContext } from './fetchRange.ts'
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

/** Topics nobody wants whose bits together are those of a wanted one. */
function topicsLike(wanted: string): string[] {
  return index.bitsOf(wanted).map((bit) => {
    for (let number = 100; ; number++)
      if (index.bitsOf(word(number)).includes(bit)) return word(number)
  })
}

/** A node that knows `logs`, and by range tells only what `isTold` lets through. */
function openNode(logs: readonly RawLog[], isTold: (log: RawLog) => boolean = () => true) {
  const blockOf = (number: number) => {
    const own = logs.filter(({ blockNumber }) => Number(blockNumber) === number)
    const links = { hash: hashOf(number), parentHash: hashOf(number - 1) }
    const transactions = [{ hash: txHash, from: pool }]
    return {
      number: toQuantity(number),
      ...links,
      timestamp: '0x1',
      logsBloom: bloomOf(own),
      transactions,
    }
  }
  const answer = ({ method, params: [first] }: EvmCall): unknown => {
    if (method === 'eth_getBlockByNumber') return blockOf(Number(first))
    if (method === 'eth_getBlockByHash') return blockOf(Number(first) - 1_000_000)
    const { blockHash, topics } = first as { blockHash?: string; topics?: [string[]] }
    const isWanted = ({ topics: [topic] }: RawLog) => !topics || topics[0].includes(topic!)
    if (blockHash) return logs.filter((log) => log.blockHash === blockHash && isWanted(log))
    return logs.filter((log) => isWanted(log) && isTold(log))
  }
  const penalise = vi.fn<EvmRpc['penalise']>()
  const rpc = {
    requestBatch: async (calls: readonly EvmCall[]) =>
      calls.map((call) => ({ ok: true, value: answer(call), endpoint: 0 })),
    supports: () => true,
    penalise,
  } as unknown as EvmRpc
  const context: RangeContext = {
    chain: 'test',
    rpc,
    topics0: [swap, sync],
    validation: {
      checks: { bloom: true, transactions: true, logIndexes: true },
      wanted: new Set([swap, sync]),
      index,
    },
    prefersReceipts: false,
    isComplete: { block: false, range: false },
    nowMs: () => 0,
    logRange: { blocks: () => 100, onAnswer: () => {}, onTooLarge: () => {} },
  }
  return { context, penalise }
}

async function read(context: RangeContext): Promise<[number, number[]][]> {
  const fetched = await fetchRange(context, 5, 6, { signal: new AbortController().signal })
  return fetched.map(({ block: { ref, logs } }) => [
    ref.number,
    logs.map(({ logIndex }) => logIndex),
  ])
}

test('default', async () => {
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

test.each([
  ['all', () => false],
  ['some', ({ topics }: RawLog) => topics[0] === swap],
])('behavior: %s wanted logs left out are found and held against it', async (_, isTold) => {
  const logs = [logOf(5, 0, [swap]), logOf(5, 1, [sync])]
  const { context, penalise } = openNode(logs, isTold)
  expect((await read(context))[0]).toEqual([5, [0, 1]])
  expect(penalise.mock.calls).toEqual([[0, 'Logs of block 5 were left out']])
})
