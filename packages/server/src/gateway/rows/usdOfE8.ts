import { decimalOfE8 } from '../../lib/decimal.ts'

const exactMax = BigInt(Number.MAX_SAFE_INTEGER)

/** The double nearest to a count of 1e-8 units, which is the one its text reads as. */
export function usdOfE8(x: bigint): number {
  // Both numbers are exact, so that the division is the only rounding.
  return x <= exactMax && x >= -exactMax ? Number(x) / 1e8 : Number(decimalOfE8(x))
}
