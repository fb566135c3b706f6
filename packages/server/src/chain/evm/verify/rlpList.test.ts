import fc from 'fast-check'
import { type Hex, toHex, toRlp } from 'viem'
import { expect, test } from 'vitest'
import { runs } from '../../../../../../test/support/runs.ts'
import { rlpList } from './rlpList.ts'

test('default: what viem makes of the same', () => {
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => toHex(bytes)),
    fc.uint8Array({ minLength: 1, maxLength: 1 }).map((bytes) => toHex(bytes)),
    fc.integer({ min: 250, max: 70_000 }).map((length): Hex => `0x${'a7'.repeat(length)}`),
    fc.constantFrom<Hex>('0x', '0x0', '0x7', '0x80', '0xfff', `0x${'0'.repeat(112)}`),
  )
  fc.assert(
    fc.property(fc.array(text, { maxLength: 24 }), (items) => {
      expect(toHex(rlpList(items))).toBe(toRlp(items))
    }),
    { numRuns: runs(1_000) },
  )
})
