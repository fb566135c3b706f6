import { readFileSync } from 'node:fs'
import { type Hex, keccak256, toRlp } from 'viem'
import { expect, test } from 'vitest'
import { createLogger } from '../../../lib/logger.ts'
import {
  createHashFormat,
  createHeaderReader,
  headerHashOf,
  isHeaderFormListed,
} from './headerReader.ts'

type Header = Record<string, string> & { hash: string }

const fixture = new URL('../../../../../../test/fixtures/evmBlocks.json', import.meta.url)
const blocks = JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, { header: Header }>
const ethereum = blocks.ethereum17000000!.header

const formOf = (isListed: boolean) =>
  createHashFormat({ chain: 'x', what: 'headers', isListed, logger: createLogger('silent') })

test.each(Object.entries(blocks))('default: %s hashes to its hash', (_, { header }) => {
  expect(headerHashOf(header)).toBe(header.hash)
})

test('behavior: every field counts', () => {
  for (const [name, value] of Object.entries(ethereum)) {
    if (name === 'hash') continue
    const digit = value.at(-1) === '1' ? '2' : '1'
    const changed = { ...ethereum, [name]: `${value.slice(0, -1)}${digit}` }
    expect(headerHashOf(changed), name).not.toBe(ethereum.hash)
  }
})

test('behavior: without all fields, or with one that is no hex, there is no hash', () => {
  const { mixHash: _, ...lacking } = ethereum
  expect(headerHashOf(lacking)).toBeNull()
  expect(headerHashOf({ ...ethereum, miner: null })).toBeNull()
  expect(headerHashOf({ ...ethereum, gasUsed: '12' })).toBeNull()
})

test('behavior: on a listed chain what does not fit is a lie at once, elsewhere after one that fits', () => {
  const wrong = { ...ethereum, timestamp: '0x7fffffff' }
  const listed = createHeaderReader(formOf(true))
  expect(listed.read(wrong).fault).toBe('Fields of block 17000000 do not make up its hash')
  const learning = createHeaderReader(formOf(false))
  expect(learning.read(wrong)).toMatchObject({ fault: null, header: { isProven: false } })
  expect(learning.read(ethereum)).toMatchObject({ fault: null, header: { isProven: true } })
  expect(learning.read(wrong).fault).not.toBeNull()
  // Base since Denim: milliseconds are derived from hashed fields.
  expect(learning.read({ ...wrong, timestampMs: '0x1' }).fault).not.toBeNull()
  // An unknown field is either an upgrade or one node's invention, so other endpoints must confirm
  // it.
  const added = { ...wrong, newRoot: '0x00' }
  expect(listed.read(added).misfit!.unknownFields).toEqual(['newRoot'])
  const { fault, misfit } = learning.read(added)
  expect(fault).not.toBeNull()
  learning.excuse(misfit!)
  expect(learning.read(added)).toMatchObject({ fault: null, header: { isProven: false } })
  expect(learning.read({ ...added, gasUsed: '0x1' }).fault).not.toBeNull()
  // On a chain whose headers never matched, an unknown field is no fault.
  expect(createHeaderReader(formOf(false)).read(added).fault).toBeNull()
})

test('behavior: fields of later upgrades are hashed in their order', () => {
  const word = (digit: string): Hex => `0x${digit.repeat(64)}`
  const later = {
    withdrawalsRoot: word('1'),
    blobGasUsed: '0x20000',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: word('2'),
    requestsHash: word('3'),
    blockAccessListHash: word('4'),
    slotNumber: '0x2a',
  } as const
  const header = { ...ethereum, ...later } as Record<string, Hex>
  const names = [
    ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot'],
    ...['logsBloom', 'difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'extraData'],
    ...['mixHash', 'nonce', 'baseFeePerGas', ...Object.keys(later)],
  ]
  const bytes = new Set(['extraData', 'logsBloom', 'miner', 'nonce'])
  const items = names.map((name): Hex => {
    const value = header[name]!
    if (bytes.has(name) || value.length === 66) return value
    // RLP encodes 0 as no bytes, and pads an odd number of digits with a leading 0.
    const digits = BigInt(value) === 0n ? '' : BigInt(value).toString(16)
    return `0x${digits.padStart(digits.length + (digits.length % 2), '0')}`
  })
  expect(headerHashOf(header)).toBe(keccak256(toRlp(items)))
})

test('behavior: a header that settles earlier blocks says nothing about its own logs', () => {
  const settling = { ...ethereum, gasUsed: '0x1', settledHeight: '0x5' }
  for (const form of [formOf(false), null]) {
    const { header } = createHeaderReader(form).read(settling)
    expect(header).toMatchObject({ bloom: null, receiptsRoot: null, isProven: false })
    expect(
      createHeaderReader(form).read({ ...settling, settledHeight: null }).header!.bloom,
    ).not.toBeNull()
  }
  // The hash covers all known fields, so an added field gains a faulty node nothing.
  const { header } = createHeaderReader(formOf(true)).read({ ...ethereum, settledHeight: '0x5' })
  expect(header).toMatchObject({ isProven: true, receiptsRoot: ethereum.receiptsRoot })
  expect(header!.bloom).not.toBeNull()
})

test('behavior: where none ever fits, hashes are believed in the end', () => {
  const copied = { ...ethereum, hash: `0x${'ab'.repeat(32)}` }
  const reader = createHeaderReader(formOf(true))
  const faults = Array.from({ length: 20 }, () => reader.read(copied).fault !== null)
  expect(faults.indexOf(false)).toBe(16)
  expect(faults.lastIndexOf(true)).toBe(15)
  expect(reader.read(ethereum).header!.isProven).toBe(true)
  expect(reader.read(copied).fault).not.toBeNull()
})

test('behavior: presets are listed', () => {
  expect([1, 56, 8_453, undefined, 324].map(isHeaderFormListed)).toEqual([
    ...[true, true, true],
    ...[false, false],
  ])
})
