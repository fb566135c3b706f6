import { expect, test, vi } from 'vitest'
import { pollOptions } from '../../../../test/support/until.ts'
import { poolQueryOf } from '../model/pool.ts'
import {
  type ChainReader,
  createScanProgress,
  type ReadPoint,
  type TokenAnswer,
  type TransferScanQuery,
  type TransferSums,
} from './chainReader.ts'
import { TransfersRefusedError } from './errors.ts'
import { createPrefetchingReader } from './prefetchingReader.ts'

const at = { number: 7, hash: '0x7' }
const parent = { number: 6, hash: '0x6' }
const limits = { prefetchedMax: 100, historyJobsMax: 2, prefetchedHistoryLogsMax: 10 }
const nothing = { tokens: [], pools: [], at, olderTokens: [], parent }

function answerOf(symbol: string): TokenAnswer {
  return { symbol, name: symbol, decimals: 6, isUnreadable: false, totalSupply: 1n }
}

function historyOf(logCount: number): TransferSums {
  return { balances: new Map([['w', 5n]]), voided: 0n, logCount, firstBlock: 1 }
}

function historyQueryOf(
  to: ReadPoint,
): TransferScanQuery & { onProgress: ReturnType<typeof vi.fn> } {
  const { signal } = new AbortController()
  const onProgress = vi.fn(async () => undefined)
  const progress = createScanProgress()
  return { token: 'a', to, logsMax: 100, walletsMax: 100, signal, progress, onProgress }
}

function createReader() {
  const readTokens = vi.fn<ChainReader['readTokens']>(async (all) => all.map(answerOf))
  const readPools = vi.fn<ChainReader['readPools']>(async (all) => all.map(() => null))
  const readHistory = vi.fn<ChainReader['readHistory']>(async ({ logsMax }) => historyOf(logsMax))
  return { readTokens, readPools, readHistory } as unknown as ChainReader & {
    readTokens: typeof readTokens
    readPools: typeof readPools
    readHistory: typeof readHistory
  }
}

test('default: prefetched answers are requested once, in one batch, and returned in order', async () => {
  const reader = createReader()
  const prefetchingReader = createPrefetchingReader(reader, limits)
  prefetchingReader.prefetch({ ...nothing, tokens: ['a', 'b'], pools: [poolQueryOf('p')] })
  prefetchingReader.prefetch({ ...nothing, tokens: ['b'], pools: [poolQueryOf('p')] })
  const answers = await prefetchingReader.readTokens(['b', 'c', 'a'], at, false)
  expect(answers.map(({ symbol }) => symbol)).toEqual(['b', 'c', 'a'])
  expect(await prefetchingReader.readPools([poolQueryOf('p')], at)).toEqual([null])
  expect(reader.readTokens.mock.calls.map(([all]) => all)).toEqual([['a', 'b'], ['c']])
  expect(reader.readPools).toHaveBeenCalledTimes(1)
})

test('behavior: token answers are only used for the block they were read at', async () => {
  const reader = createReader()
  const prefetchingReader = createPrefetchingReader(reader, limits)
  prefetchingReader.prefetch({ ...nothing, tokens: ['a'], pools: [] })
  await prefetchingReader.readTokens(['a'], { number: 8, hash: '0x8' }, false)
  expect(reader.readTokens).toHaveBeenCalledTimes(2)
})

test('behavior: a failed prefetch is requested again', async () => {
  const reader = createReader()
  reader.readTokens.mockRejectedValueOnce(new Error('down'))
  const prefetchingReader = createPrefetchingReader(reader, limits)
  prefetchingReader.prefetch({ ...nothing, tokens: ['a'], pools: [] })
  expect(await prefetchingReader.readTokens(['a'], at, false)).toMatchObject([{ symbol: 'a' }])
})

test('behavior: the number of prefetched answers is bounded', async () => {
  const reader = createReader()
  const prefetchingReader = createPrefetchingReader(reader, { ...limits, prefetchedMax: 1 })
  prefetchingReader.prefetch({ ...nothing, tokens: ['a', 'b'], pools: [] })
  await prefetchingReader.readTokens(['a'], at, false)
  expect(reader.readTokens).toHaveBeenCalledTimes(2)
})

test('behavior: a prefetched history is read once and reports its length', async () => {
  const reader = createReader()
  const prefetchingReader = createPrefetchingReader(reader, limits)
  prefetchingReader.prefetch({ ...nothing, olderTokens: ['a'] })
  prefetchingReader.prefetch({ ...nothing, olderTokens: ['a'] })
  const query = historyQueryOf(parent)
  expect(await prefetchingReader.readHistory(query)).toEqual(historyOf(10))
  expect(query.onProgress).toHaveBeenCalledWith(10)
  expect(reader.readHistory).toHaveBeenCalledTimes(1)
  expect(reader.readHistory.mock.calls[0]![0]).toMatchObject({
    token: 'a',
    to: parent,
    logsMax: 10,
  })
})

test('behavior: a prefetched history that is too long, failed or for another block is read when needed', async () => {
  const reader = createReader()
  const prefetchingReader = createPrefetchingReader(reader, limits)
  reader.readHistory.mockResolvedValueOnce(null).mockRejectedValueOnce(new Error('down'))
  for (const hash of ['0x1', '0x2', '0x3'])
    prefetchingReader.prefetch({ ...nothing, olderTokens: ['a'], parent: { number: 6, hash } })
  for (const hash of ['0x1', '0x2', '0x4'])
    expect(await prefetchingReader.readHistory(historyQueryOf({ number: 6, hash }))).toEqual(
      historyOf(100),
    )
  expect(reader.readHistory).toHaveBeenCalledTimes(6)
})

test('behavior: a refused prefetched history is not requested again', async () => {
  const reader = createReader()
  const prefetchingReader = createPrefetchingReader(reader, limits)
  const refusal = new TransfersRefusedError({ token: 'a', block: 1, cause: null })
  reader.readHistory.mockRejectedValueOnce(refusal)
  prefetchingReader.prefetch({ ...nothing, olderTokens: ['a'] })
  await expect(prefetchingReader.readHistory(historyQueryOf(parent))).rejects.toBe(refusal)
  expect(reader.readHistory).toHaveBeenCalledTimes(1)
})

test('behavior: no scan starts after close', async () => {
  const reader = createReader()
  const prefetchingReader = createPrefetchingReader(reader, { ...limits, historyJobsMax: 1 })
  reader.readHistory.mockImplementation(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
  )
  const parents = ['0x1', '0x2'].map((hash) => ({ number: 6, hash }))
  for (const to of parents)
    prefetchingReader.prefetch({ ...nothing, olderTokens: ['a'], parent: to })
  await vi.waitFor(() => expect(reader.readHistory).toHaveBeenCalledTimes(1), pollOptions)
  prefetchingReader.close()
  reader.readHistory.mockImplementation(async () => historyOf(1))
  expect(await prefetchingReader.readHistory(historyQueryOf(parents[1]!))).toEqual(historyOf(1))
  expect(reader.readHistory).toHaveBeenCalledTimes(2)
})
