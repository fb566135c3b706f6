// The whole source over nodes in memory, some of which are wrong: what it gives out is the chain of
// the others.
import { describe, expect, test } from 'vitest'
import { EvmNode, mineBlocks, nextBlock, wordOf } from '../../../../../test/support/evmNodes.ts'
import { isRange, readNodes } from '../../../../../test/support/evmSource.ts'
import type { RawBlock, RawLog } from './fetch/rawBlock.ts'

const wantedOnly = () => ({})

describe('nodes that are wrong', () => {
  /** Node 0 reports something else in answers to these calls. */
  function openTwo(alter: EvmNode['alter'], count = 40) {
    const blocks = mineBlocks(count, null, wantedOnly)
    const [wrong, right] = [new EvmNode(blocks), new EvmNode(blocks)] as const
    wrong.alter = alter
    return { wrong, right }
  }

  test('logs that a range leaves out are found by the filter, and held against the node', async () => {
    const { wrong, right } = openTwo((answer, call) =>
      isRange(call)
        ? (answer as RawLog[]).filter(({ blockNumber }) => blockNumber !== '0x7')
        : answer,
    )
    const reader = readNodes([wrong, right])
    await reader.untilAsOn(right)
    expect(reader.faults()).toEqual(['0: Logs of block 7 were left out'])
  })

  test('a header that does not make up its hash is not believed', async () => {
    const { wrong, right } = openTwo((answer, { method }) =>
      method.startsWith('eth_getBlockBy') &&
      answer !== null &&
      (answer as RawBlock).number === '0x9'
        ? { ...(answer as RawBlock), timestamp: '0x1' }
        : answer,
    )
    const reader = readNodes([wrong, right], { source: { chainId: 1 } })
    await reader.untilAsOn(right)
    expect(reader.faults()).toContainEqual('0: Fields of block 9 do not make up its hash')
  })

  test('receipts that do not make up their root are not believed', async () => {
    const { wrong, right } = openTwo((answer, { method }) =>
      method === 'eth_getBlockReceipts' && Array.isArray(answer)
        ? answer.map((receipt) => ({ ...receipt, status: '0x0' }))
        : answer,
    )
    const reader = readNodes([wrong, right], { source: { prefersReceipts: true, chainId: 1 } })
    await reader.untilAsOn(right)
    expect(right.countOf('eth_getLogs')).toBe(0)
    expect(reader.faults().at(-1)).toMatch(/^0: Receipts do not make up the root/)
  })

  test('an older time than that of the block before is asked for elsewhere, and held against its node', async () => {
    const { wrong, right } = openTwo((answer) => answer)
    const reader = readNodes([wrong, right], { source: { checks: { headerHash: false } } })
    await reader.untilAsOn(right)
    const block = nextBlock(right.head)
    for (const node of [wrong, right]) node.blocks.push(block)
    wrong.alter = (answer) =>
      (answer as RawBlock | null)?.hash === block.raw.hash
        ? { ...(answer as RawBlock), timestamp: '0x6553f101' }
        : answer
    right.isDown = false
    await reader.untilAsOn(right)
    for (const fault of reader.faults())
      expect(fault).toBe('0: Block 40 is older than the block before it')
  })

  test('a time far ahead of the clock needs the word of a second node', async () => {
    const { wrong, right } = openTwo((answer) => answer)
    const timeS = Number(right.head.raw.timestamp)
    const source = {
      checks: { headerHash: false },
      headerAheadSMax: 10,
      clock: { nowMs: () => timeS * 1_000 },
    }
    const reader = readNodes([wrong, right], { source })
    await reader.untilAsOn(right)
    // In time by a second, and ahead as both say.
    for (const aheadS of [10, 500]) {
      const block = nextBlock(right.head, { timeS: timeS + aheadS })
      for (const node of [wrong, right]) node.blocks.push(block)
      await reader.untilAsOn(right)
    }
    expect(reader.faults()).toEqual([])
  })

  test('a node that is down is left out', async () => {
    const { wrong, right } = openTwo((answer) => answer)
    wrong.isDown = true
    const reader = readNodes([wrong, right])
    await reader.untilAsOn(right)
    expect(wrong.calls).toEqual([])
  })
})

describe('a block is confirmed', () => {
  const committed = (number: number, reader: ReturnType<typeof readNodes>) => reader.blocks[number]!

  test('at once where its receipts proved it', async () => {
    const node = new EvmNode(mineBlocks(5, null, wantedOnly))
    const reader = readNodes([node], { source: { prefersReceipts: true, chainId: 1 } })
    await reader.untilAsOn(node)
    const before = node.calls.length
    expect(await reader.confirm(committed(3, reader))).toEqual({ type: 'right' })
    expect(node.calls.length).toBe(before)
  })

  test('by its receipts, or found to be another', async () => {
    const node = new EvmNode(mineBlocks(5, null, wantedOnly))
    const reader = readNodes([node], { source: { chainId: 1 } })
    await reader.untilAsOn(node)
    const block = committed(3, reader)
    expect(await reader.confirm(block)).toEqual({ type: 'right' })
    expect(node.countOf('eth_getBlockReceipts')).toBe(1)
    const wrong = { ...block, logs: [{ ...block.logs[0]!, data: wordOf(77) }] }
    expect(await reader.confirm(wrong)).toEqual({ type: 'wrong', block })
    expect(reader.faults()).toEqual(['0: Logs of block 3 are not true'])
  })
})
