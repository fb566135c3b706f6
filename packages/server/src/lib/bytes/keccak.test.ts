import fc from 'fast-check'
import { keccak256, toHex } from 'viem'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { keccak, keccakOfHex } from './keccak.ts'

test('default: what another implementation says', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1_000 }), (bytes) => {
      expect(keccak(bytes)).toBe(keccak256(bytes))
      expect(keccakOfHex(toHex(bytes))).toBe(keccak256(bytes))
    }),
    { numRuns: propertyRuns(1_000, { isCheap: true }) },
  )
})
