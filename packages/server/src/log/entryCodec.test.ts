import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { ByteReader } from '../lib/bytes/byteReader.ts'
import { ByteWriter } from '../lib/bytes/byteWriter.ts'
import type { FinishedSwap } from '../model/finishedBlock.ts'
import type { LogEntry } from '../model/logEntry.ts'
import { RecordCodec, sinceVersion, textField, wholeField } from '../model/recordType.ts'
import { decodeEntry, encodeEntry, entryVersion } from './entryCodec.ts'

const hash = `0x${'ab'.repeat(32)}`
const wallet = `0x${'cd'.repeat(20)}`

const swap: FinishedSwap = {
  type: 'swap',
  index: 12,
  txHash: hash,
  wallet,
  pairId: 3,
  sender: wallet,
  to: wallet,
  amount0: -(2n ** 256n),
  amount1: 10n ** 18n,
  reserve0: 0n,
  reserve1: 1n,
  priceRaw: 1.5,
  holding0: null,
  holding1: 0n,
  native: 5n,
  accountFlags: 9,
}

function commit(events: readonly FinishedSwap[]): LogEntry {
  return {
    type: 'commit',
    block: {
      ref: {
        number: 2 ** 40,
        hash,
        parentNumber: 2 ** 40 - 5,
        parentHash: hash,
        timeS: 1_700_000_000,
      },
      receivedMs: 1_700_000_000_123,
      tokens: [],
      pairs: [],
      events,
      supplies: [],
      nativeUsd: null,
    },
  }
}

/** The version and the given body, with its checksum. */
function sealAs(version: number, ...body: number[]): Uint8Array {
  const bytes = Buffer.from([version, ...body, 0, 0, 0, 0])
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
  return bytes
}

const seal = (...body: number[]) => sealAs(entryVersion, ...body)

test('default: a decoded entry equals the encoded one', () => {
  const entry = commit([swap])
  expect(decodeEntry(encodeEntry(entry))).toStrictEqual(entry)
})

test('behavior: the bytes of version 1 stay as they are', () => {
  // Number 7; a new hex string of two bytes.
  const finalize: LogEntry = { type: 'finalize', ref: { number: 7, hash: '0xbeef' } }
  expect(Buffer.from(encodeEntry(finalize))).toEqual(seal(3, 7, 2 * 4 + 2, 0xbe, 0xef))
  // The parent's number plus one; its hash is the text just written: number 0 times four, plus
  // three.
  const ref = { number: 7, hash: 'Ag', parentNumber: 3, parentHash: 'Ag', timeS: 1 }
  expect(Buffer.from(encodeEntry({ type: 'revert', ref }))).toEqual(
    seal(2, 7, 2 * 4, 0x41, 0x67, 4, 3, 1),
  )
  // After four empty lists 2.5 as a double, and when that was; then the milliseconds plus one, 0
  // for none.
  const block = { receivedMs: 3, tokens: [], pairs: [], events: [], supplies: [] }
  const priced: Committed = {
    type: 'commit',
    block: { ref, ...block, nativeUsd: { usd: 2.5, atS: 9 } },
  }
  expect(Buffer.from(encodeEntry(priced))).toEqual(seal(...pricedBody, 9, 0))
  const inMs = { ...priced, block: { ...priced.block, ref: { ...ref, timeMs: 1_200 } } }
  expect(Buffer.from(encodeEntry(inMs))).toEqual(seal(...pricedBody, 9, 0xb1, 0x09))
  expect(decodeEntry(encodeEntry(inMs))).toStrictEqual(inMs)
  // Then a list of one token, and of one pair with its shares.
  const tokensAndShares = [1, 3, 10, 1, 5, 4, 0x34, 0x12]
  // After two empty lists a list of two: pair 5 of time 9 - one more than it, 0 is null - and pair
  // 6 of none.
  expect(Buffer.from(encodeEntry(late))).toEqual(
    seal(...lateBody, 2, 5, 10, 6, 0, ...tokensAndShares),
  )
})

type Committed = Extract<LogEntry, { type: 'commit' }>

const late: Extract<LogEntry, { type: 'late' }> = {
  type: 'late',
  facts: {
    ref: { number: 7, hash: 'Ag' },
    tokens: [],
    supplies: [],
    creations: [
      { pairId: 5, createdAtS: 9 },
      { pairId: 6, createdAtS: null },
    ],
    tokenCreations: [{ tokenId: 3, createdAtS: 9 }],
    shares: [{ pairId: 5, total: 0x1234n }],
  },
}
const lateBody = [1, 7, 8, 0x41, 0x67, 0, 0]

// Block 7 at time 1, received at 3.
const pricedBody = [0, 7, 8, 0x41, 0x67, 4, 3, 1, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 4, 0x40]

test('behavior: late facts without creations and shares', () => {
  const { ref, tokens, supplies } = late.facts
  const bare = { type: 'late', facts: { ref, tokens, supplies } }
  expect(decodeEntry(seal(...lateBody, 0, 0, 0))).toStrictEqual(bare)
})

