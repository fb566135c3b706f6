import type { DecodedSwap, DecodedTransfer } from '../../../model/decodedBlock.ts'
import type { TokenTraces } from '../../../venues/evm/venue.ts'
import { zeroAddress } from '../erc20.ts'

/** The two tokens of a swap as its pool orders them; null: nothing tells. */
export type SwapTokens = readonly [token0: string | null, token1: string | null]

export type Traced = {
  tokens: SwapTokens
  /** Both moved in the very amounts of the swap, or the pool's id is made of them: other swaps of the pool have them, too. */
  isSure: boolean
}

type Candidate = { token: string; score: number; distance: number }

/** More make a search by ids too slow: each couple of tokens takes several hashes. */
const tokensTriedMax = 12
const partiesTriedMax = 24

/** How much a trace says, from a guess to as good as the pool's own word. */
const score = { touched: 1, anywhere: 2, wrapped: 3, held: 4, sum: 5, exact: 6 } as const

/** What of the chain helps. */
export type TraceTerms = {
  /** Tokens that may be traded without moving. */
  quotes: readonly string[]
  /** Contracts that make the venue's pools. */
  makers: readonly string[]
  /** The token that the native coin is wrapped into; empty: not known. */
  wrapped: string
  /** Is there any hope left that the pool's id tells its tokens? */
  isIdTried: boolean
}

/** What the other pools of a transaction took and paid, as far as their tokens are known. */
export type Payments = readonly Pick<DecodedTransfer, 'token' | 'amount' | 'index'>[]

/** Tokens of a swap in a pool that nobody knows, by what moved in its transaction. */
export function traceTokens(
  swap: DecodedSwap,
  transfers: readonly DecodedTransfer[],
  traces: TokenTraces,
  { quotes, makers, wrapped, isIdTried }: TraceTerms,
  paid: Payments = [],
): Traced {
  const coin = traces.hasNative ? wrapped : ''
  const sides = [swap.amount0, swap.amount1].map((amount) =>
    candidatesOf(swap, transfers, amount, { wrapped: coin, paid }),
  )
  if (traces.hasNative === 'first')
    return { tokens: [zeroAddress, bestOf(sides[1]!)], isSure: false }
  const best = bestCouple(sides[0]!, sides[1]!, traces.isUnordered !== true)
  const tokens: SwapTokens = best
    ? [best[0].token, best[1].token]
    : withNative(sides as [Candidate[], Candidate[]], traces)
  const isSure = best?.every((candidate) => candidate.score >= score.sum) === true
  if (!traces.isPoolOf) {
    const made = traces.isMadeOf && findByMaker(swap, sides, traces.isMadeOf, quotes, makers)
    return made ? { tokens: made, isSure: true } : { tokens, isSure }
  }
  if (!isIdTried) return { tokens, isSure }
  const moved = [...transfers, ...paid].map(({ token }) => token)
  const parties = transfers.flatMap(({ from, to }) => [from, to])
  const named = findByPoolId(swap, traces.isPoolOf, tokens, { moved, parties, quotes })
  return { tokens: named ?? tokens, isSure: named !== null || isSure }
}

/**
 * The id of some pools is a hash of their tokens. Those that moved are tried with all that may belong to them, then
 * whatever else the transaction names and what people trade in.
 */
function findByPoolId(
  swap: DecodedSwap,
  isPoolOf: NonNullable<TokenTraces['isPoolOf']>,
  [traced0, traced1]: SwapTokens,
  { moved, parties, quotes }: Readonly<Record<'moved' | 'parties' | 'quotes', readonly string[]>>,
): SwapTokens | null {
  const tokens = [...new Set([zeroAddress, ...moved, ...quotes])].slice(0, tokensTriedMax).sort()
  for (const [i, token0] of tokens.entries())
    for (const token1 of tokens.slice(i + 1))
      if (isPoolOf(swap, [token0, token1], null)) return [token0, token1]
  if (traced0 === null || traced1 === null) return null
  const traced = [traced0, traced1] as const
  return isPoolOf(swap, traced, [...new Set(parties)].slice(0, partiesTriedMax)) ? traced : null
}

