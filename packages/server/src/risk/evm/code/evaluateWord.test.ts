import { describe, expect, test } from 'vitest'
import {
  callerMarker,
  evaluateBinary,
  hashedKey,
  readStoredWord,
  type SymbolicWord,
  slotName,
  storedWord,
} from './evaluateWord.ts'

const [add, mul, div, and, shr] = [0x01, 0x02, 0x04, 0x16, 0x1c]
const accountMask = (1n << 160n) - 1n

test('a stored word names its slot and the bits it lost', () => {
  expect(readStoredWord(storedWord(10n))).toEqual({ slot: '0xa', shift: 0 })
  expect(readStoredWord(storedWord(255n, 8))).toEqual({ slot: '0xff', shift: 8 })
  for (const word of [null, 5n, callerMarker, 'map(0x1)']) expect(readStoredWord(word)).toBe(null)
  expect([slotName(17n), slotName('map(0x1)')]).toEqual(['0x11', 'map(0x1)'])
})

describe('words that are not constants', () => {
  const stored = storedWord(3n)

  test.each([
    ['a mask as wide as an address keeps a stored account', and, stored, accountMask, stored],
    ['in either order', and, accountMask, stored, stored],
    ['and the caller', and, callerMarker, accountMask, callerMarker],
    ['a narrower mask keeps nothing', and, stored, accountMask >> 1n, null],
    ['a mask of a mapping key keeps nothing', and, 'map(0x1)', accountMask, null],
    ['masked by zero is zero', and, stored, 0n, 0n],
    ['zero masked by anything is zero', and, 0n, null, 0n],
    ['times zero is zero', mul, null, 0n, 0n],
    ['zero times anything is zero', mul, 0n, stored, 0n],
    ['times one is unknown', mul, null, 1n, null],
    ['a shift to the right drops low bits', shr, 8n, stored, storedWord(3n, 8)],
    ['shifts add up', shr, 8n, storedWord(3n, 160), storedWord(3n, 168)],
    ['no bit is left after 255', shr, 255n, stored, storedWord(3n, 255)],
    ['nor beyond', shr, 256n, stored, null],
    ['nor by two shifts', shr, 96n, storedWord(3n, 160), null],
    ['an unknown shift', shr, null, stored, null],
    ['division by a power of two is a shift', div, stored, 256n, storedWord(3n, 8)],
    ['by one as well', div, stored, 1n, stored],
    ['by another number', div, stored, 3n, null],
    ['by zero', div, stored, 0n, null],
    ['division of a constant by a stored word', div, 256n, stored, null],
    ['a member of a struct is at the struct', add, 'map(0x1)', 2n, 'map(0x1)'],
    ['in either order as well', add, 2n, 'map(0x1)', 'map(0x1)'],
    ['a stored account is no place', add, stored, 2n, null],
    ['nor is the caller', add, 2n, callerMarker, null],
    ['an unknown sum', add, null, 2n, null],
  ] as [string, number, SymbolicWord, SymbolicWord, SymbolicWord][])(
    '%s',
    (_, op, a, b, result) => {
      expect(evaluateBinary(op, a, b)).toBe(result)
    },
  )

  test.each([
    ['an array at a slot', 5n, undefined, 'array(0x5)'],
    ['an array in a mapping', 'map(0x1)', undefined, 'array(map(0x1))'],
    ['an unknown array', null, undefined, null],
    ['a mapping of Solidity', null, 5n, 'map(0x5)'],
    ['of which the key is known, too', 7n, 5n, 'map(0x5)'],
    ['a mapping in a mapping', callerMarker, 'map(0x5)', 'map(map(0x5))'],
    ['a mapping of Vyper', 5n, null, 'map(0x5)'],
    ['with a stored account as its key', 5n, storedWord(1n), 'map(0x5)'],
    ['of which nothing is known', null, null, null],
    ['with two accounts', callerMarker, storedWord(1n), null],
  ] as [string, SymbolicWord, SymbolicWord | undefined, SymbolicWord][])(
    'the hash of %s',
    (_, first, second, key) => {
      expect(hashedKey(first, second)).toBe(key)
    },
  )
})
