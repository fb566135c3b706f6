import { zeroAddress } from '../../decode/evm/erc20.ts'
import type { DecodedSwap, DecodedTransfer } from '../../model/decodedBlock.ts'
import {
  bestOf,
  type Candidate,
  candidatesOf,
  couplesOf,
  type Payments,
  score,
} from './tokenCandidates.ts'
import type { TokenTraces } from './venueTraces.ts'

/** The two tokens of a swap as its pool orders them; null: nothing tells. */
export type SwapTokens = readonly [token0: string | null, token1: string | null]

export type Traced = {
  /** The pool's id or address is made of these. */
  proven: SwapTokens | null
  /** Tokens that both moved in the very amounts of the swap, the nearest first. */
  exact: readonly SwapTokens[]
  guess: SwapTokens
  /** What may be each side of the swap. */
  candidates: readonly [readonly Candidate[], readonly Candidate[]]
}

/** More make a search by ids too slow: each couple of tokens takes several hashes. */
const tokensTriedMax = 12
const partiesTriedMax = 24
const noOthers: ReadonlySet<bigint> = new Set()

/** What of the chain and the transaction helps. */
export type TraceTerms = {
  /** Tokens that may be traded without moving. */
  quotes: readonly string[]
  /** Contracts that make the venue's pools. */
  makers: readonly string[]
  /** The token that the native coin is wrapped into; empty: not known. */
  wrapped: string
  /** Is there any hope left that the pool's id or address tells its tokens? */
  isIdTried: boolean
  paid: Payments
  /** @default none */
  others?: ReadonlySet<bigint> | undefined
}

/** Tokens of a swap in a pool that nobody knows, by what moved in its transaction. */
export function traceTokens(
  swap: DecodedSwap,
  transfers: readonly DecodedTransfer[],
  traces: TokenTraces,
  { quotes, makers, wrapped, isIdTried, paid, others = noOthers }: TraceTerms,
): Traced {
  const [sides0, sides1] = [swap.amount0, swap.amount1].map((amount) =>
    candidatesOf(swap, transfers, amount, { traces, wrapped, paid, others }),
  ) as [Candidate[], Candidate[]]
  const candidates = [sides0, sides1] as const
  if (traces.hasNative === 'first') {
    const guess = [zeroAddress, bestOf(sides1)?.token ?? null] as const
    return { proven: null, exact: [], guess, candidates }
  }
  const couples = couplesOf(sides0, sides1, traces.isUnordered !== true)
  const exact = couples
    .filter((couple) => couple.every((side) => side.score >= score.sum))
    .map(([one, other]): SwapTokens => [one.token, other.token])
  const best = couples[0]
  const guess: SwapTokens = best
    ? [best[0].token, best[1].token]
    : withNative(swap, candidates, traces)
  if (!isIdTried) return { proven: null, exact, guess, candidates }
  if (!traces.isPoolOf) {
    const made = traces.isMadeOf && findByMaker(swap, candidates, traces.isMadeOf, quotes, makers)
    return { proven: made ?? null, exact, guess, candidates }
  }
  const moved = [...transfers, ...paid].map(({ token }) => token)
  const proven =
    findByPoolId(swap, traces.isPoolOf, [...moved, ...quotes]) ??
    findWithParties(swap, traces.isPoolOf, guess, transfers)
  return { proven, exact, guess, candidates }
}

/** The id of some pools is a hash of their tokens: those that moved are tried, and what people trade in. */
function findByPoolId(
  swap: DecodedSwap,
  isPoolOf: NonNullable<TokenTraces['isPoolOf']>,
  named: readonly string[],
): SwapTokens | null {
  const tokens = [...new Set([zeroAddress, ...named])].slice(0, tokensTriedMax).sort()
  for (const [i, token0] of tokens.entries())
    for (const token1 of tokens.slice(i + 1))
      if (isPoolOf(swap, [token0, token1], null)) return [token0, token1]
  return null
}

/** Whatever else the transaction names may belong to the pool: that is tried with two tokens alone. */
export function findWithParties(
  swap: DecodedSwap,
  isPoolOf: NonNullable<TokenTraces['isPoolOf']>,
  [token0, token1]: SwapTokens,
  transfers: readonly DecodedTransfer[],
): SwapTokens | null {
  if (token0 === null || token1 === null) return null
  const parties = new Set(transfers.flatMap(({ from, to }) => [from, to]))
  const tried = [...parties].slice(0, partiesTriedMax)
  return isPoolOf(swap, [token0, token1], tried) ? [token0, token1] : null
}

/** The address of some pools is a hash of who made them and their tokens, which need not have moved. */
function findByMaker(
  { pool }: DecodedSwap,
  sides: readonly (readonly Candidate[])[],
  isMadeOf: NonNullable<TokenTraces['isMadeOf']>,
  quotes: readonly string[],
  makers: readonly string[],
): SwapTokens | null {
  const [tokens0, tokens1] = sides.map((side) => {
    const moved = side.toSorted((one, other) => other.score - one.score).map(({ token }) => token)
    return moved.length > 0 ? moved.slice(0, tokensTriedMax) : quotes
  })
  for (const token0 of tokens0!)
    for (const token1 of tokens1!)
      for (const maker of token0 < token1 ? makers : [])
        if (isMadeOf(pool, maker, [token0, token1])) return [token0, token1]
  return null
}

/** One side alone shows: the other is the native coin where it may be. */
function withNative(
  { amount0, amount1 }: DecodedSwap,
  [sides0, sides1]: Traced['candidates'],
  { hasNative, isUnordered }: TokenTraces,
): SwapTokens {
  const token0 = bestOf(sides0)?.token ?? null
  const token1 = bestOf(sides1)?.token ?? null
  // Of two that cannot go together none is believed.
  if (token0 !== null && token1 !== null) return [null, null]
  // Nothing of a token moves without a transfer, too.
  if (!hasNative || token0 === token1 || amount0 === 0n || amount1 === 0n) return [token0, token1]
  if (token0 === null) return [zeroAddress, token1]
  return [token0, isUnordered ? zeroAddress : null]
}
