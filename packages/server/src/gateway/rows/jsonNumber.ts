import { decimalOfDouble, decimalOfRaw } from '../../lib/decimal.ts'

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
