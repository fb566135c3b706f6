import { readUint } from './hexWords.ts'
import { findWordList } from './wordLists.ts'

const uint128Mask = (1n << 128n) - 1n

/** Amounts of both tokens in one word, the first token's in the lower half. */
export function unpack(word: bigint): { amount0: bigint; amount1: bigint } {
  return { amount0: word & uint128Mask, amount1: word >> 128n }
}

/** Sums such words in a list whose offset is at `place`. Null if there is no such list. */
export function sumPacked(
  data: string,
  place: number,
): { amount0: bigint; amount1: bigint } | null {
  const list = findWordList(data, place)
  if (list === null) return null
  const sum = { amount0: 0n, amount1: 0n }
  for (let i = 0; i < list.count; i++) {
    const { amount0, amount1 } = unpack(readUint(data, list.first + i))
    sum.amount0 += amount0
    sum.amount1 += amount1
  }
  return sum
}
