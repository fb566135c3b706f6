import { decimalOfDouble, decimalOfE8, decimalOfRaw } from '../../lib/decimal.ts'

/** Encodes a `<field>_known` mark. Null: the field is known and the mark is omitted. */
export function unknownMark(isKnown: boolean): 'false' | null {
  return isKnown ? null : 'false'
}

/**
 * Returns the `<field>_known` marks of fields that are unknown together; empty when they are known.
 */
export function unknownMarks<const name extends string>(
  isKnown: boolean,
  fields: readonly name[],
): { [mark in `${name}_known`]?: false } {
  if (isKnown) return {}
  const marks = fields.map((field) => [`${field}_known`, false])
  return Object.fromEntries(marks) as { [mark in `${name}_known`]: false }
}

/** Encodes a number that may be unknown. Unknown prices and changes are `0` on the wire. */
export function decimalOrZero(x: number | null): string {
  return x === null || !Number.isFinite(x) ? '0' : decimalOfDouble(x)
}

/** Returns the change between two prices in percent; 0 when either is unknown. */
export function changePercent(from: number | null, to: number | null): number {
  return from === null || to === null || from === 0 ? 0 : (to / from - 1) * 100
}

/** Returns part / whole as a double, for integers of any size. */
export function ratioOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole)
}

/**
 * Encodes a JSON number without an exponent; JSON.stringify would write one from 1e21 on and below
 * 1e-6. Infinite and NaN become 0.
 */
export function jsonNumber(x: number): string {
  return Number.isFinite(x) ? decimalOfDouble(x) : '0'
}

/** Encodes raw units as whole units, exactly. */
export function jsonTokenAmount(raw: bigint, decimals: number): string {
  return decimalOfRaw(raw, decimals)
}

/** Encodes an object whose member values are already JSON. */
export function jsonObject(members: Readonly<Record<string, string>>): string {
  const parts = Object.entries(members).map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  return `{${parts.join()}}`
}

const exactMax = BigInt(Number.MAX_SAFE_INTEGER)

/** Returns the double nearest to a count of 1e-8 USD, which equals the parsed decimal text. */
export function usdOfE8(x: bigint): number {
  // Both operands are exact doubles, so the division rounds only once.
  return x <= exactMax && x >= -exactMax ? Number(x) / 1e8 : Number(decimalOfE8(x))
}
