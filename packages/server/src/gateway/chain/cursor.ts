/** A position in a chain: the client has seen all events of the block up to this index. */
export type Cursor = { number: number; hash8: string; index: number }

/** Index after all events of a block. Fits the integer column of event indexes in the store. */
export const blockEndIndex = 2_147_483_647

const hash8Chars = 8
// Ample: block numbers and Solana slots will fit into ten digits for centuries.
const cursorCharsMax = 64

export function hash8Of(hash: string): string {
  return hash.startsWith('0x') ? hash.slice(2, 2 + hash8Chars) : hash.slice(0, hash8Chars)
}

export function formatCursor(block: { number: number; hash: string }, index: number): string {
  return `${block.number}-${hash8Of(block.hash)}-${index}`
}

/** Parses `<block>-<hash8>-<index>`; null if the text is not a cursor. */
export function parseCursor(text: string): Cursor | null {
  if (text.length > cursorCharsMax) return null
  const first = text.indexOf('-')
  const last = text.lastIndexOf('-')
  if (first <= 0 || last <= first) return null
  const number = integerOf(text.slice(0, first))
  const index = integerOf(text.slice(last + 1))
  const hash8 = text.slice(first + 1, last)
  if (number === null || index === null || index > blockEndIndex || hash8.length !== hash8Chars)
    return null
  return { number, hash8, index }
}

function integerOf(text: string): number | null {
  if (!/^\d{1,16}$/.test(text)) return null
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : null
}
