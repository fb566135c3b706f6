import type { DecodedPool, DecodedSwap, DecodedTransfer } from '../../../model/decodedBlock.ts'
import { nativeToken } from '../../../model/pool.ts'
import { isAddress } from '../../../venues/evm/decoding/hexWords.ts'
import type { TokenTraces } from '../../../venues/evm/venue.ts'
import type { VenueSet } from '../../../venues/evm/venueSet.ts'
import { zeroAddress } from '../erc20.ts'
import { type Payments, type SwapTokens, traceTokens } from './tokenTraces.ts'

export type PoolTokensOptions = {
  venues: VenueSet
  /** Contracts that make pools, by venue: the address of some pools is a hash of their maker and tokens. */
  makers: ReadonlyMap<string, readonly string[]>
  /** Tokens that may be traded in a transaction without moving in it. */
  quotes: readonly string[]
  /** The token that the native coin is wrapped into; empty: not known. */
  wrapped: string
}

/** What of one transaction tells tokens. */
type Traded = { swaps: readonly DecodedSwap[]; transfers: readonly DecodedTransfer[] }

/** Which tokens pools have. What is sure of a pool in one transaction holds in all others. */
export type PoolTokens = {
  learn(pool: DecodedPool): void
  /** Keeps what a transaction tells for sure. */
  trace(traded: Traded): void
  tokensOf(swap: DecodedSwap, traded: Traded): SwapTokens
}

const plainTraces: TokenTraces = {}
const noTokens: SwapTokens = [null, null]
// A search by a pool's id takes hundreds of hashes. With an unknown hook it would fail at each swap of a day.
const idTriesMax = 24

export function createPoolTokens(options: PoolTokensOptions): PoolTokens {
  const { venues, makers, quotes, wrapped } = options
  const known = new Map<string, SwapTokens>()
  /** How often a pool's id told nothing. */
  const idsTried = new Map<string, number>()

  const knownOf = (swap: DecodedSwap) => namedIn(swap) ?? known.get(keyOf(swap))

  function traceSwap(
    swap: DecodedSwap,
    transfers: readonly DecodedTransfer[],
    paid: Payments,
  ): SwapTokens {
    const tokens = knownOf(swap)
    if (tokens) return tokens
    const key = keyOf(swap)
    const venue = swap.venues?.[0] ?? ''
    const traces = venues.find(venue)?.traces ?? plainTraces
    const tried = idsTried.get(key) ?? 0
    const terms = { quotes, wrapped, makers: makers.get(venue) ?? [] }
    const isIdTried = tried < idTriesMax
    const traced = traceTokens(swap, transfers, traces, { ...terms, isIdTried }, paid)
    if (traced.isSure) known.set(key, traced.tokens)
    else if (traces.isPoolOf) idsTried.set(key, tried + 1)
    return traced.tokens
  }

  /** What pools whose tokens are known took and paid: another of the transaction may have got it from them. */
  function paymentsIn(swaps: readonly DecodedSwap[]): Payments {
    return swaps.flatMap((swap) => {
      const [token0, token1] = knownOf(swap) ?? noTokens
      const { index, amount0, amount1 } = swap
      return [
        ...(token0 === null ? [] : [{ token: token0, amount: amount0, index }]),
        ...(token1 === null ? [] : [{ token: token1, amount: amount1, index }]),
      ]
    })
  }

  return {
    learn({ pool, token0, token1 }) {
      known.set(pool, [token0, token1])
    },
    // Pools that pay one another inside a manager leave no transfer: the tokens of one tell those of the next.
    trace({ swaps, transfers }) {
      let open = swaps
      for (let round = 0; round < swaps.length && open.length > 0; round++) {
        const paid = round === 0 ? [] : paymentsIn(swaps)
        for (const swap of open) traceSwap(swap, transfers, paid)
        const left = open.filter((swap) => !knownOf(swap))
        if (round > 0 && left.length === open.length) return
        open = left
      }
    },
    tokensOf: (swap, { swaps, transfers }) =>
      knownOf(swap) ?? traceSwap(swap, transfers, paymentsIn(swaps)),
  }
}

/** Some events name the tokens themselves. */
function namedIn({ couple, curve }: DecodedSwap): SwapTokens | null {
  if (curve) return [curve.token0, curve.token1 === nativeToken ? zeroAddress : curve.token1]
  return couple?.every(isAddress) ? couple : null
}

/** Numbers of coins mean other ones where a pool is traded in what its coins stand for: the venue tells. */
function keyOf({ pool, couple, venues }: DecodedSwap): string {
  return couple ? [pool, venues?.[0], ...couple].join(' ') : pool
}
