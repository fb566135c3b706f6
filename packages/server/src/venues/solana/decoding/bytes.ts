import { encodeKey } from '../../../lib/bytes/encodeKey.ts'

const two64 = 2 ** 64

/** The key at `at`, as text. */
export function readKey(bytes: Buffer, at: number): string {
  return encodeKey(bytes, at)
}

export function readU64(bytes: Buffer, at: number): bigint {
  return bytes.readBigUInt64LE(at)
}

export function readU128(bytes: Buffer, at: number): bigint {
  return (bytes.readBigUInt64LE(at + 8) << 64n) | bytes.readBigUInt64LE(at)
}

export function readI128(bytes: Buffer, at: number): bigint {
  return BigInt.asIntN(128, readU128(bytes, at))
}

/**
 * End of the text whose length, in four bytes, is at `at`. Past the end of the bytes if the length
 * is impossible.
 */
export function endOfText(bytes: Buffer, at: number): number {
  if (at + 4 > bytes.length) return bytes.length + 1
  return at + 4 + bytes.readUInt32LE(at)
}

/** Raw token1 per raw token0, from a root with 64 fractional bits; null if it is zero. */
export function priceOfRoot(root: bigint): number | null {
  if (root <= 0n) return null
  const ratio = Number(root) / two64
  return ratio * ratio
}

/** one / other as a double; null if one is zero or unknown. */
export function ratioOf(one: bigint | null, other: bigint | null): number | null {
  if (one === null || other === null || one <= 0n || other <= 0n) return null
  return Number(one) / Number(other)
}

/** Compares two keys as numbers. Base58 digits are in the order of their values. */
export function isKeyBelow(one: string, other: string): boolean {
  const [a, b] = [one.replace(/^1+/, ''), other.replace(/^1+/, '')]
  return a.length === b.length ? a < b : a.length < b.length
}
