// Any record survives a line of the journal; any line that is cut is refused or is another valid record,
// never an exception.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeRecord, encodeRecord, type JournalRecord } from './journalRecord.ts'

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value) => `0x${Buffer.from(value).toString('hex')}`)

// Half of it zeros, as call data is.
const callData = fc
  .array(fc.oneof(fc.constant('00'.repeat(20)), fc.constant('0a00'), fc.constant('ff')), {
    maxLength: 30,
  })
  .map((parts) => `0x${parts.join('')}`)

const record: fc.Arbitrary<JournalRecord> = fc.oneof(
  fc.record({
    type: fc.constant('transaction' as const),
    transaction: fc.record({
      from: hex(20),
      to: fc.option(hex(20), { nil: undefined }),
      data: callData,
      value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      gas: fc.nat(),
    }),
  }),
  fc.record({ type: fc.constant('mine' as const), timestampS: fc.nat() }),
  fc.record({ type: fc.constant('hash' as const), hash: hex(8) }),
  fc.record({
    type: fc.constant('request' as const),
    method: fc.string(),
    params: fc.array(fc.oneof(fc.string(), fc.nat())),
  }),
)

test('behavior: decode inverts encode, on one line', () => {
  fc.assert(
    fc.property(record, (value) => {
      const line = encodeRecord(value)
      expect(line).not.toContain('\n')
      expect(decodeRecord(line)).toEqual(value)
    }),
  )
})

test('behavior: no line throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), record.map(encodeRecord)), fc.nat(200), (line, cut) => {
      decodeRecord(line.slice(0, cut))
    }),
  )
})
