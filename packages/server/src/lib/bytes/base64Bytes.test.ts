import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64ByteAt } from './base64Bytes.ts'

test('behavior: each byte is the one that decoding gives, with and without the padding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64')
      for (const written of [text, text.replaceAll('=', '')])
        expect(Array.from(bytes, (_, at) => base64ByteAt(written, at))).toEqual([...bytes])
    }),
  )
})

test('edge: past the end, and of a text that is none, it is some byte', () => {
  for (const at of [0, 1, 2, 3, 100])
    for (const text of ['', '!', 'é', 'AA', '\n\n\n\n'])
      expect(base64ByteAt(text, at) & 255).toBe(base64ByteAt(text, at))
})
