import type { SwapTokens } from './tokenTraces.ts'

/**
 * Counts votes of transactions for the tokens of pools. One transaction may mislead: a third token
 * may move in the same amount.
 */
export type TokenVotes = {
  /** Adds the possible couples of one transaction; a single one is unambiguous. */
  add(key: string, couples: readonly SwapTokens[]): void
  /** The couple with the most votes; the first if all have equally many. */
  choose(key: string, couples: readonly SwapTokens[]): SwapTokens
  /** Null without votes. */
  best(key: string): SwapTokens | null
  isClear(key: string): boolean
}

type Vote = { tokens: SwapTokens; clear: number; shared: number }

/** Keeps the first ones. A pool with more candidates is hopeless anyway. */
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

/** Unambiguous votes first, then all votes. */
function compare(one: Vote | undefined, other: Vote | undefined): number {
  const clear = (other?.clear ?? 0) - (one?.clear ?? 0)
  return clear !== 0 ? clear : (other?.shared ?? 0) - (one?.shared ?? 0)
}
