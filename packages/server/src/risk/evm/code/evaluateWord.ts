/**
 * A word as far as it is known without running the code: a constant, the storage key of a mapping's
 * or array's entry (as text), the caller, the content of a storage slot (as text), or unknown
 * (null).
 */
export type SymbolicWord = bigint | string | null

/** The caller of the contract, as an unknown address. */
export const callerMarker = 'caller'
const storedPrefix = 'stored '

/** The content of one storage slot without its lowest `shift` bits. */
export type StoredWord = { slot: string; shift: number }

export function storedWord(slot: bigint, shift = 0): string {
  return `${storedPrefix}${slotName(slot)} ${shift}`
}

/** Null if the word is something else. */
export function readStoredWord(word: SymbolicWord): StoredWord | null {
  if (typeof word !== 'string' || !word.startsWith(storedPrefix)) return null
  const [slot, shift] = word.slice(storedPrefix.length).split(' ')
  return { slot: slot!, shift: Number(shift) }
}

const wordMax = (1n << 256n) - 1n
const signBit = 1n << 255n

type Fold = (a: bigint, b: bigint) => bigint

const folds: Readonly<Record<number, Fold>> = {
  1: (a, b) => a + b,
  2: (a, b) => a * b,
  3: (a, b) => a - b,
  4: (a, b) => (b === 0n ? 0n : a / b),
  6: (a, b) => (b === 0n ? 0n : a % b),
  // An exponent over 256 makes no difference modulo 2^256: solc only writes 256**n and 2**n.
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
const div = 0x04
const and = 0x16
const shr = 0x1c
const exp = 0x0a
// Powers of larger bases are not computed.
const expBaseMax = 256n

/**
 * Returns the result of an instruction with two operands, as far as it is known. `a` was on top of
 * the stack.
 */
export function evaluateBinary(op: number, a: SymbolicWord, b: SymbolicWord): SymbolicWord {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    if (op === exp && a > expBaseMax) return null
    const fold = folds[op]
    return fold === undefined ? null : fold(a, b) & wordMax
  }
  // Members of a struct are found by adding to the struct's key.
  if (op === add) return keyOf(a) ?? keyOf(b)
  if ((op === mul || op === and) && (a === 0n || b === 0n)) return 0n
  if (op === and) return typeof a === 'string' ? accountPart(a, b) : accountPart(b, a)
  if (op === shr) return shifted(b, typeof a === 'bigint' ? Number(a) : -1)
  if (op === div) return shifted(a, typeof b === 'bigint' ? bitsOf(b) : -1)
  return null
}

const accountMask = (1n << 160n) - 1n

/** A mask as wide as an address keeps all of an account. */
function accountPart(word: SymbolicWord, mask: SymbolicWord): SymbolicWord {
  return mask === accountMask && isAccountLike(word) ? word : null
}

function isAccountLike(word: SymbolicWord): boolean {
  return word === callerMarker || readStoredWord(word) !== null
}

function shifted(word: SymbolicWord, bits: number): SymbolicWord {
  const stored = readStoredWord(word)
  if (stored === null || bits < 0 || stored.shift + bits > 255) return null
  return storedWord(BigInt(stored.slot), stored.shift + bits)
}

/** -1 if the divisor is not a power of two. */
function bitsOf(divisor: bigint): number {
  return divisor > 0n && (divisor & (divisor - 1n)) === 0n ? divisor.toString(2).length - 1 : -1
}

export function evaluateUnary(op: number, a: SymbolicWord): SymbolicWord {
  if (typeof a !== 'bigint') return null
  if (op === 0x15) return a === 0n ? 1n : 0n
  if (op === 0x19) return wordMax ^ a
  return null
}

/** The key of an entry: Solidity hashes (key, slot), Vyper (slot, key). */
export function hashedKey(first: SymbolicWord, second: SymbolicWord | undefined): SymbolicWord {
  const [key, slot] = [placeOf(first), second === undefined ? undefined : placeOf(second)]
  if (slot === undefined) return key === null ? null : `array(${slotName(key)})`
  if (slot !== null) return `map(${slotName(slot)})`
  return typeof key === 'bigint' ? `map(${slotName(key)})` : null
}

/** Returns the word as a storage key if it may be one. */
function placeOf(word: SymbolicWord): SymbolicWord {
  return isAccountLike(word) ? null : word
}

export function slotName(word: bigint | string): string {
  return typeof word === 'string' ? word : `0x${word.toString(16)}`
}

function keyOf(word: SymbolicWord): string | null {
  return typeof word === 'string' && !isAccountLike(word) ? word : null
}

function signed(word: bigint): bigint {
  return word >= signBit ? word - (wordMax + 1n) : word
}
