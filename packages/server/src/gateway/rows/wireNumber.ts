import { decimalOfDouble, decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'

/** Text of a `<field>_known` mark; null: the field is known and has none. */
export function unknownMark(isKnown: boolean): 'false' | null {
  return isKnown ? null : 'false'
}

/** The `<field>_known` marks of fields that are unknown together; none where they are known. */
export function unknownMarks<const name extends string>(
  isKnown: boolean,
  fields: readonly name[],
): { [mark in `${name}_known`]?: false } {
  if (isKnown) return {}
  const marks = fields.map((field) => [`${field}_known`, false])
  return Object.fromEntries(marks) as { [mark in `${name}_known`]: false }
}

/** A number that may be unknown: unknown prices and changes are `0` on the wire. */
export function decimalOrZero(x: number | null): string {
  return x === null || !Number.isFinite(x) ? '0' : decimalOfDouble(x)
}

/** Percent from one price to another; 0 when the first is unknown. */
export function changePercent(from: number | null, to: number | null): number {
  return from === null || to === null || from === 0 ? 0 : (to / from - 1) * 100
}

/** part / whole as a double, for integers of any size. */
export function ratioOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole)
}

/** JSON numbers as text: JSON.stringify writes exponents from 1e21 on and below 1e-6, the wire has none. */

/** What is not finite is not known: 0. */
export function jsonNumber(x: number): string {
  return Number.isFinite(x) ? decimalOfDouble(x) : '0'
}

/** Raw units as whole ones, exact. */
export function jsonWhole(raw: bigint, decimals: number): string {
  return decimalOfRaw(raw, decimals)
}

/** An object of members that are JSON text already. */
export function jsonObject(members: Readonly<Record<string, string>>): string {
  const parts = Object.entries(members).map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  return `{${parts.join()}}`
}

const exactMax = BigInt(Number.MAX_SAFE_INTEGER)

/** The double nearest to a count of 1e-8 units, which is the one its text reads as. */
export function usdOfE8(x: bigint): number {
  // Both numbers are exact, so that the division is the only rounding.
  return x <= exactMax && x >= -exactMax ? Number(x) / 1e8 : Number(decimalOfE8(x))
}
