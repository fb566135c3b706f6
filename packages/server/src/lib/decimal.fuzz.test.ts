// For any number the text is plain, reads back as the same value by an exact rational, and no
// shorter text would do. The reference does not use the code under test.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../test/support/propertyRuns.ts'
import { decimalOfDouble, decimalOfE8, decimalOfRaw } from './decimal.ts'

const plain = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/

/** The exact value of a double as numerator over a power of two, from its bits. */
function exactOf(x: number): { numerator: bigint; denominator: bigint } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & ((1n << 52n) - 1n)
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n)
  const shift = (exponent === 0 ? 1 : exponent) - 1075
  const signed = bits >> 63n ? -mantissa : mantissa
  return shift >= 0
    ? { numerator: signed << BigInt(shift), denominator: 1n }
    : { numerator: signed, denominator: 1n << BigInt(-shift) }
}

function rationalOf(text: string): { numerator: bigint; denominator: bigint } {
  const [whole, fraction = ''] = text.split('.')
  return { numerator: BigInt(whole! + fraction), denominator: 10n ** BigInt(fraction.length) }
}

test('behavior: a double reads back the same and is within half a unit of its 15th digit', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
      const text = decimalOfDouble(x)
      expect(text).toMatch(plain)
      expect(text).not.toBe('-0')
      expect(Number(text) === x).toBe(true)
      const given = rationalOf(text)
      const exact = exactOf(x)
      const left = given.numerator * exact.denominator - exact.numerator * given.denominator
      const error = left < 0n ? -left : left
      const size = exact.numerator < 0n ? -exact.numerator : exact.numerator
      // Subnormal doubles have fewer than 15 digits themselves.
      if (Math.abs(x) >= 2 ** -1022)
        expect(error * 10n ** 15n <= size * given.denominator).toBe(true)
    }),
    { numRuns: propertyRuns(5_000) },
  )
})

test('behavior: no shorter digit string reads back the same', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
      const digits = decimalOfDouble(x).replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '')
      if (digits.length < 2) return
      expect(Number(x.toExponential(digits.length - 2)) === x).toBe(false)
    }),
    { numRuns: propertyRuns(5_000) },
  )
})

test('behavior: a raw amount is exactly amount / 10^decimals', () => {
  fc.assert(
    fc.property(fc.bigInt(-(1n << 256n), 1n << 256n), fc.integer({ min: 0, max: 80 }), (raw, d) => {
      const text = decimalOfRaw(raw, d)
      expect(text).toMatch(plain)
      expect(text).not.toBe('-0')
      const { numerator, denominator } = rationalOf(text)
      expect(numerator * 10n ** BigInt(d)).toBe(raw * denominator)
      if (d === 8) expect(decimalOfE8(raw)).toBe(text)
    }),
    { numRuns: propertyRuns(5_000) },
  )
})
