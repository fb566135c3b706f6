// Receipts in the shapes that libraries, explorers and databases give.
import { expect, test } from 'vitest'
import { createReceiptFinder, findReceipts, type OfflineReceipt } from './findReceipts.ts'

const [txHash, otherHash, blockHash] = ['05', '06', '99'].map((byte) => `0x${byte.repeat(32)}`) as [
  ...[string, string, string],
]
const [pool, from] = ['aa', '77'].map((byte) => `0x${byte.repeat(20)}`) as [string, string]
const topics = ['01', '02'].map((byte) => `0x${byte.repeat(32)}`) as [string, string]
const data = `0x${'0b'.repeat(32)}`
const [address, transactionHash] = [pool, txHash]
const bare = { address, topics, data, logIndex: 7 }
const log = { ...bare, transactionHash }
const receipt: OfflineReceipt = { txHash, from, logs: [log] }
const without = (text: string) => text.slice(2)
const block = (...hashes: string[]) => ({
  hash: blockHash,
  parentHash: blockHash,
  transactions: hashes.map((hash) => ({ hash, from })),
})

test.each([
  ['tx_hash', { tx_hash: txHash, from, logs: [bare] }],
  ['txHash', { txHash, from, logs: [bare] }],
  ['a hash as tx', { tx: txHash, receipt: { from, logs: [bare] } }],
  [
    'a transaction by its long name beside',
    { transaction: { transactionHash, from }, logs: [bare] },
  ],
  ['a receipt of ethers', { hash: txHash, from, logs: [{ address, topics, data, index: 7 }] }],
  ['receipts by hash', { [txHash]: { from, logs: [bare] } }],
  [
    'receipts and senders by hash',
    { receipts: { [txHash]: { logs: [bare] } }, transactions: { [txHash]: { from } } },
  ],
  ['logs by hash', [{ [txHash]: [bare] }, { hash: txHash, from }]],
  [
    'by their place in a block',
    { block: block(otherHash, txHash), receipts: [{ logs: [] }, { logs: [bare] }] },
  ],
  ['by their place, block first', [block(txHash), [{ from, logs: [bare] }]]],
  [
    'by their place, block last',
    { receipts: [{ logs: [bare] }], block: { result: block(txHash) } },
  ],
  [
    'by their index in a block',
    { ...block(otherHash, txHash), receipts: [{ transactionIndex: '0x1', logs: [bare] }] },
  ],
  [
    'by an index that transactions have',
    {
      block: {
        transactions: [
          { hash: otherHash, transactionIndex: 48 },
          { hash: txHash, from, transactionIndex: '0x31' },
        ],
      },
      receipts: [{ transaction_index: 49, logs: [bare] }],
    },
  ],
  [
    'hex without its mark',
    {
      transactionHash: without(txHash),
      from: without(from),
      logs: [
        {
          address: without(pool),
          topics: topics.map(without),
          data: without(data),
          logIndex: '0x7',
        },
      ],
    },
  ],
  [
    'hex with a capital mark',
    { transactionHash, from, logs: [{ ...bare, data: data.replace('0x', '0X') }] },
  ],
  [
    'topics in one text',
    { transactionHash, from, logs: [{ ...bare, topics: `{${topics.join(',')}}` }] },
  ],
  [
    'topics in fields',
    {
      transactionHash,
      from,
      logs: [{ address, data, logIndex: 7, topic0: topics[0], topic1: topics[1], topic2: null }],
    },
  ],
  ['a text', JSON.stringify({ transactionHash, from, logs: [bare] })],
  ['logs as a text', { transactionHash, from, logs: JSON.stringify([bare]) }],
  [
    'addresses in objects',
    { transactionHash, from: { hash: from }, logs: [{ ...bare, address: { hash: pool } }] },
  ],
])('default: %s', (_, value) => {
  const found = findReceipts(value)?.filter(({ logs }) => logs.length > 0)
  expect(found).toEqual([expect.objectContaining({ txHash, logs: [log] })])
  expect(found![0]!.from).toBe(from)
})

test('behavior: a receipt is of no block that it does not name, nor of a hash that is the block’s own', () => {
  const logs = [bare]
  expect(findReceipts([block(txHash), [{ blockHash: otherHash, from, logs }]])).toBe(null)
  expect(findReceipts([block(txHash, otherHash), [{ from, logs }]])).toBe(null)
  expect(findReceipts({ hash: blockHash, receipts: [{ from, logs }] })).toBe(null)
  expect(findReceipts({ hash: blockHash, parentHash: blockHash, logs })).toBe(null)
})

test('behavior: what failed has no logs, in all words for it', () => {
  for (const status of ['0x0', '0', 0, false, 'false', 'reverted', 'failed'])
    expect(findReceipts({ transactionHash, from, status, logs: [bare] })).toEqual([])
  for (const status of ['0x1', '1', 1, true, 'success', null, undefined])
    expect(findReceipts({ transactionHash, from, status, logs: [bare] })).toEqual([receipt])
})

test('behavior: logs that all have one index are all there, and those given twice once', () => {
  const logs = [bare, bare, { ...bare, data: '0x' }]
  expect(findReceipts({ transactionHash, from, logs })).toEqual([
    { txHash, from, logs: [log, { ...log, data: '0x', logIndex: 8 }] },
  ])
})

test('behavior: a block gives senders and hashes to receipts after it', () => {
  const { find } = createReceiptFinder()
  expect(find({ result: block(txHash) })).toBe(null)
  expect(find({ result: [{ transactionHash, logs: [bare] }] })).toEqual([receipt])
  expect(find({ result: [{ logs: [bare] }] })).toEqual([receipt])
})

test('behavior: logs that cannot be read are counted', () => {
  let unread = 0
  const { find } = createReceiptFinder(undefined, (_, count) => {
    unread += count
  })
  const malformed = [
    null,
    'log',
    { ...bare, address: '0x12' },
    { ...bare, topics: [1, 2] },
    { ...bare, topics: 'none' },
    { ...bare, data: '0x12zz' },
    { ...bare, data: '0x123' },
    { data },
  ]
  expect(find({ transactionHash, from, logs: [...malformed, bare] })).toEqual([receipt])
  expect(unread).toBe(malformed.length)
  expect(find([log, bare, { ...log, removed: true }])).toEqual([{ ...receipt, from }])
  expect(unread).toBe(malformed.length + 1)
  expect(find({ request: { params: [{ address, topics: [topics] }] } })).toBe(null)
  expect(unread).toBe(malformed.length + 1)
})
