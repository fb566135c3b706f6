import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CopyBytes } from './copyBinary.ts'

// Signature, flags and extension, then the field count and the size of the first field.
const fieldStart = 19 + 2 + 4

/** Decodes a numeric as PostgreSQL does: groups of base 10,000 with a weight. */
function numericOf(write: (rows: CopyBytes) => void): bigint {
  const rows = new CopyBytes()
  rows.row(1)
  write(rows)
  const bytes = rows.finish()
  expect(bytes.readInt16BE(bytes.length - 2)).toBe(-1)
  const groupCount = bytes.readInt16BE(fieldStart)
  const weight = bytes.readInt16BE(fieldStart + 2)
  const sign = bytes.readInt16BE(fieldStart + 4)
  expect([0, 0x4000]).toContain(sign)
  expect(bytes.readInt16BE(fieldStart + 6)).toBe(0)
  expect(bytes.readInt32BE(fieldStart - 4)).toBe(8 + 2 * groupCount)
  expect(bytes.length).toBe(fieldStart + 8 + 2 * groupCount + 2)
  let value = 0n
  for (let group = 0; group < groupCount; group += 1) {
    const digits = bytes.readInt16BE(fieldStart + 8 + 2 * group)
    expect(digits).toBeGreaterThanOrEqual(0)
    expect(digits).toBeLessThan(10_000)
    value += BigInt(digits) * 10_000n ** BigInt(weight - group)
  }
  return sign === 0 ? value : -value
}

// The form changes at the limits of exact doubles and at powers of 10,000.
const edges = [2n ** 53n, 2n ** 63n, 10n ** 4n, 10n ** 16n, 10n ** 20n, 10n ** 40n]
const whole = fc.oneof(
  fc.bigInt({ min: -(1n << 200n), max: 1n << 200n }),
  fc.maxSafeInteger().map(BigInt),
  fc
    .tuple(fc.constantFrom(...edges), fc.bigInt({ min: -3n, max: 3n }), fc.constantFrom(1n, -1n))
    .map(([edge, offset, sign]) => sign * (edge + offset)),
)

test('behavior: a numeric is the whole number it was given', () => {
  fc.assert(
    fc.property(whole, (value) => {
      expect(numericOf((rows) => rows.numeric(value))).toBe(value)
    }),
  )
})

test('behavior: a number gives the bytes of the bigint that it equals', () => {
  fc.assert(
    fc.property(whole, (value) => {
      const number = Number(value)
      expect(numericOf((rows) => rows.numeric(number))).toBe(BigInt(number))
    }),
  )
})

test('behavior: what is infinite has a sign of its own and no digits', () => {
  const signOf = (value: number) => {
    const rows = new CopyBytes()
    rows.row(1)
    rows.numeric(value)
    const bytes = rows.finish()
    expect(bytes.readInt16BE(fieldStart)).toBe(0)
    return bytes.readUInt16BE(fieldStart + 4)
  }
  expect(signOf(Number.POSITIVE_INFINITY)).toBe(0xd000)
  expect(signOf(Number.NEGATIVE_INFINITY)).toBe(0xf000)
  // Too large for a double, and not infinite.
  const large = 10n ** 400n
  expect(numericOf((rows) => rows.numeric(large))).toBe(large)
})

test('behavior: a bigint is eight bytes in two’s complement', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const rows = new CopyBytes()
      rows.row(1)
      rows.bigint(value)
      expect(rows.finish().readBigInt64BE(fieldStart)).toBe(BigInt(value))
    }),
  )
})

test('behavior: integers are an array of one dimension, or of none when there are none', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { maxLength: 3_000 }), (values) => {
      const rows = new CopyBytes()
      rows.row(2)
      rows.integers(values)
      rows.smallint(7)
      const bytes = rows.finish()
      const head = values.length === 0 ? [0, 0, 23] : [1, 0, 23, values.length, 1]
      const words = [...head, ...values.flatMap((value) => [4, value])]
      expect(bytes.readInt32BE(fieldStart - 4)).toBe(4 * words.length)
      expect(words.map((_, at) => bytes.readInt32BE(fieldStart + 4 * at))).toEqual(words)
      expect(bytes.length).toBe(fieldStart + 4 * words.length + 4 + 2 + 2)
    }),
  )
})

test('behavior: it grows, and text loses its zero bytes', () => {
  const rows = new CopyBytes()
  rows.row(2)
  rows.text('a\0é')
  rows.bytea(new Uint8Array(100_000).fill(7))
  const bytes = rows.finish()
  expect(bytes.subarray(fieldStart, fieldStart + 6).toString()).toBe('a\uFFFDé')
  expect(bytes.length).toBe(fieldStart + 6 + 4 + 100_000 + 2)
  expect(rows.rowCount).toBe(1)
})
