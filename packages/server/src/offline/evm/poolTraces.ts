import { zeroAddress } from '../../decode/evm/erc20.ts'
import type { DecodedSwap, DecodedTransfer } from '../../model/decodedBlock.ts'
import { nativeToken } from '../../model/pool.ts'
import { isAddress } from '../../venues/evm/decoding/hexWords.ts'
import type { KnownPayments } from './tokenCandidates.ts'
import { findByPoolKey, type SwapTokens, type TracedTokens, traceTokens } from './tokenTraces.ts'
import { type TokenTraces, venueTraces } from './venueTraces.ts'

export type PoolTracesOptions = {
  /** Factories by venue: the address of some pools is a hash of factory and tokens. */
  makers: ReadonlyMap<string, readonly string[]>
  /** Tokens that may be traded in a transaction without a transfer. */
  quotes: readonly string[]
  /** The wrapped native token; empty if unknown. */
  wrapped: string
  /** Indexed by venue. @default those of all known venues */
  traces?: Readonly<Record<string, TokenTraces>> | undefined
}

/** The events of one transaction that reveal tokens. */
export type TransactionTrades = {
  swaps: readonly DecodedSwap[]
  transfers: readonly DecodedTransfer[]
}

/** Proven tokens of pools, and votes for the others. */
export type PoolTraces = {
  votes: TokenVotes
  tracesOf(swap: DecodedSwap): TokenTraces
  /** Undefined if nothing is proven of the swap's pool. */
  provenOf(swap: DecodedSwap): SwapTokens | undefined
  learn(key: string, tokens: SwapTokens): void
  trace(swap: DecodedSwap, traded: TransactionTrades, paid: KnownPayments): TracedTokens
  /**
   * Checks whether the id of the swap's pool is a hash of these tokens; null if not, as far as can
   * be checked.
   */
  prove(swap: DecodedSwap, traded: TransactionTrades, tokens: SwapTokens): SwapTokens | null
}

const plainTraces: TokenTraces = {}
// A search by id takes hundreds of hashes. For a pool with an unknown hook it would fail again at
// each swap.
const idTriesMax = 24

export function createPoolTraces(options: PoolTracesOptions): PoolTraces {
  const { makers, quotes, wrapped, traces = venueTraces } = options
  const proven = new Map<string, SwapTokens>()
  const votes = createTokenVotes()
  /** Failed searches of a pool, and the last one tried. */
  const idsTried = new Map<string, { times: number; last: string }>()

  const tracesOf = ({ venues: names }: DecodedSwap) => traces[names?.[0] ?? ''] ?? plainTraces

  function isIdTried(key: string, asked: string): boolean {
    if (proven.has(key) || votes.isClear(key)) return false
    const { times, last } = idsTried.get(key) ?? { times: 0, last: '' }
    return times < idTriesMax && last !== asked
  }

  function noteSearch(key: string, asked: string, found: SwapTokens | null): void {
    if (found) proven.set(key, found)
    else idsTried.set(key, { times: (idsTried.get(key)?.times ?? 0) + 1, last: asked })
  }

  return {
    votes,
    tracesOf,
    provenOf: (swap) => namedIn(swap) ?? proven.get(keyOf(swap)),
    learn: (key, tokens) => proven.set(key, tokens),
    trace(swap, { swaps, transfers }, paid) {
      const key = keyOf(swap)
      const asked = `${swap.txHash} ${paid.length}`
      const isTried = isIdTried(key, asked)
      const traced = traceTokens(swap, transfers, tracesOf(swap), {
        quotes,
        wrapped,
        factories: makers.get(swap.venues?.[0] ?? '') ?? [],
        paid,
        others: othersOf(swap, swaps),
        isIdTried: isTried,
      })
      if (isTried) noteSearch(key, asked, traced.proven)
      return traced
    },
    prove(swap, { transfers }, tokens) {
      const key = keyOf(swap)
      const { isPoolOf } = tracesOf(swap)
      const asked = `${swap.txHash} ${tokens.join(' ')}`
      if (!isPoolOf || !isIdTried(key, asked)) return null
      const found = findByPoolKey(swap, isPoolOf, tokens, transfers)
      noteSearch(key, asked, found)
      return found
    },
  }
}

/** Signed amounts of other swaps with the same manager. */
function othersOf(swap: DecodedSwap, swaps: readonly DecodedSwap[]): ReadonlySet<bigint> {
  const { manager } = swap
  if (manager === undefined) return new Set()
  const others = swaps.filter((one) => one !== swap && one.manager === manager)
  return new Set(others.flatMap(({ amount0, amount1 }) => [amount0, amount1]))
}

/** Some events name the tokens themselves. */
function namedIn({ couple, curve }: DecodedSwap): SwapTokens | undefined {
  if (curve) return [curve.token0, curve.token1 === nativeToken ? zeroAddress : curve.token1]
  return couple?.every(isAddress) ? couple : undefined
}

/**
 * A coin's number means another token where the venue trades underlying tokens, so the key includes
 * the venue.
 */
export function keyOf({ pool, couple, venues }: DecodedSwap): string {
  return couple ? [pool, venues?.[0], ...couple].join(' ') : pool
}

/**
 * Counts votes of transactions for the tokens of pools. One transaction may mislead: a third token
 * may move in the same amount.
 */
type TokenVotes = {
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

function createTokenVotes(): TokenVotes {
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
