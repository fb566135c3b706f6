const wordMax = (1n << 64n) - 1n
const two32 = 2 ** 32

/**
 * Splits a bigint's absolute value into 32-bit words: computing with these is several times faster
 * than with the bigint. One object per engine, reused for every amount.
 */
export class BigWords {
  isNegative = false
  /** True if the amount exceeds 128 bits; the words are then those of 2^128 - 1. */
  isWide = false
  /** The signed amount as a double, rounded as `Number` rounds it. */
  approx = 0
  readonly #words = new BigUint64Array(2)
  readonly #pieces = new Uint32Array(this.#words.buffer)

  set(signed: bigint): void {
    const words = this.#words
    const pieces = this.#pieces
    const high = signed >> 64n
    // Fast path: 128 bits in two's complement hold nearly every amount.
    if (BigInt.asIntN(64, high) !== high) {
      this.#setLarge(signed)
      return
    }
    words[0] = signed
    words[1] = high
    this.isWide = false
    this.isNegative = (pieces[3]! | 0) < 0
    if (this.isNegative) negate(pieces)
    this.#setApprox(signed)
  }

  #setLarge(signed: bigint): void {
    const words = this.#words
    this.isNegative = signed < 0n
    const amount = this.isNegative ? -signed : signed
    const high = amount >> 64n
    this.isWide = high > wordMax
    words[0] = this.isWide ? wordMax : amount
    words[1] = this.isWide ? wordMax : high
    this.approx = Number(signed)
  }

  #setApprox(signed: bigint): void {
    const pieces = this.#pieces
    const piece1 = pieces[1]!
    const piece3 = pieces[3]!
    if (piece3 >>> 8 !== 0) {
      this.approx = Number(signed)
      return
    }
    // Adds two exact halves of 52 bits, so the sum is rounded only once. Above 104 bits it would be
    // rounded twice.
    const upper = (piece1 >>> 20) + pieces[2]! * 2 ** 12 + piece3 * 2 ** 44
    const lower = pieces[0]! + (piece1 & 0xfffff) * two32
    const approx = upper * 2 ** 52 + lower
    this.approx = this.isNegative ? -approx : approx
  }

  /** Writes the amount as three limbs of 52 bits, lowest first. Not for amounts above 128 bits. */
  writeLimbs52(data: Float64Array, at: number): void {
    const pieces = this.#pieces
    const piece1 = pieces[1]!
    const piece3 = pieces[3]!
    data[at] = pieces[0]! + (piece1 & 0xfffff) * two32
    data[at + 1] = (piece1 >>> 20) + pieces[2]! * 2 ** 12 + (piece3 & 0xff) * 2 ** 44
    data[at + 2] = piece3 >>> 8
  }

  /**
   * Writes the amount as three limbs of 48 bits, lowest first; amounts above 128 bits become 2^128
   * - 1.
   */
  writeLimbs48(data: Float64Array): void {
    const pieces = this.#pieces
    const piece1 = pieces[1]!
    data[0] = pieces[0]! + (piece1 & 0xffff) * two32
    data[1] = (piece1 >>> 16) + pieces[2]! * 2 ** 16
    data[2] = pieces[3]!
  }
}

function negate(pieces: Uint32Array): void {
  let carry = 1
  for (let index = 0; index < 4; index += 1) {
    const piece = (~pieces[index]! >>> 0) + carry
    pieces[index] = piece
    carry = piece === two32 ? 1 : 0
  }
}

// Parsed text gives the double nearest to each power of ten; repeated multiplication would drift.
const powers = Float64Array.from({ length: 309 }, (_, exponent) => Number(`1e${exponent}`))

/** value x 10^exponent, rounded once. */
export function scaleByTen(value: number, exponent: number): number {
  if (exponent >= 0) return value * powers[Math.min(exponent, 308)]!
  return value / powers[Math.min(-exponent, 308)]!
}
