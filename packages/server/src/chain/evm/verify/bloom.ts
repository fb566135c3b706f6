import { keccakOfHex } from '../../../lib/bytes/keccak.ts'

// Yellow paper 4.3.1: three times eleven bits of the item's keccak select bits of 2048.
const bloomBits = 2_048
/** Length of a filter as text: 0x and 256 bytes of hex. */
export const bloomChars = 2 + bloomBits / 4

/** Three bit positions, counted from the right end of the filter. */
export type BloomBits = readonly [number, number, number]

/** Cache of the bits of addresses and topics: the same few thousand occur in every block. */
export type BloomIndex = {
  bitsOf(item: string): BloomBits
}

// Size of each of two cache generations, about 20 MB together. A missing item costs a few
// microseconds.
const itemsMaxDefault = 32_768

export function createBloomIndex(itemsMax = itemsMaxDefault): BloomIndex {
  let young = new Map<string, BloomBits>()
  let old = new Map<string, BloomBits>()
  return {
    bitsOf(item) {
      const known = young.get(item)
      if (known !== undefined) return known
      const bits = old.get(item) ?? hashBits(item)
      if (young.size >= itemsMax) {
        old = young
        young = new Map()
      }
      young.set(item, bits)
      return bits
    },
  }
}

/** Returns the bits of items that every filter is checked for. */
export function withBits(items: Iterable<string>, index: BloomIndex): Map<string, BloomBits> {
  return new Map(Array.from(items, (item) => [item, index.bitsOf(item)]))
}

function hashBits(item: string): BloomBits {
  const hash = keccakOfHex(item)
  const bitAt = (char: number) => Number.parseInt(hash.slice(char, char + 4), 16) % bloomBits
  return [bitAt(2), bitAt(6), bitAt(10)]
}

/**
 * Returns whether the filter may contain the item. Reads single hex digits, because a filter is
 * tested for a few items only.
 */
export function isInBloom(bloom: string, bits: BloomBits): boolean {
  return hasBit(bloom, bits[0]) && hasBit(bloom, bits[1]) && hasBit(bloom, bits[2])
}

function hasBit(bloom: string, bit: number): boolean {
  const digit = hexDigit(bloom.charCodeAt(bloomChars - 1 - (bit >> 2)))
  return ((digit >> (bit & 3)) & 1) === 1
}

function hexDigit(code: number): number {
  // Digits '0' to '9', then letters of either case.
  return code <= 57 ? code - 48 : (code | 32) - 87
}

// Number of bits set in each hex digit.
const digitBits = Uint8Array.of(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4)

/** Returns the number of bits set in the filter. */
export function countBloomBits(bloom: string): number {
  let count = 0
  for (let char = 2; char < bloomChars; char += 1)
    count += digitBits[hexDigit(bloom.charCodeAt(char))]!
  return count
}
