import type { SwapTokens } from './tokenTraces.ts'

/** What transactions tell of the tokens of pools. One of them alone may mislead: a third token moved in the same amount. */
export type TokenVotes = {
  /** `couples` may be meant in a transaction; one alone is clear. */
  add(key: string, couples: readonly SwapTokens[]): void
  /** Of these the one that most transactions tell; the first where they tell the same of all. */
  choose(key: string, couples: readonly SwapTokens[]): SwapTokens
  /** Null: nobody told anything. */
  best(key: string): SwapTokens | null
  isClear(key: string): boolean
}

type Vote = { tokens: SwapTokens; clear: number; shared: number }

/** Those that are told first; a pool that is told more of is a riddle anyway. */
const couplesMax = 8

export function createTokenVotes(): TokenVotes {
  const votes = new Map<string, Vote[]>()

  const voteOf = (key: string, [token0, token1]: SwapTokens) =>
    votes.get(key)?.find(({ tokens }) => tokens[0] === token0 && tokens[1] === token1)

  function add(key: string, couples: readonly SwapTokens[]): void {
    const all = votes.get(key) ?? []
    if (couples.length > 0) votes.set(key, all)
    for (const tokens of couples) {
      const known = voteOf(key, tokens)
      const vote = known ?? { tokens, clear: 0, shared: 0 }
      if (!known && all.length < couplesMax) all.push(vote)
      vote.shared++
      if (couples.length === 1) vote.clear++
    }
  }

  return {
    add,
    choose: (key, couples) =>
      couples.toSorted((one, other) => compare(voteOf(key, one), voteOf(key, other)))[0]!,
    best: (key) => votes.get(key)?.toSorted(compare)[0]?.tokens ?? null,
    isClear: (key) => votes.get(key)?.some(({ clear }) => clear > 0) === true,
  }
}

/** More clear words first, then more words. */
function compare(one: Vote | undefined, other: Vote | undefined): number {
  const clear = (other?.clear ?? 0) - (one?.clear ?? 0)
  return clear !== 0 ? clear : (other?.shared ?? 0) - (one?.shared ?? 0)
}
