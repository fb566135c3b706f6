import { describe, expect, test } from 'vitest'
import type { RpcErrorKind } from '../../errors.ts'
import type { Refusal } from '../../rpc/rpcCall.ts'
import { createCapabilities, featureOf, logsOfAll } from './evmRpc.ts'

const logsOver = (blocks: number, filter: object = {}) => ({
  method: 'eth_getLogs',
  params: [{ fromBlock: '0x10', toBlock: `0x${(15 + blocks).toString(16)}`, ...filter }],
})
const byHash = { method: 'eth_getLogs', params: [{ blockHash: '0x1' }] }
const receipts = { method: 'eth_getBlockReceipts', params: ['0x1'] }

const plain = (kind: RpcErrorKind): Refusal => ({ kind, range: undefined })
const told = (blocksMax: number): Refusal => ({
  kind: 'rangeTooLarge',
  range: { blocksMax, isFixed: true },
})

test('default: a missing method is remembered, and tried again much later', () => {
  const capabilities = createCapabilities()
  capabilities.onRefusal(receipts, plain('unknownMethod'), 0)
  expect(capabilities.lacks('eth_getBlockReceipts', 1_000)).toBe(true)
  expect(capabilities.lost(1_000)).toEqual(['eth_getBlockReceipts'])
  expect(capabilities.lacks('eth_getLogs', 1_000)).toBe(false)
  expect(capabilities.lacks('eth_getBlockReceipts', 600_001)).toBe(false)
})

test('behavior: batches shrink and are given up', () => {
  const capabilities = createCapabilities()
  capabilities.shrinkBatch(50)
  expect(capabilities.batchSizeMax()).toBe(25)
  for (const size of [25, 13, 7, 4]) capabilities.shrinkBatch(size)
  expect(capabilities.batchSizeMax()).toBe(1)
})

describe('logs of all contracts', () => {
  test('default: a node that wants an address gives those of one', () => {
    const capabilities = createCapabilities()
    capabilities.onRefusal(logsOver(10), plain('addressNeeded'), 0)
    expect(capabilities.lacks(featureOf(logsOver(1)), 1)).toBe(true)
    expect(capabilities.lacks(featureOf(logsOver(1, { address: '0xa' })), 1)).toBe(false)
    expect(capabilities.lost(1)).toEqual([logsOfAll])
  })

  test('behavior: without the method there are none', () => {
    const capabilities = createCapabilities()
    capabilities.onRefusal(logsOver(10, { address: '0xa' }), plain('unknownMethod'), 0)
    expect(capabilities.lacks(logsOfAll, 1)).toBe(true)
  })

  test('behavior: a node that refuses single blocks in a row gives none', () => {
    const capabilities = createCapabilities()
    const refuse = () => capabilities.onRefusal(byHash, plain('logsRefused'), 0)
    refuse()
    refuse()
    capabilities.onAnswer(logsOver(1), 0)
    refuse()
    refuse()
    expect(capabilities.lacks(logsOfAll, 1)).toBe(false)
    refuse()
    expect(capabilities.lacks(logsOfAll, 1)).toBe(true)
  })
})

describe('ranges of logs', () => {
  test('default: a range over what the node said is not asked for again', () => {
    const capabilities = createCapabilities()
    expect(capabilities.logRangeRefusal(logsOver(1_000), 0)).toBeNull()
    capabilities.onRefusal(logsOver(1_000), told(100), 0)
    expect(capabilities.logRangeRefusal(logsOver(100), 1)).toBeNull()
    expect(capabilities.logRangeRefusal(logsOver(101), 1)).toBe(100)
    expect(capabilities.logRangeRefusal(byHash, 1)).toBeNull()
    expect(capabilities.logRangeRefusal(logsOver(1_000, { address: '0xa' }), 1)).toBeNull()
    expect(capabilities.logRangeRefusal(logsOver(101), 600_001)).toBeNull()
  })

  test('behavior: a refusal without a reason halves', () => {
    const capabilities = createCapabilities()
    capabilities.onRefusal(logsOver(1_000), plain('logsRefused'), 0)
    expect(capabilities.logRangeRefusal(logsOver(501), 1)).toBe(500)
    // Refusal of a request that was in flight together with the first one.
    capabilities.onRefusal(logsOver(1_000), plain('logsRefused'), 0)
    expect(capabilities.logRangeRefusal(logsOver(501), 1)).toBe(500)
    capabilities.onRefusal(logsOver(500), plain('logsRefused'), 0)
    expect(capabilities.logRangeRefusal(logsOver(501), 1)).toBe(250)
  })

  test('behavior: what the blocks hold is no rule of the node', () => {
    const capabilities = createCapabilities()
    const range = { blocksMax: 37, isFixed: false }
    capabilities.onRefusal(logsOver(1_000), { kind: 'rangeTooLarge', range }, 0)
    expect(capabilities.logRangeRefusal(logsOver(1_000), 1)).toBeNull()
  })

  test('behavior: a node that bears less than it says is learnt', () => {
    const capabilities = createCapabilities()
    capabilities.onRefusal(logsOver(5_000), told(2_000), 0)
    capabilities.onRefusal(logsOver(2_000), told(2_000), 0)
    expect(capabilities.logRangeRefusal(logsOver(2_000), 1)).toBe(1_000)
  })

  test('behavior: a node that bears more than it says is learnt, and one that does not is tried ever less', () => {
    const capabilities = createCapabilities()
    const bears = 2_000
    let refusals = 0
    let [asked, largest] = [0, 0]
    const ask = (blocks: number) => {
      asked = capabilities.logRangeRefusal(logsOver(blocks), 1) ?? blocks
      if (asked <= bears) {
        largest = Math.max(largest, asked)
        capabilities.onAnswer(logsOver(asked), 1)
      } else {
        refusals += 1
        capabilities.onRefusal(logsOver(asked), told(500), 1)
      }
    }
    ask(5_000)
    for (let time = 0; time < 100; time += 1) ask(5_000)
    expect(largest).toBeGreaterThan(1_500)
    for (let time = 0; time < 10_000; time += 1) ask(5_000)
    expect(refusals).toBeLessThan(20)
  })
})
