import { expect, test } from 'vitest'
import { cleanBytes, cleanText } from './cleanText.ts'

test('default: ordinary text stays unchanged', () => {
  expect(cleanText('Wrapped Ether', 32)).toBe('Wrapped Ether')
})

test.each([
  ['control characters', 'A\u0000B\u001b[31mC\u007f', 'AB[31mC'],
  ['line breaks', ' A\r\n\tB\u2028C ', 'A B C'],
  ['direction overrides', 'US\u202eDC\u2066\u200f', 'USDC'],
  ['zero-width characters', 'U\u200bS\u2060D\ufeffC\u00ad', 'USDC'],
  ['lone surrogates', 'A\ud800B\udc00', 'AB'],
  ['private use', 'A\ue000\u{f0000}B', 'AB'],
  ['tags', 'A\u{e0041}\u{e007f}', 'A'],
  ['piles of marks', `Z${'\u0301'.repeat(40)}`, '\u0179\u0301\u0301\u0301'],
  ['only hidden characters', '\u200d\u200b \u202e', ''],
])('behavior: %s are removed', (_, text, expected) => {
  expect(cleanText(text, 32)).toBe(expected)
})

test('behavior: emoji sequences stay whole', () => {
  expect(cleanText('👩\u200d🚀 moon', 32)).toBe('👩\u200d🚀 moon')
  expect(cleanText('👩\u200d🚀', 2)).toBe('👩')
})

test('behavior: characters that compose after a joiner was removed are checked in composed form', () => {
  const clean = cleanText('👩\u200d\u2194\u200d\u0338', 32)
  expect(clean).toBe('👩\u21ae')
  expect(cleanText(clean, 32)).toBe(clean)
})

test('behavior: text is cut by code points', () => {
  expect(cleanText('🚀'.repeat(40), 3)).toBe('🚀🚀🚀')
})

test('behavior: invalid UTF-8 is dropped and no more bytes than needed are read', () => {
  const hostile = Buffer.from('455649004c3c623e0a1b5b33316de280ae58fffe7f', 'hex')
  expect(cleanBytes(hostile, 32)).toBe('EVIL<b> [31mX')
  expect(cleanBytes(Buffer.alloc(10_000_000, 'A'), 10)).toBe('AAAAAAAAAA')
})
