import { decimalOfDouble, decimalOfRaw } from '../../lib/decimal.ts'

// Hex and base58 need no escaping; a look is cheaper than JSON.stringify.
const plainText = /^[0-9A-Za-z_.:-]*$/

/** A JSON string of a text that is nearly always an address or a hash. */
export function jsonWord(text: string): string {
  return plainText.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** A decimal in quotes; what is not known is 0. */
export function jsonDecimal(x: number | null): string {
  return x === null || !Number.isFinite(x) ? '"0"' : `"${decimalOfDouble(x)}"`
}

/** Raw units as whole ones, in quotes. */
export function jsonAmount(raw: bigint, decimals: number): string {
  return `"${decimalOfRaw(raw < 0n ? -raw : raw, decimals)}"`
}

const valueE8Decimals = 8

/** An integer count of 1e-8 USD, in quotes. */
export function jsonUsdE8(usdE8: number): string {
  return `"${decimalOfRaw(BigInt(usdE8), valueE8Decimals)}"`
}
