/**
 * Exact sums of non-negative integers, stored in rows of doubles as limbs of 48 bits, lowest first.
 * The base is a power of two, so splitting a double of any size into limbs is exact.
 */
const base = 2 ** 48
export const limbBase = base
const limbInverse = 2 ** -48
const base2 = 2 ** 96
const base2Inverse = 2 ** -96
const shift = 48n

/** Adds an integer below 2^100 to a sum of two limbs. */
export function addToTwoLimbs(data: Float64Array, at: number, value: number): void {
  const high = value < base ? 0 : Math.floor(value * limbInverse)
  let low = data[at]! + (value - high * base)
  let carry = high
  if (low >= base) {
    low -= base
    carry += 1
  }
  data[at] = low
  if (carry !== 0) data[at + 1]! += carry
}

/** Subtracts an integer that was added to the sum before. */
export function subtractFromTwoLimbs(data: Float64Array, at: number, value: number): void {
  const high = value < base ? 0 : Math.floor(value * limbInverse)
  let low = data[at]! - (value - high * base)
  let borrow = high
  if (low < 0) {
    low += base
    borrow += 1
  }
  data[at] = low
  if (borrow !== 0) data[at + 1]! -= borrow
}

/** Adds three limbs to a sum of three limbs. */
export function addToThreeLimbs(
  data: Float64Array,
  at: number,
  low: number,
  middle: number,
  high: number,
): void {
  let sum = data[at]! + low
  let carry = 0
  if (sum >= base) {
    sum -= base
    carry = 1
  }
  data[at] = sum
  sum = data[at + 1]! + middle + carry
  carry = 0
  if (sum >= base) {
    sum -= base
    carry = 1
  }
  data[at + 1] = sum
  if (high + carry !== 0) data[at + 2]! += high + carry
}

/** Adds `count` limbs of one row to those of another. */
export function addLimbs(
  data: Float64Array,
  at: number,
  from: Float64Array,
  fromAt: number,
  count: number,
): void {
  let carry = 0
  for (let index = 0; index < count; index += 1) {
    let limb = data[at + index]! + from[fromAt + index]! + carry
    carry = 0
    if (index < count - 1 && limb >= base) {
      limb -= base
      carry = 1
    }
    data[at + index] = limb
  }
}

export function subtractLimbs(
  data: Float64Array,
  at: number,
  from: Float64Array,
  fromAt: number,
  count: number,
): void {
  let borrow = 0
  for (let index = 0; index < count; index += 1) {
    let limb = data[at + index]! - from[fromAt + index]! - borrow
    borrow = 0
    if (index < count - 1 && limb < 0) {
      limb += base
      borrow = 1
    }
    data[at + index] = limb
  }
}

export function bigintOfTwoLimbs(data: Float64Array, at: number): bigint {
  const high = data[at + 1]!
  const low = BigInt(data[at]!)
  return high === 0 ? low : (BigInt(high) << shift) + low
}

export function bigintOfThreeLimbs(data: Float64Array, at: number): bigint {
  const top = data[at + 2]!
  const low = bigintOfTwoLimbs(data, at)
  return top === 0 ? low : (BigInt(top) << (shift * 2n)) + low
}

/** Splits a whole double into three limbs. One object per engine, reused for every amount. */
export class ThreeLimbs {
  readonly limbs = new Float64Array(3)

  setNumber(value: number): void {
    const { limbs } = this
    const capped = value < 2 ** 128 ? value : 2 ** 127
    const top = capped < base2 ? 0 : Math.floor(capped * base2Inverse)
    const rest = capped - top * base2
    const middle = rest < base ? 0 : Math.floor(rest * limbInverse)
    limbs[0] = rest - middle * base
    limbs[1] = middle
    limbs[2] = top
  }
}

export function doubleOfTwoLimbs(limbs: Float64Array, at: number): number {
  return limbs[at + 1]! * limbBase + limbs[at]!
}
