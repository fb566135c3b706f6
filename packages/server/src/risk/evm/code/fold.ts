/**
 * What is known of a word without running the code for real: a constant, the storage key of a mapping's or array's
 * entry (as text), or nothing.
 */
export type Word = bigint | string | null

const wordMax = (1n << 256n) - 1n
const signBit = 1n << 255n

type Fold = (a: bigint, b: bigint) => bigint

const folds: Readonly<Record<number, Fold>> = {
  1: (a, b) => a + b,
  2: (a, b) => a * b,
  3: (a, b) => a - b,
  4: (a, b) => (b === 0n ? 0n : a / b),
  6: (a, b) => (b === 0n ? 0n : a % b),
  // A power beyond a word only matters modulo one; solc writes 256**n and 2**n.
  10: (a, b) => (b > 256n ? 0n : a ** b),
  16: (a, b) => (a < b ? 1n : 0n),
  17: (a, b) => (a > b ? 1n : 0n),
  18: (a, b) => (signed(a) < signed(b) ? 1n : 0n),
  19: (a, b) => (signed(a) > signed(b) ? 1n : 0n),
  20: (a, b) => (a === b ? 1n : 0n),
  22: (a, b) => a & b,
  23: (a, b) => a | b,
  24: (a, b) => a ^ b,
  27: (a, b) => (a > 255n ? 0n : b << a),
  28: (a, b) => (a > 255n ? 0n : b >> a),
}

const add = 0x01
const mul = 0x02
const and = 0x16
const exp = 0x0a
// Beyond this base a power is not worth computing.
const expBaseMax = 256n

/** The result of an instruction with two operands, as far as it is known. `a` was on top. */
export function foldTwo(op: number, a: Word, b: Word): Word {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    if (op === exp && a > expBaseMax) return null
    const fold = folds[op]
    return fold === undefined ? null : fold(a, b) & wordMax
  }
  // A member of what a key leads to is found by adding to the key.
  if (op === add) return keyOf(a) ?? keyOf(b)
  if ((op === mul || op === and) && (a === 0n || b === 0n)) return 0n
  return null
}

export function foldOne(op: number, a: Word): Word {
  if (typeof a !== 'bigint') return null
  if (op === 0x15) return a === 0n ? 1n : 0n
  if (op === 0x19) return wordMax ^ a
  return null
}

/** The key of an entry: Solidity hashes (key, slot), Vyper (slot, key). */
export function hashedKey(first: Word, second: Word | undefined): Word {
  if (second === undefined) return first === null ? null : `array(${slotName(first)})`
  if (second !== null) return `map(${slotName(second)})`
  return typeof first === 'bigint' ? `map(${slotName(first)})` : null
}

export function slotName(word: bigint | string): string {
  return typeof word === 'string' ? word : `0x${word.toString(16)}`
}

function keyOf(word: Word): string | null {
  return typeof word === 'string' ? word : null
}

function signed(word: bigint): bigint {
  return word >= signBit ? word - (wordMax + 1n) : word
}
