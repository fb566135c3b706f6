import { dataLength, readUint } from './hexWords.ts'

// Longer than any list within a block's gas.
const itemsMax = 10_000n

/**
 * Finds the items of a dynamic list of words. Its place holds an offset in bytes, counted from the
 * word `base`. Null if the data has no such list.
 */
export function findWordList(
  data: string,
  place: number,
  base = 0,
): { first: number; count: number } | null {
  if (data.length < dataLength(place + 1)) return null
  const offset = readUint(data, place)
  if (offset % 32n !== 0n || offset > BigInt(data.length)) return null
  const at = base + Number(offset / 32n)
  if (data.length < dataLength(at + 1)) return null
  const count = readUint(data, at)
  if (count > itemsMax || data.length < dataLength(at + 1 + Number(count))) return null
  return { first: at + 1, count: Number(count) }
}
