import { describe, expect, test } from 'vitest'
import type { RpcErrorKind } from '../../errors.ts'
import { createCapabilities, featureOf, logsOfAll, type Refusal } from './capabilities.ts'

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
  const able = createCapabilities()
  able.onRefusal(receipts, plain('unknownMethod'), 0)
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

describe('logs of all contracts', () => {
  test('default: a node that wants an address gives those of one', () => {
    const able = createCapabilities()
    able.onRefusal(logsOver(10), plain('addressNeeded'), 0)
    expect(able.lacks(featureOf(logsOver(1)), 1)).toBe(true)
    expect(able.lacks(featureOf(logsOver(1, { address: '0xa' })), 1)).toBe(false)
    expect(able.lost(1)).toEqual([logsOfAll])
  })

  test('behavior: without the method there are none', () => {
    const able = createCapabilities()
    able.onRefusal(logsOver(10, { address: '0xa' }), plain('unknownMethod'), 0)
    expect(able.lacks(logsOfAll, 1)).toBe(true)
  })

  test('behavior: a node that refuses single blocks in a row gives none', () => {
    const able = createCapabilities()
    const refuse = () => able.onRefusal(byHash, plain('logsRefused'), 0)
    refuse()
    refuse()
    able.onAnswer(logsOver(1), 0)
    refuse()
    refuse()
    expect(able.lacks(logsOfAll, 1)).toBe(false)
    refuse()
    expect(able.lacks(logsOfAll, 1)).toBe(true)
  })
})

describe('ranges of logs', () => {
  test('default: a range over what the node said is not asked for again', () => {
    const able = createCapabilities()
    expect(able.logRangeRefusal(logsOver(1_000), 0)).toBeNull()
    able.onRefusal(logsOver(1_000), told(100), 0)
    expect(able.logRangeRefusal(logsOver(100), 1)).toBeNull()
    expect(able.logRangeRefusal(logsOver(101), 1)).toBe(100)
    expect(able.logRangeRefusal(byHash, 1)).toBeNull()
    expect(able.logRangeRefusal(logsOver(1_000, { address: '0xa' }), 1)).toBeNull()
    expect(able.logRangeRefusal(logsOver(101), 600_001)).toBeNull()
  })

  test('behavior: a refusal without a reason halves', () => {
    const able = createCapabilities()
    able.onRefusal(logsOver(1_000), plain('logsRefused'), 0)
    expect(able.logRangeRefusal(logsOver(501), 1)).toBe(500)
    // One that was under way together with it.
    able.onRefusal(logsOver(1_000), plain('logsRefused'), 0)
    expect(able.logRangeRefusal(logsOver(501), 1)).toBe(500)
    able.onRefusal(logsOver(500), plain('logsRefused'), 0)
    expect(able.logRangeRefusal(logsOver(501), 1)).toBe(250)
  })

  test('behavior: what the blocks hold is no rule of the node', () => {
    const able = createCapabilities()
    const range = { blocksMax: 37, isFixed: false }
    able.onRefusal(logsOver(1_000), { kind: 'rangeTooLarge', range }, 0)
    expect(able.logRangeRefusal(logsOver(1_000), 1)).toBeNull()
  })

  test('behavior: a node that bears less than it says is learnt', () => {
    const able = createCapabilities()
    able.onRefusal(logsOver(5_000), told(2_000), 0)
    able.onRefusal(logsOver(2_000), told(2_000), 0)
    expect(able.logRangeRefusal(logsOver(2_000), 1)).toBe(1_000)
  })

  test('behavior: a node that bears more than it says is learnt, and one that does not is tried ever less', () => {
    const able = createCapabilities()
    const bears = 2_000
    let refusals = 0
    let [asked, largest] = [0, 0]
    const ask = (blocks: number) => {
      asked = able.logRangeRefusal(logsOver(blocks), 1) ?? blocks
      if (asked <= bears) {
        largest = Math.max(largest, asked)
        able.onAnswer(logsOver(asked), 1)
      } else {
        refusals += 1
        able.onRefusal(logsOver(asked), told(500), 1)
      }
    }
    ask(5_000)
    for (let time = 0; time < 100; time += 1) ask(5_000)
    expect(largest).toBeGreaterThan(1_500)
    for (let time = 0; time < 10_000; time += 1) ask(5_000)
    expect(refusals).toBeLessThan(20)
  })
})
