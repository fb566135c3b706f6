// For text of arbitrary code units the result is short, on one line, free of hidden characters, and
// stable when cleaned again.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../test/support/propertyRuns.ts'
import { cleanText } from './cleanText.ts'

const nastyArbitrary = fc
  .array(
    fc.oneof(
      fc.nat(0xffff),
      fc.constantFrom(0x200d, 0x202e, 0xd83d, 0xde80, 0x301, 0x20, 0xa, 0xfe0f, 0x2194, 0x338),
    ),
    { maxLength: 60 },
  )
  .map((units) => String.fromCharCode(...units))

test('behavior: the result is safe for any input', () => {
  fc.assert(
    fc.property(nastyArbitrary, fc.integer({ min: 1, max: 20 }), (text, charsMax) => {
      const clean = cleanText(text, charsMax)
      expect([...clean].length).toBeLessThanOrEqual(charsMax)
      expect(clean).not.toMatch(/(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u)
      expect(clean).toBe(clean.trim())
      expect(cleanText(clean, charsMax)).toBe(clean)
    }),
    { numRuns: propertyRuns(2_000) },
  )
})
