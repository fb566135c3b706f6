import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareDecimals, sumDecimals } from './decimals.ts'

const scale = 24
/** A decimal of the wire, with the integer it is a fraction of. */
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer({ min: 0, max: scale }))
  .map(([digits, places]) => {
    const sign = digits < 0n ? '-' : ''
    const text = `${digits < 0n ? -digits : digits}`.padStart(places + 1, '0')
    const fraction = places === 0 ? '' : `.${text.slice(-places)}`
    const whole = places === 0 ? text : text.slice(0, -places)
    return { text: sign + whole + fraction, value: digits * 10n ** BigInt(scale - places) }
  })

test('default: as integers', () => {
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      expect(compareDecimals(a.text, b.text)).toBe(
        a.value < b.value ? -1 : a.value > b.value ? 1 : 0,
      )
    }),
  )
  fc.assert(
    fc.property(fc.array(decimal), (all) => {
      const sum = all.reduce((total, { value }) => total + value, 0n)
      const text = sumDecimals(all.map((one) => one.text))
      expect(text).toMatch(/^(0|-?[1-9]\d*|-?\d+\.\d*[1-9])$/)
      const whole = `${sum}e-${scale}`
      expect(compareDecimals(text, sumDecimals([text, '0.0']))).toBe(0)
      const [digits = '', fraction = ''] = text.split('.')
      expect(BigInt(digits + fraction.padEnd(scale, '0')), whole).toBe(sum)
    }),
  )
})

test('behavior: what floats would lose', () => {
  expect(sumDecimals(['0.1', '0.2'])).toBe('0.3')
  expect(sumDecimals(['90071992547409931234.5', '0.000000000000000001', '-0.5'])).toBe(
    '90071992547409931234.000000000000000001',
  )
  expect(sumDecimals(['1.50', '-1.5'])).toBe('0')
  expect(sumDecimals([])).toBe('0')
  expect(['10', '9.5', '-1', '0.01'].sort(compareDecimals)).toEqual(['-1', '0.01', '9.5', '10'])
})

test('error: what is no decimal', () => {
  for (const text of ['', '1e5', ' 1', '0x1', '.5', '1.', 'NaN'])
    expect(() => sumDecimals([text])).toThrow('is not a decimal')
})
