import { expect, test } from 'vitest'
import { createCapabilities } from './capabilities.ts'

const logsOver = (blocks: number) => ({
  method: 'eth_getLogs',
  params: [{ fromBlock: '0x10', toBlock: `0x${(15 + blocks).toString(16)}` }],
})

test('default: a missing method is remembered, and tried again much later', () => {
  const able = createCapabilities()
  able.lose('eth_getBlockReceipts', 0)
  expect(able.lacks('eth_getBlockReceipts', 1_000)).toBe(true)
  expect(able.lost(1_000)).toEqual(['eth_getBlockReceipts'])
  expect(able.lacks('eth_getLogs', 1_000)).toBe(false)
  expect(able.lacks('eth_getBlockReceipts', 600_001)).toBe(false)
})

test('behavior: batches shrink and are given up', () => {
  const able = createCapabilities()
  able.shrinkBatch(50)
  expect(able.batchSizeMax()).toBe(25)
  for (const size of [25, 13, 7, 4]) able.shrinkBatch(size)
  expect(able.batchSizeMax()).toBe(1)
})

test('behavior: a fixed range is not asked over again', () => {
  const able = createCapabilities()
  expect(able.logRangeRefusal(logsOver(1_000), 0)).toBeNull()
  able.limitLogRange(100, 0)
  expect(able.logRangeRefusal(logsOver(100), 1)).toBeNull()
  expect(able.logRangeRefusal(logsOver(101), 1)).toBe(100)
  const byHash = { method: 'eth_getLogs', params: [{ blockHash: '0x1' }] }
  expect(able.logRangeRefusal(byHash, 1)).toBeNull()
})