/** The address of some pools is a hash of who made them and their tokens, which need not have moved. */
function findByMaker(
  { pool }: DecodedSwap,
  sides: readonly Candidate[][],
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

/** Tokens that may have moved as one side of a swap, by how well their transfers fit it. */
function candidatesOf(
  swap: DecodedSwap,
  transfers: readonly DecodedTransfer[],
  signed: bigint,
  { wrapped, paid }: { wrapped: string; paid: Payments },
): Candidate[] {
  const holder = swap.manager ?? swap.pool
  const isIn = signed > 0n
  const amount = isIn ? signed : -signed
  const held = new Map<string, Candidate & { sum: bigint }>()
  const elsewhere = new Map<string, Candidate>()
  const noteElsewhere = (token: string, points: number, distance: number) => {
    const known = elsewhere.get(token) ?? { token, score: 0, distance }
    elsewhere.set(token, known)
    keepBetter(known, points, distance)
  }
  for (const { token, from, to, amount: moved, index } of transfers) {
    // Shares of the pool itself are not traded in it.
    if (token === swap.pool || moved === 0n) continue
    // Payments are made before a pool tells of the swap, but for those that settle at the end.
    const distance = index < swap.index ? swap.index - index : index - swap.index + 0.5
    const isHeld = isIn ? to === holder && from !== holder : from === holder && to !== holder
    if (isHeld) {
      const known = held.get(token) ?? { token, score: 0, distance, sum: 0n }
      held.set(token, known)
      known.sum += moved
      const touch = swap.manager === undefined ? score.held : score.touched
      keepBetter(known, moved === amount ? score.exact : touch, distance)
    } else if (moved === amount) {
      // Unwrapped for the pool, or wrapped after it: what the pool had of it was the coin itself.
      const isCoin = token === wrapped && (isIn ? to : from) === zeroAddress
      noteElsewhere(isCoin ? zeroAddress : token, isCoin ? score.wrapped : score.anywhere, distance)
    }
  }
  for (const { token, amount: moved, index } of paid)
    if (moved === -signed) noteElsewhere(token, score.anywhere, Math.abs(index - swap.index))
  for (const candidate of held.values())
    if (candidate.sum === amount) keepBetter(candidate, score.sum, candidate.distance)
  for (const [token, candidate] of elsewhere) {
    const known = held.get(token)
    if (known) keepBetter(known, candidate.score, candidate.distance)
  }
  return [...held.values(), ...[...elsewhere.values()].filter(({ token }) => !held.has(token))]
}

function keepBetter(candidate: Candidate, points: number, distance: number): void {
  if (points < candidate.score) return
  if (points > candidate.score || distance < candidate.distance) candidate.distance = distance
  candidate.score = points
}

/** The best of each side that go together; null: there are no two. */
function bestCouple(
  sides0: readonly Candidate[],
  sides1: readonly Candidate[],
  isOrdered: boolean,
): [Candidate, Candidate] | null {
  let best: [Candidate, Candidate] | null = null
  for (const one of sides0)
    for (const other of sides1) {
      if (isOrdered ? one.token >= other.token : one.token === other.token) continue
      if (best === null || isBetter([one, other], best)) best = [one, other]
    }
  return best
}

function isBetter(
  [one, other]: readonly [Candidate, Candidate],
  [best0, best1]: readonly [Candidate, Candidate],
): boolean {
  const points = one.score + other.score - best0.score - best1.score
  if (points !== 0) return points > 0
  return one.distance + other.distance < best0.distance + best1.distance
}

/** One side alone shows: the other is the native coin where it may be. */
function withNative(
  [sides0, sides1]: readonly [readonly Candidate[], readonly Candidate[]],
  traces: TokenTraces,
): SwapTokens {
  const token0 = bestOf(sides0)
  const token1 = bestOf(sides1)
  if (!traces.hasNative || (token0 === null) === (token1 === null)) {
    // Of two that cannot go together none is believed.
    return token0 !== null && token1 !== null ? [null, null] : [token0, token1]
  }
  if (token0 === null) return [zeroAddress, token1]
  return [token0, traces.isUnordered ? zeroAddress : null]
}

function bestOf(candidates: readonly Candidate[]): string | null {
  const [best] = candidates.toSorted(
    (one, other) => other.score - one.score || one.distance - other.distance,
  )
  return best?.token ?? null
}
