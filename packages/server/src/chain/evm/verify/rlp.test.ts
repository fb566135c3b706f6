import fc from 'fast-check'
import { type Hex, toHex, toRlp } from 'viem'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../../test/support/propertyRuns.ts'
import { type RlpItem, rlp } from './rlp.ts'

const text = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => toHex(bytes)),
  fc.uint8Array({ minLength: 1, maxLength: 1 }).map((bytes) => toHex(bytes)),
  fc.constantFrom<Hex>('0x', '0x0', '0x7', '0x80', '0xfff', `0x${'0'.repeat(112)}`),
)
const longText = fc
  .integer({ min: 250, max: 70_000 })
  .map((length): Hex => `0x${'a7'.repeat(length)}`)
const nested = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof({ maxDepth: 3 }, text, fc.array(tie('item'), { maxLength: 12 })),
})).item
const item = fc.oneof(nested, fc.tuple(nested, longText))

test('default: what viem makes of the same', () => {
  fc.assert(
    fc.property(item, (given) => {
      expect(toHex(rlp(given))).toBe(toRlp(given as Hex))
    }),
    { numRuns: propertyRuns(1_000, { isCheap: true }) },
  )
})
