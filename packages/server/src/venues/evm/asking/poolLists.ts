import { readWord } from './callWords.ts'

// More tokens than any pool has.
const itemsMax = 256n

/** Reads the dynamic list at a place of an answer. Null if none exists. */
export function readAnswerList<item>(
  answer: string,
  place: number,
  read: (answer: string, word: number) => item | undefined,
): item[] | null {
  const offset = readWord(answer, place)
  if (offset === undefined || offset % 32n !== 0n || offset > BigInt(answer.length)) return null
  const at = Number(offset / 32n)
  const count = readWord(answer, at)
  if (count === undefined || count > itemsMax) return null
  const items = Array.from({ length: Number(count) }, (_, i) => read(answer, at + 1 + i))
  return items.every((item) => item !== undefined) ? (items as item[]) : null
}

export type FoundTokenPair = {
  tokens: { token0: string; token1: string; others: string[] }
  /** Indexes in the pool's list: of the two tokens, then of the others. */
  places: bigint[]
}

/** Finds two tokens in a pool's list. Null if one is not in it. */
export function findTokenPair(
  list: readonly string[] | null,
  couple: readonly [string, string] | undefined,
): FoundTokenPair | null {
  if (list === null) return null
  const [token0, token1] = couple ?? (list.length === 2 ? (list as [string, string]) : [])
  const [at0, at1] = [list.indexOf(token0 ?? ''), list.indexOf(token1 ?? '')]
  if (at0 < 0 || at1 < 0 || at0 === at1) return null
  const rest = list.map((_, at) => at).filter((at) => at !== at0 && at !== at1)
  return {
    tokens: { token0: token0!, token1: token1!, others: rest.map((at) => list[at]!) },
    places: [at0, at1, ...rest].map(BigInt),
  }
}
