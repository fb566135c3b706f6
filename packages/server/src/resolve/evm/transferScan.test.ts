import { expect, test } from 'vitest'
import { RpcError } from '../../chain/errors.ts'
import { createScanProgress } from '../chainReader.ts'
import { TransfersRefusedError } from '../errors.ts'
import {
  type LogsRange,
  scanTokenTransfers,
  type TransferLogEntry,
  type TransferScanOptions,
} from './transferScan.ts'

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const deposit = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const withdrawal = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'
const zero = `0x${'0'.repeat(40)}`
const wallet = (digit: string) => `0x${digit.repeat(40)}`
const [a, b] = [wallet('a'), wallet('b')]

const topicOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
const dataOf = (amount: number) => `0x${amount.toString(16).padStart(64, '0')}`
type Unplaced = Omit<TransferLogEntry, 'blockNumber'>
const move = (from: string, to: string, amount: number): Unplaced => {
  return { topics: [transfer, topicOf(from), topicOf(to)], data: dataOf(amount) }
}

/** Puts one log into every tenth block and returns those in range. */
const placed = (logs: readonly Unplaced[], range: LogsRange) =>
  logs
    .map((log, i) => ({ ...log, blockNumber: `0x${(10 * i).toString(16)}` }))
    .filter((_, i) => 10 * i >= range.from && 10 * i <= range.to)

function scan(logs: readonly Unplaced[], options: Partial<TransferScanOptions> = {}) {
  return scanTokenTransfers({
    token: wallet('1'),
    from: 0,
    to: { number: 10 * logs.length, hash: '0x' },
    isWrapped: false,
    zeroAddress: zero,
    logsMax: 100,
    walletsMax: 100,
    signal: new AbortController().signal,
    progress: createScanProgress(),
    onProgress: async () => {},
    getLogs: async (range) => placed(logs, range),
    ...options,
  })
}

test('default: all transfers are summed', async () => {
  const sums = await scan([move(zero, a, 100), move(a, b, 30), move(b, zero, 5), move(a, a, 7)])
  expect(sums).toEqual({
    balances: new Map([
      [a, 70n],
      [b, 25n],
    ]),
    voided: 5n,
    logCount: 4,
    firstBlock: 0,
  })
})

test('args: isWrapped', async () => {
  const logs = [
    { topics: [deposit, topicOf(a)], data: dataOf(10) },
    { topics: [withdrawal, topicOf(a)], data: dataOf(4) },
  ]
  const sums = await scan(logs, { isWrapped: true })
  expect(sums?.balances).toEqual(new Map([[a, 6n]]))
})

test('behavior: ranges shrink when a node refuses them, and no log is counted twice', async () => {
  const logs = Array.from({ length: 30 }, () => move(zero, a, 1))
  const asked: number[] = []
  const sums = await scan(logs, {
    async getLogs({ from, to }) {
      asked.push(to - from + 1)
      if (to - from >= 50)
        throw new RpcError({
          kind: 'rangeTooLarge',
          method: 'eth_getLogs',
          endpoint: null,
          detail: '',
        })
      return placed(logs, { from, to, topics0: [] })
    },
  })
  expect(sums?.balances.get(a)).toBe(30n)
  expect(asked.some((blocks) => blocks <= 50)).toBe(true)
})

test('behavior: logs other than ERC-20 transfers are ignored', async () => {
  const sums = await scan([
    { topics: [transfer, topicOf(a), topicOf(b), dataOf(1)], data: dataOf(1) },
    { topics: [transfer, topicOf(a), topicOf(b)], data: '0x' },
    { topics: [transfer, `0x${'f'.repeat(64)}`, topicOf(b)], data: dataOf(1) },
    { topics: [transfer, topicOf(a), `0x${'f'.repeat(64)}`], data: dataOf(1) },
  ])
  expect(sums?.balances.size).toBe(0)
})

test('behavior: the first block is that of the first transfer, or the block after an empty scan', async () => {
  const other = { topics: [deposit, topicOf(a)], data: '0x' }
  expect((await scan([other, other, move(zero, a, 1), move(a, b, 1)]))?.firstBlock).toBe(20)
  expect((await scan([other, other]))?.firstBlock).toBe(21)
})

test('args: logsMax', async () => {
  expect(
    await scan(
      Array.from({ length: 9 }, () => move(zero, a, 1)),
      { logsMax: 8 },
    ),
  ).toBeNull()
})

test('error: aborted', async () => {
  await expect(scan([move(zero, a, 1)], { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
})

const errorOf = (kind: RpcError['kind']) =>
  new RpcError({ kind, method: 'eth_getLogs', endpoint: null, detail: 'no' })
const hundred = Array.from({ length: 10 }, () => move(zero, a, 1))

test('behavior: a failed scan resumes without counting logs twice', async () => {
  const progress = createScanProgress()
  const asked: number[] = []
  let isDown = true
  const getLogs: TransferScanOptions['getLogs'] = async ({ from, to }) => {
    asked.push(from)
    if (to - from >= 40) throw errorOf('rangeTooLarge')
    if (from > 50 && isDown) throw errorOf('unreachable')
    return placed(hundred, { from, to, topics0: [] })
  }
  await expect(scan(hundred, { progress, getLogs })).rejects.toThrow(RpcError)
  isDown = false
  const firstAsked = asked.length
  expect(progress.next).toBeGreaterThan(40)
  const sums = await scan(hundred, { progress, getLogs })
  expect(sums?.balances).toEqual(new Map([[a, 10n]]))
  expect(Math.min(...asked.slice(firstAsked))).toBeGreaterThan(40)
})

test.each(['rangeTooLarge', 'refused', 'failed', 'malformed'] as const)(
  'behavior: %s for a range of one block is a permanent refusal',
  async (kind) => {
    const ranges: number[] = []
    const getLogs: TransferScanOptions['getLogs'] = async ({ from, to }) => {
      ranges.push(to - from + 1)
      throw errorOf(kind)
    }
    await expect(scan(hundred, { getLogs })).rejects.toThrow(TransfersRefusedError)
    expect(ranges.at(-1)).toBe(1)
    expect(ranges.length).toBeLessThan(10)
  },
)

test.each(['unknownMethod', 'forbidden'] as const)(
  'behavior: %s is a permanent refusal at once',
  async (kind) => {
    let count = 0
    const getLogs = async () => {
      count += 1
      throw errorOf(kind)
    }
    await expect(scan(hundred, { getLogs })).rejects.toThrow(TransfersRefusedError)
    expect(count).toBe(1)
  },
)

test('behavior: missing old blocks are a permanent refusal, a missing newest block is not', async () => {
  const progress = createScanProgress()
  const getLogs = async () => {
    throw errorOf('notFound')
  }
  const to = { number: 100, hash: '0x' }
  for (let attempt = 0; attempt < 5; attempt += 1)
    await expect(scan(hundred, { progress, getLogs, to })).rejects.toThrow(RpcError)
  const far = { number: 20_000, hash: '0x' }
  await expect(scan(hundred, { progress, getLogs, to: far })).rejects.toThrow(TransfersRefusedError)
})
