import { strict as assert } from 'node:assert'

/**
 * The only place where numbers become wire text: plain digits, no exponent, no trailing zeros after
 * the point, never `-0`.
 */

/** The shortest text that reads back as the same double: all of its 15 to 17 digits. */
export function decimalOfDouble(x: number): string {
  const size = Math.abs(x)
  // Rows have dozens of these, and almost none has an exponent: String() uses one below 1e-6 and
  // from 1e21 on.
  if (size >= 1e-6 && size < 1e21) return String(x)
  if (x === 0) return '0'
  assert(Number.isFinite(x), 'only finite numbers have a decimal text')
  const text = String(x)
  const exponentAt = text.indexOf('e')
  const signChars = x < 0 ? 1 : 0
  // One digit, then the point and further digits if there are any.
  const digits = text[signChars]! + text.slice(signChars + 2, exponentAt)
  const pointAt = 1 + Number(text.slice(exponentAt + 1))
  const sign = x < 0 ? '-' : ''
  // 17 digits never reach beyond the point here.
  if (pointAt <= 0) return `${sign}0.${zeros.slice(0, -pointAt)}${digits}`
  return sign + digits.padEnd(pointAt, '0')
}

// The smallest double has its first digit at the 324th place.
const zeros = '0'.repeat(324)

/** A raw amount in whole units, exact. */
export function decimalOfRaw(amount: bigint, decimals: number): string {
  assert(Number.isInteger(decimals) && decimals >= 0, 'decimals count digits')
  // Most amounts of a quiet market are 0.
  if (amount === 0n) return '0'
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const pointAt = digits.length - decimals
  let end = digits.length
  while (end > pointAt && digits.charCodeAt(end - 1) === 48) end -= 1
  if (end === pointAt) return sign + digits.slice(0, pointAt)
  return `${sign}${digits.slice(0, pointAt)}.${digits.slice(pointAt, end)}`
}

/** An integer count of 1e-8 units, exact. */
export function decimalOfE8(x: bigint): string {
  return decimalOfRaw(x, 8)
}
