import { expect, test } from 'vitest'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../test/support/eventAbi.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import { createDecodeCounts, decodeEvmBlock } from './decodeEvmBlock.ts'

const token = `0x${'a1'.repeat(20)}`
const alice = `0x${'b1'.repeat(20)}`
const bob = `0x${'c1'.repeat(20)}`
const zero = `0x${'00'.repeat(20)}`
const ref = { number: 7, hash: '0x01', parentNumber: 6, parentHash: '0x02', timeS: 1_700_000_000 }

function decode(logs: readonly EvmLog[], wrappedTokens?: ReadonlySet<string>) {
  const counts = createDecodeCounts()
  const block = { ref, logs, senders: new Map() }
  const { events } = decodeEvmBlock(block, { counts, wrappedTokens })
  return { events, counts }
}

const transfer = encodeLog(
  eventAbi.transfer,
  { from: alice, to: bob, value: 2n ** 256n - 1n },
  { address: token, logIndex: 4 },
)

const { transactionHash: txHash } = transfer

test('default: a transfer is decoded', () => {
  expect(decode([transfer]).events).toEqual([
    { type: 'transfer', index: 4, txHash, token, from: alice, to: bob, amount: 2n ** 256n - 1n },
  ])
})

test('behavior: wrapping mints and unwrapping burns', () => {
  const logs = [
    encodeLog(eventAbi.deposit, { dst: alice, wad: 5n }, { address: token, logIndex: 1 }),
    encodeLog(eventAbi.withdrawal, { src: bob, wad: 6n }, { address: token, logIndex: 2 }),
  ]
  expect(decode(logs).events).toEqual([
    { type: 'transfer', index: 1, txHash, token, from: zero, to: alice, amount: 5n },
    { type: 'transfer', index: 2, txHash, token, from: bob, to: zero, amount: 6n },
  ])
})

test('args: wrappedTokens', () => {
  const deposit = encodeLog(eventAbi.deposit, { dst: alice, wad: 5n }, { address: token })
  expect(decode([deposit], new Set([token])).events).toHaveLength(1)
  expect(decode([deposit], new Set([bob]))).toEqual({
    events: [],
    counts: { malformed: 0, unknownSenders: 0, spoofed: 0 },
  })
})

test('behavior: the Transfer of an ERC-721 is passed over', () => {
  const nft = { ...transfer, topics: [...transfer.topics, `0x${'0'.repeat(64)}`], data: '0x' }
  expect(decode([nft])).toEqual({
    events: [],
    counts: { malformed: 0, unknownSenders: 0, spoofed: 0 },
  })
})

test('behavior: a native transfer logged as an ERC-20 transfer is not a token', () => {
  const native = { ...transfer, address: `0x${'f'.repeat(39)}e` }
  expect(decode([native])).toEqual({
    events: [],
    counts: { malformed: 0, unknownSenders: 0, spoofed: 0 },
  })
})

test('behavior: malformed logs are skipped and counted', () => {
  const malformed: EvmLog[] = [
    { ...transfer, topics: transfer.topics.slice(0, 1), data: `0x${'0'.repeat(192)}` },
    { ...transfer, data: '0x' },
    { ...transfer, data: transfer.data.slice(0, -1) },
    { ...transfer, data: `0x${' '.repeat(64)}` },
    { ...transfer, topics: [transfer.topics[0]!, '', ''] },
    { ...transfer, topics: [transfer.topics[0]!, transfer.topics[1]!.replace('b', 'ｂ'), alice] },
  ]
  const { events, counts } = decode([...malformed, { ...transfer, topics: [] }])
  expect(events).toEqual([])
  expect(counts.malformed).toBe(malformed.length)
})
