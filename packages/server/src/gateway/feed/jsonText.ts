import { decimalOfRaw } from '../../lib/decimal.ts'

// Hex and base58 need no escaping; a look is cheaper than JSON.stringify.
const plainText = /^[0-9A-Za-z_.:-]*$/

/** A JSON string of a text that is nearly always an address or a hash. */
export function jsonWord(text: string): string {
  return plainText.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** The size of an amount in raw units, as whole ones. */
export function amountText(raw: bigint, decimals: number): string {
  return decimalOfRaw(raw < 0n ? -raw : raw, decimals)
}

const valueE8Decimals = 8

/** An integer count of 1e-8 USD. */
export function usdE8Text(usdE8: number): string {
  return decimalOfRaw(BigInt(usdE8), valueE8Decimals)
}

/** Why something is sent that is no news; empty: it is. */
export type ResultMark = '' | 'retracted' | 'snapshot'

const noMarks = { snapshot: null, retracted: null } as const

/** The same as members of a result. */
export function marksOf(mark: ResultMark): { snapshot: string | null; retracted: string | null } {
  return mark === '' ? noMarks : { ...noMarks, [mark]: 'true' }
}
