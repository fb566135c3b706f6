import { expect, test } from 'vitest'
import { formatCursor, parseCursor } from './cursor.ts'

test('default: a formatted cursor parses back to its block and index', () => {
  const text = formatCursor({ number: 18_000_000, hash: `0x0a1b2c3d${'0'.repeat(56)}` }, 7)
  expect(text).toBe('18000000-0a1b2c3d-7')
  expect(parseCursor(text)).toEqual({ number: 18_000_000, hash8: '0a1b2c3d', index: 7 })
})

test('behavior: base58 hashes keep their case', () => {
  const text = formatCursor({ number: 1, hash: 'GHtXQBsoZHVnNFa9YevAzFr17DJjgHXk3ycTKD5xD3Zi' }, 0)
  expect(parseCursor(text)?.hash8).toBe('GHtXQBso')
})

test.each([
  '',
  '1',
  '1-2',
  '1-abcdefgh',
  '1-abc-2',
  'x-abcdefgh-2',
  '1-abcdefgh-x',
  '1-abcdefgh-',
  '-abcdefgh-1',
  '99999999999999999-abcdefgh-1',
  '1-abcdefgh-9999999999',
  `1-${'a'.repeat(100)}-1`,
])('error: %j is not a cursor', (text) => {
  expect(parseCursor(text)).toBeNull()
})
