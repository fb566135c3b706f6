import { expect, test } from 'vitest'
import { escapeText } from './escapeText.ts'

test('default: what a terminal would act on is shown', () => {
  expect(escapeText('a\x1b[31mb\x07\x7f')).toBe('a\\u001b[31mb\\u0007\\u007f')
  expect(escapeText('one\ntwo\r\nthree\tfour')).toBe('one\\ntwo\\r\\nthree\\tfour')
})

test.each([
  ['C1 controls', '\x9b2J\x85', '\\u009b2J\\u0085'],
  ['bidi', '\u202egpj\u2066\u061c', '\\u202egpj\\u2066\\u061c'],
  ['zero-width', 'a\u200bb\ufeff\u00ad', 'a\\u200bb\\ufeff\\u00ad'],
  ['tags', '\u{e0041}', '\\udb40\\udc41'],
  ['separators', '\u2028\u2029', '\\u2028\\u2029'],
  ['half a character', '\ud800x', '\\ud800x'],
  ['private use', '\ue000', '\\ue000'],
])('behavior: %s', (_, text, shown) => {
  expect(escapeText(text)).toBe(shown)
})

test('behavior: letters of all scripts stay', () => {
  const text = 'Zażółć 漢字 עברית हिन्दी 🚀 "quoted" \\ 100 %'
  expect(escapeText(text)).toBe(text)
})

test('behavior: JSON stays the same JSON', () => {
  const value = { a: 'x\x9b\u202e\n\ud800', b: ['\x7f\u{e0041}'] }
  const text = escapeText(JSON.stringify(value))
  expect(text).toMatch(/^[ -~]+$/)
  expect(JSON.parse(text)).toEqual(value)
})
