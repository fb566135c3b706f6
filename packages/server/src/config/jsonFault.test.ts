import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findJsonFault } from './configFile.ts'

test.each([
  ['{"a": 1 "b": 2}', 8, ', or }'],
  ['{"a": [1, 2 3]}', 12, ', or ]'],
  ['{"a" 1}', 5, ': after the name'],
  ['{a: 1}', 1, 'a name in double quotes, or }'],
  ["{'a': 1}", 1, 'a name in double quotes, or }'],
  ['{"a": yes}', 6, 'a value: '],
  ['{"a": 01}', 6, 'a value: '],
  ['{"a": }', 6, 'a value: '],
  ['{"a": "b}', 6, 'no closing "'],
  ['{"a": "C:\\dir"}', 6, 'no closing "'],
  ['{"a": 1', 7, 'the file ends here; expected , or }'],
  ['{"a": [1}', 8, ', or ]'],
  ['{"a": 1}}', 8, 'nothing after the last }'],
  ['', 0, 'the file ends here'],
])('error: %j', (text, offset, message) => {
  expect(findJsonFault(text)).toEqual({ offset, message: expect.stringContaining(message) })
})

test('behavior: a comma may follow the last value', () => {
  expect(findJsonFault('{"a": [1, 2,], "b": {"c": null,},}')).toBe(null)
})

test('behavior: JSON has no fault, and a text that JSON.parse refuses has one', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(findJsonFault(text)).toBe(null)
    }),
  )
  const anyText = fc.string({ unit: fc.constantFrom(...'{}[],: "a1\\tn-.e') })
  fc.assert(
    fc.property(anyText, (text) => {
      const isRefused = (() => {
        try {
          JSON.parse(text)
          return false
        } catch {
          return true
        }
      })()
      if (findJsonFault(text) === null && isRefused) expect(text).toMatch(/,\s*[}\]]/)
      if (!isRefused) expect(findJsonFault(text)).toBe(null)
    }),
    { numRuns: 2_000 },
  )
})
