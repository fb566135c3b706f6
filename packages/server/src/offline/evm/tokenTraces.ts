import { zeroAddress } from '../../decode/evm/erc20.ts'
import type { DecodedSwap, DecodedTransfer } from '../../model/decodedBlock.ts'
import {
  bestCandidate,
  type Candidate,
  candidatePairsOf,
  candidatesOf,
  type KnownPayments,
  score,
} from './tokenCandidates.ts'
import type { TokenTraces } from './venueTraces.ts'

/** The two tokens of a swap in the pool's order; null if unknown. */
export type SwapTokens = readonly [token0: string | null, token1: string | null]

export type TracedTokens = {
  /** Tokens proven by the pool's id or address. */
  proven: SwapTokens | null
  /** Tokens that both moved in exactly the swap's amounts, nearest first. */
  exact: readonly SwapTokens[]
  guess: SwapTokens
  /** Candidates for each side of the swap. */
  candidates: readonly [readonly Candidate[], readonly Candidate[]]
}

/** More make a search by id too slow: each couple takes several hashes. */
const tokensTriedMax = 12
const partiesTriedMax = 24
const noOthers: ReadonlySet<bigint> = new Set()

/** Facts of the chain and the transaction that help the search. */
type TraceTerms = {
  /** Tokens that may be traded without a transfer. */
  quotes: readonly string[]
  /** Factories of the venue's pools. */
  factories: readonly string[]
  /** The wrapped native token; empty if unknown. */
  wrapped: string
  /** False once searches by the pool's id or address have failed too often. */
  isIdTried: boolean
  paid: KnownPayments
  /** @default none */
  others?: ReadonlySet<bigint> | undefined
}

/** Finds the tokens of a swap in an unknown pool by the transfers of its transaction. */
export function traceTokens(
  swap: DecodedSwap,
  transfers: readonly DecodedTransfer[],
  traces: TokenTraces,
  { quotes, factories, wrapped, isIdTried, paid, others = noOthers }: TraceTerms,
): TracedTokens {
  const [sides0, sides1] = [swap.amount0, swap.amount1].map((amount) =>
    candidatesOf(swap, transfers, amount, { traces, wrapped, paid, others }),
  ) as [Candidate[], Candidate[]]
  const candidates = [sides0, sides1] as const
  if (traces.hasNative === 'first') {
    const guess = [zeroAddress, bestCandidate(sides1)?.token ?? null] as const
    return { proven: null, exact: [], guess, candidates }
  }
  const couples = candidatePairsOf(sides0, sides1, traces.isUnordered !== true)
  const exact = couples
    .filter((couple) => couple.every((side) => side.score >= score.sum))
    .map(([one, other]): SwapTokens => [one.token, other.token])
  const best = couples[0]
  const guess: SwapTokens = best
    ? [best[0].token, best[1].token]
    : withNative(swap, candidates, traces)
  if (!isIdTried) return { proven: null, exact, guess, candidates }
  if (!traces.isPoolOf) {
    const made =
      traces.isMadeOf && findByMaker(swap, candidates, traces.isMadeOf, quotes, factories)
    return { proven: made ?? null, exact, guess, candidates }
  }
  const moved = [...transfers, ...paid].map(({ token }) => token)
  const proven =
    findByPoolId(swap, traces.isPoolOf, [...moved, ...quotes]) ??
    findByPoolKey(swap, traces.isPoolOf, guess, transfers)
  return { proven, exact, guess, candidates }
}

/** Some pool ids are hashes of the tokens: tries tokens that moved, then common quotes. */
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

/**
 * Other addresses of the transaction may be part of the pool's key. Tries them with one couple of
 * tokens.
 */
export function findByPoolKey(
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

/** Some pool addresses are hashes of factory and tokens, which need not have moved. */
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

/** Only one side is known: the other is the native coin if the venue allows it. */
function withNative(
  { amount0, amount1 }: DecodedSwap,
  [sides0, sides1]: TracedTokens['candidates'],
  { hasNative, isUnordered }: TokenTraces,
): SwapTokens {
  const token0 = bestCandidate(sides0)?.token ?? null
  const token1 = bestCandidate(sides1)?.token ?? null
  // The two cannot be one pool: take neither.
  if (token0 !== null && token1 !== null) return [null, null]
  // An amount of zero moves without a transfer, too.
  if (!hasNative || token0 === token1 || amount0 === 0n || amount1 === 0n) return [token0, token1]
  if (token0 === null) return [zeroAddress, token1]
  return [token0, isUnordered ? zeroAddress : null]
}
