import { expect, test } from 'vitest'
import { createMethodCapabilities, type Refusal } from './rpcCall.ts'

const call = { method: 'eth_getBlockReceipts', params: [] }
const minute = 60_000

test('default: nothing is missing, and batches have any size', () => {
  const capabilities = createMethodCapabilities()
  expect(capabilities.lacks(call.method, 0)).toBe(false)
  expect(capabilities.lost(0)).toEqual([])
  expect(capabilities.batchSizeMax()).toBe(Number.POSITIVE_INFINITY)
  expect(capabilities.logRangeRefusal(call, 0)).toBe(null)
})

test('behavior: an unknown method is missing for ten minutes', () => {
  const capabilities = createMethodCapabilities()
  capabilities.onRefusal(call, { kind: 'unknownMethod' } as Refusal, 5)
  const other = { method: 'eth_call', params: [] }
  capabilities.onRefusal(other, { kind: 'failed' } as Refusal, 5)
  expect(capabilities.lost(5)).toEqual([call.method])
  expect(capabilities.lacks(call.method, 4 + 10 * minute)).toBe(true)
  expect(capabilities.lacks(call.method, 5 + 10 * minute)).toBe(false)
  expect(capabilities.lost(5 + 10 * minute)).toEqual([])
  expect(capabilities.lacks(other.method, 5)).toBe(false)
})

test('behavior: a refused batch halves the next ones, a small one ends batches', () => {
  const capabilities = createMethodCapabilities()
  const sizes = [101, 51, 200, 5, 4].map((refused) => {
    capabilities.shrinkBatch(refused)
    return capabilities.batchSizeMax()
  })
  // A larger one that was under way changes nothing.
  expect(sizes).toEqual([51, 26, 26, 3, 1])
})
