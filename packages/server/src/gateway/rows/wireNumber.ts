import { decimalOfDouble } from '../../lib/decimal.ts'

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
