const wordMax = (1n << 64n) - 1n
const two32 = 2 ** 32

/**
 * A bigint taken apart into 32-bit pieces without its sign: what is made of them is several times
 * faster than what the language makes of the bigint. One per engine, used again for every amount.
 */
export class BigWords {
  isNegative = false
  /** The amount has more than 128 bits; the pieces are those of the largest that has not. */
  isWide = false
  /** The amount as a double with its sign, rounded as `Number` rounds it. */
  approx = 0
  private readonly words = new BigUint64Array(2)
  private readonly pieces = new Uint32Array(this.words.buffer)

  set(signed: bigint): void {
    const { words, pieces } = this
    const high = signed >> 64n
    // The two's complement of 128 bits holds it: nearly every amount.
    if (BigInt.asIntN(64, high) !== high) {
      this.setLarge(signed)
      return
    }
    words[0] = signed
    words[1] = high
    this.isWide = false
    this.isNegative = (pieces[3]! | 0) < 0
    if (this.isNegative) negate(pieces)
    this.setApprox(signed)
  }

  private setLarge(signed: bigint): void {
    const { words } = this
    this.isNegative = signed < 0n
    const amount = this.isNegative ? -signed : signed
    const high = amount >> 64n
    this.isWide = high > wordMax
    words[0] = this.isWide ? wordMax : amount
    words[1] = this.isWide ? wordMax : high
    this.approx = Number(signed)
  }

  private setApprox(signed: bigint): void {
    const { pieces } = this
    const piece1 = pieces[1]!
    const piece3 = pieces[3]!
    if (piece3 >>> 8 !== 0) {
      this.approx = Number(signed)
      return
    }
    // Two exact halves of 52 bits: their sum is rounded once. Above 104 bits it would be twice.
    const upper = (piece1 >>> 20) + pieces[2]! * 2 ** 12 + piece3 * 2 ** 44
    const lower = pieces[0]! + (piece1 & 0xfffff) * two32
    const approx = upper * 2 ** 52 + lower
    this.approx = this.isNegative ? -approx : approx
  }

  /** Three limbs of 52 bits, low one first. Not for a wide amount. */
  writeLimbs52(data: Float64Array, at: number): void {
    const { pieces } = this
    const piece1 = pieces[1]!
    const piece3 = pieces[3]!
    data[at] = pieces[0]! + (piece1 & 0xfffff) * two32
    data[at + 1] = (piece1 >>> 20) + pieces[2]! * 2 ** 12 + (piece3 & 0xff) * 2 ** 44
    data[at + 2] = piece3 >>> 8
  }

  /** Three limbs of 48 bits, low one first: at most 2^128 - 1. */
  writeLimbs48(data: Float64Array): void {
    const { pieces } = this
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
