import fc from 'fast-check'
import { keccak256, toHex } from 'viem'
import { expect, test } from 'vitest'
import { runs } from '../../../../../test/support/runs.ts'
import { keccak, keccakOfHex } from './keccak.ts'

test('default: what another implementation says', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1_000 }), (bytes) => {
      expect(keccak(bytes)).toBe(keccak256(bytes))
      expect(keccakOfHex(toHex(bytes))).toBe(keccak256(bytes))
    }),
    { numRuns: runs(1_000, { isCheap: true }) },
  )
})
