import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openArchive, type PastBlock } from './archive.ts'
import { createPast } from './pastAnswers.ts'

let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'archive-'))
})

afterEach(() => rmSync(dir, { recursive: true }))

const hash = (kind: string, number: number) =>
  `0x${kind}${number.toString(16).padStart(8, '0')}`.padEnd(66, '0')

const zeros = hash('00', 0)

/** With one transaction and one log each. */
function pastBlock(number: number, kind = 'b1'): PastBlock {
  const [transactionHash, blockNumber] = [hash('7a', number), `0x${number.toString(16)}`]
  const roots = { parentHash: zeros, stateRoot: zeros, mixHash: zeros }
  const block = {
    ...roots,
    parentBeaconBlockRoot: zeros,
    number: blockNumber,
    timestamp: '0x1',
    hash: hash(kind, number),
    transactions: [{ hash: transactionHash }],
  }
  const topics = [hash('70', number % 2), hash('70', 9)]
  const logs = [{ address: `0x${'ab'.repeat(20)}`, topics, blockNumber }]
  return { block, receipts: [{ transactionHash, logs }] }
}

const blocks = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => pastBlock(from + index))

test('default', () => {
  const archive = openArchive(dir)
  expect(archive.lastNumber()).toBe(-1)
  archive.append(blocks(0, 50))
  expect(archive.lastNumber()).toBe(49)
  expect(archive.read(33)).toEqual(pastBlock(33))
  expect(archive.read(50)).toBeUndefined()
  expect(archive.numberOfBlock(hash('b1', 7))).toBe(7)
  expect(archive.numberOfTransaction(hash('7a', 41))).toBe(41)
  // The same 52 bits, another hash.
  expect(archive.numberOfBlock(`${hash('b1', 7).slice(0, 60)}ffffff`)).toBeUndefined()
  archive.close()
})

test('behavior: another reader learns what it is told of', () => {
  const [writer, reader] = [openArchive(dir), openArchive(dir)]
  writer.append(blocks(0, 3))
  reader.follow(writer.bytes())
  writer.append(blocks(3, 6))
  expect(reader.lastNumber()).toBe(2)
  expect(reader.size()).toBe(writer.bytes())
  reader.follow(writer.bytes())
  expect(reader.read(5)).toEqual(pastBlock(5))
  for (const archive of [writer, reader]) archive.close()
})

test('behavior: what was behind a place is replaced', () => {
  const first = openArchive(dir)
  first.append(blocks(0, 3))
  const bytes = first.bytes()
  first.append(blocks(3, 6))
  first.close()
  const second = openArchive(dir)
  second.truncate(bytes)
  second.follow(bytes)
  second.append([pastBlock(3, 'b2')])
  expect(second.numberOfBlock(hash('b2', 3))).toBe(3)
  expect(second.numberOfBlock(hash('b1', 3))).toBeUndefined()
  second.close()
})

test('behavior: requests are answered up to a block, the rest is left', () => {
  const archive = openArchive(dir)
  archive.append(blocks(0, 20))
  const past = createPast(archive, 9)
  const ask = (method: string, ...params: unknown[]) => past.answer(method, params)?.answer
  expect(ask('eth_getBlockByNumber', '0x9', true)).toEqual(pastBlock(9).block)
  expect(ask('eth_getBlockByHash', hash('b1', 9), false)).toMatchObject({
    transactions: [hash('7a', 9)],
  })
  expect(ask('eth_getBlockByNumber', 'earliest', true)).toEqual(pastBlock(0).block)
  expect(ask('eth_getTransactionReceipt', hash('7a', 3))).toEqual(pastBlock(3).receipts[0])
  expect(ask('eth_getBlockTransactionCountByNumber', '0x3')).toBe('0x1')
  for (const [method, param] of [
    ['eth_getBlockByNumber', '0xa'],
    ['eth_getBlockByNumber', 'latest'],
    ['eth_getBlockByHash', hash('b1', 10)],
    ['eth_getTransactionByHash', hash('7a', 10)],
    ['eth_chainId', '0x1'],
  ] as const)
    expect(past.answer(method, [param]), method).toBeUndefined()
  expect(past.stateNumber('eth_call', [{}, { blockHash: hash('b1', 4) }])).toBe(4)
  expect(past.stateNumber('eth_getStorageAt', ['0x', '0x0', '0x5'])).toBe(5)
  expect(past.stateNumber('eth_call', [{}])).toBeUndefined()
  archive.close()
})

test('behavior: logs', () => {
  const archive = openArchive(dir)
  archive.append(blocks(0, 20))
  const past = createPast(archive, 9)
  const numbers = (filter: object) =>
    past.logs(filter).logs.map(({ blockNumber }) => Number(blockNumber))
  expect(numbers({ fromBlock: '0x7', toBlock: '0x8' })).toEqual([7, 8])
  expect(past.logs({ fromBlock: '0x7', toBlock: '0x8' }).rest).toBeUndefined()
  expect(numbers({ fromBlock: '0x7', toBlock: 'latest' })).toEqual([7, 8, 9])
  expect(past.logs({ fromBlock: '0x7', toBlock: '0xf' }).rest).toEqual({
    fromBlock: '0xa',
    toBlock: '0xf',
  })
  expect(past.logs({}).rest).toEqual({})
  expect(numbers({ blockHash: hash('b1', 2) })).toEqual([2])
  const all = { fromBlock: '0x0', toBlock: '0x3' }
  expect(numbers({ ...all, topics: [hash('70', 1)] })).toEqual([1, 3])
  expect(numbers({ ...all, topics: [null, [hash('70', 8), hash('70', 9)]] })).toHaveLength(4)
  expect(numbers({ ...all, topics: [null, null, null] })).toEqual([])
  expect(numbers({ ...all, address: `0x${'AB'.repeat(20)}` })).toHaveLength(4)
  expect(numbers({ ...all, address: [`0x${'cd'.repeat(20)}`] })).toEqual([])
  archive.close()
})
