import { expect, test } from 'vitest'
import { RpcError } from '../chain/errors.ts'
import { type HistoryLog, type HistoryScanOptions, scanTokenHistory } from './tokenHistory.ts'

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const deposit = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const withdrawal = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'
const zero = `0x${'0'.repeat(40)}`
const wallet = (digit: string) => `0x${digit.repeat(40)}`
const [a, b] = [wallet('a'), wallet('b')]

const topicOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
const dataOf = (amount: number) => `0x${amount.toString(16).padStart(64, '0')}`
const move = (from: string, to: string, amount: number): HistoryLog => {
  return { topics: [transfer, topicOf(from), topicOf(to)], data: dataOf(amount) }
}

/** A log in each tenth block. */
function scan(logs: readonly HistoryLog[], options: Partial<HistoryScanOptions> = {}) {
  return scanTokenHistory({
    token: wallet('1'),
    from: 0,
    to: { number: 10 * logs.length, hash: '0x' },
    isWrapped: false,
    zeroAddress: zero,
    logsMax: 100,
    walletsMax: 100,
    signal: new AbortController().signal,
    onProgress: async () => {},
    getLogs: async ({ from, to }) => logs.filter((_, i) => 10 * i >= from && 10 * i <= to),
    ...options,
  })
}

test('default', async () => {
  const sums = await scan([move(zero, a, 100), move(a, b, 30), move(b, zero, 5), move(a, a, 7)])
  expect(sums).toEqual({
    balances: new Map([
      [a, 70n],
      [b, 25n],
    ]),
    voided: 5n,
    logCount: 4,
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

test('behavior: ranges shrink when a node says so, and nothing is counted twice', async () => {
  const logs = Array.from({ length: 30 }, () => move(zero, a, 1))
  const asked: number[] = []
  const sums = await scan(logs, {
    async getLogs({ from, to }) {
      asked.push(to - from + 1)
      if (to - from >= 50)
        throw new RpcError({
          kind: 'rangeTooLarge',
          method: 'eth_getLogs',
          endpoint: 'x',
          detail: '',
        })
      return logs.filter((_, i) => 10 * i >= from && 10 * i <= to)
    },
  })
  expect(sums?.balances.get(a)).toBe(30n)
  expect(asked.some((blocks) => blocks <= 50)).toBe(true)
})

test('behavior: logs that are no transfers of an ERC-20 are left out', async () => {
  const sums = await scan([
    { topics: [transfer, topicOf(a), topicOf(b), dataOf(1)], data: dataOf(1) },
    { topics: [transfer, topicOf(a), topicOf(b)], data: '0x' },
    { topics: [transfer, `0x${'f'.repeat(64)}`, topicOf(b)], data: dataOf(1) },
    { topics: [transfer, topicOf(a), `0x${'f'.repeat(64)}`], data: dataOf(1) },
  ])
  expect(sums?.balances.size).toBe(0)
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
