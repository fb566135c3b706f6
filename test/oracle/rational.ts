/** An exact number, num / den with den > 0; not reduced. */
export type Rational = { num: bigint; den: bigint }

/** Two integers that enclose the true one, both included. */
export type Range = { low: bigint; high: bigint }

export const emptyRange: Range = { low: 0n, high: 0n }

export function rational(num: bigint, den = 1n): Rational {
  if (den === 0n) throw new RangeError('A denominator is zero.')
  return den < 0n ? { num: -num, den: -den } : { num, den }
}

/** The exact value of a double. */
export function rationalOf(value: number): Rational {
  let scaled = value
  let den = 1n
  for (; !Number.isInteger(scaled); den *= 2n) scaled *= 2
  return { num: BigInt(scaled), den }
}

export function add(a: Rational, b: Rational): Rational {
  if (a.den === b.den) return { num: a.num + b.num, den: a.den }
  return { num: a.num * b.den + b.num * a.den, den: a.den * b.den }
}

export function multiply(a: Rational, b: Rational): Rational {
  return { num: a.num * b.num, den: a.den * b.den }
}

export function divide(a: Rational, b: Rational): Rational {
  return rational(a.num * b.den, a.den * b.num)
}

export function invert(a: Rational): Rational {
  return rational(a.den, a.num)
}

/** Negative, zero or positive if a is less than, equal to or more than b. */
export function compare(a: Rational, b: Rational): number {
  const difference = a.num * b.den - b.num * a.den
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function scaleByTen(a: Rational, exponent: number): Rational {
  const power = 10n ** BigInt(Math.abs(exponent))
  return exponent >= 0 ? { num: a.num * power, den: a.den } : { num: a.num, den: a.den * power }
}

/** The nearest integer of a number that is not negative, halves up. */
export function round({ num, den }: Rational): bigint {
  return (2n * num + den) / (2n * den)
}

// More bits than a double has, so that only the last step rounds.
const quotientBits = 80

/** A double within one unit in the last place. */
export function toNumber({ num, den }: Rational): number {
  if (num === 0n) return 0
  if (num < 0n) return -toNumber({ num: -num, den })
  const shift = quotientBits - (bitLength(num) - bitLength(den))
  const quotient = shift >= 0 ? (num << BigInt(shift)) / den : num / (den << BigInt(-shift))
  return Number(quotient) * 2 ** -shift
}

function bitLength(value: bigint): number {
  return value.toString(16).length * 4
}

/** |actual / expected - 1|, computed exactly. */
export function relativeError(expected: Rational, actual: number): number {
  if (!Number.isFinite(actual)) return Number.POSITIVE_INFINITY
  if (expected.num === 0n) return actual === 0 ? 0 : Number.POSITIVE_INFINITY
  const given = rationalOf(actual)
  const difference = given.num * expected.den - expected.num * given.den
  return Math.abs(toNumber(rational(difference, expected.num * given.den)))
}

export function addRange(a: Range, b: Range): Range {
  return { low: a.low + b.low, high: a.high + b.high }
}