test('behavior: the next version reads what this one wrote, and has the default of a new field', () => {
  type Known = { id: number; name: string }
  const known = new RecordCodec<Known, 'id'>('id', { name: textField('') })
  const next = new RecordCodec<Known & { more: number }, 'id'>('id', {
    more: sinceVersion(entryVersion + 1, wholeField(9)),
    name: textField(''),
  })
  const reader = (version: number, written: Buffer) =>
    new ByteReader({ corrupt: expect.unreachable, version }).open(written)
  const writer = new ByteWriter()
  known.writeList(writer, [{ id: 3, name: 'a' }])
  expect(next.readList(reader(entryVersion, writer.written()))).toEqual([
    { id: 3, name: 'a', more: 9 },
  ])
  next.writeList(writer.start(), [{ id: 3, name: 'a', more: 5 }])
  expect(next.readList(reader(entryVersion + 1, writer.written()))).toEqual([
    { id: 3, name: 'a', more: 5 },
  ])
})

test('behavior: a text costs its bytes once', () => {
  const one = encodeEntry(commit([swap])).length
  const two = encodeEntry(commit([swap, { ...swap, index: 13 }])).length
  // The amounts (33 and 8 bytes), the price, and a byte or two for each of the other fields.
  expect(two - one).toBeLessThan(70)
})

test('behavior: equal entries give equal bytes whatever the order of their keys', () => {
  const turned = Object.fromEntries(Object.entries(swap).reverse()) as FinishedSwap
  expect(encodeEntry(commit([turned]))).toEqual(encodeEntry(commit([swap])))
})

test('behavior: the bytes have a buffer of their own', () => {
  const bytes = encodeEntry(commit([swap]))
  expect(bytes.buffer.byteLength).toBe(bytes.length)
})

test('behavior: a huge amount comes back in good time', () => {
  const entry = commit([{ ...swap, amount0: 1n - (1n << 8_000_000n) }])
  expect(decodeEntry(encodeEntry(entry))).toStrictEqual(entry)
})

test('args: entryBytesMax', () => {
  const bytes = encodeEntry(commit([swap]))
  expect(() => encodeEntry(commit([swap]), { entryBytesMax: 100 })).toThrow(
    expect.objectContaining({ code: 'LOG_ENTRY_TOO_LARGE' }),
  )
  expect(() => decodeEntry(bytes, { entryBytesMax: 100 })).toThrow(
    expect.objectContaining({ code: 'LOG_ENTRY_TOO_LARGE' }),
  )
})

test.each<[string, Uint8Array, string]>([
  ['nothing', new Uint8Array(), 'Offset: 0|Reason: too short for an entry'],
  ['no version', sealAs(0, 4, 1), 'Offset: 0|Reason: version 0 is not known'],
  ['an altered byte', seal(4, 1).fill(9, 2, 3), 'Offset: 3|Reason: checksum differs'],
  ['no such type', seal(5, 1), 'Offset: 1|Reason: 5 is not one of commit, late, revert, finalize'],
  ['bytes left over', seal(3, 7, 8, 0x41, 0x67, 1), 'Offset: 6|Reason: 1 bytes too many'],
  [
    'a number over 2^53',
    seal(3, 255, 255, 255, 255, 255, 255, 255, 127),
    'Offset: 2|Reason: number too large',
  ],
  [
    'a number that never ends',
    seal(3, ...Array(9).fill(255)),
    'Offset: 2|Reason: number too large',
  ],
  ['a number cut off', seal(3, 255), 'Offset: 3|Reason: 1 bytes wanted, 0 left'],
  ['a text not seen yet', seal(3, 7, 3), 'Offset: 3|Reason: no text has number 0 yet'],
  ['a text cut off', seal(3, 7, 8, 65), 'Offset: 4|Reason: 2 bytes wanted, 1 left'],
  ['half a character', seal(3, 7, 5, 0xff), 'Offset: 4|Reason: half a character'],
  ['more items than bytes', seal(1, 7, 0, 100, 0), 'Offset: 4|Reason: 100 items do not fit'],
  [
    'a missing amount',
    seal(1, 7, 0, 0, 1, 5, 0, 0, 1, 0, 0, 0),
    'Offset: 9|Reason: amount missing',
  ],
  [
    'a truth of 2',
    seal(1, 7, 0, 0, 1, 5, 2, 0, 0, 0, 0, 0),
    'Offset: 7|Reason: 2 is neither true nor false',
  ],
])('error: %s', (_name, bytes, facts) => {
  expect(() => decodeEntry(bytes)).toThrow(
    expect.objectContaining({ code: 'LOG_ENTRY_CORRUPT', meta: facts.split('|') }),
  )
})

test('error: an entry of a newer version', () => {
  expect(() => decodeEntry(sealAs(2, 4, 1))).toThrow(
    expect.objectContaining({
      code: 'LOG_ENTRY_TOO_NEW',
      meta: expect.arrayContaining(['An entry has version: 2', 'Newest known here: 1']),
    }),
  )
  // Damage that looks like it.
  expect(() => decodeEntry(seal(4, 1).fill(6, 0, 1))).toThrow(
    expect.objectContaining({ code: 'LOG_ENTRY_CORRUPT' }),
  )
})

test('error: a number that is none is the programmer’s', () => {
  const finalize = (number: number) =>
    encodeEntry({ type: 'finalize', ref: { number, hash: '0xbeef' } })
  expect(() => finalize(-1)).toThrow(/not a whole number/)
  expect(() => finalize(0.5)).toThrow(/not a whole number/)
})
