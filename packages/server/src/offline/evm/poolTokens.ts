import type { DecodedPool, DecodedSwap } from '../../model/decodedBlock.ts'
import { type Flows, fillManagedTokens } from './managedSwaps.ts'
import {
  createPoolTraces,
  keyOf,
  type PoolTraces,
  type PoolTracesOptions,
  type TransactionTrades,
} from './poolTraces.ts'
import type { KnownPayments } from './tokenCandidates.ts'
import type { SwapTokens } from './tokenTraces.ts'

/** The tokens of pools, from proofs and from the votes of all transactions. */
export type PoolTokens = {
  learn(pool: DecodedPool): void
  /** Records what one transaction shows. */
  trace(traded: TransactionTrades): void
  /** The tokens of each swap of the transaction. */
  tokensIn(traded: TransactionTrades): ReadonlyMap<DecodedSwap, SwapTokens>
}

type TokensBySwap = Map<DecodedSwap, SwapTokens>

const noTokens: SwapTokens = [null, null]

export function createPoolTokens(options: PoolTracesOptions): PoolTokens {
  const pools = createPoolTraces(options)
  return {
    learn: ({ pool, token0, token1 }) => pools.learn(pool, [token0, token1]),
    trace: (traded) => {
      findExact(pools, traded, true)
    },
    tokensIn(traded) {
      const known = findExact(pools, traded, false)
      for (const swap of traded.swaps) {
        // Amounts of an underlying swap may be of shares, so tokens of other transactions do not
        // apply.
        if (known.has(swap) || pools.tracesOf(swap).isUnderlying) continue
        const tokens = pools.votes.best(keyOf(swap))
        if (tokens) known.set(swap, tokens)
      }
      for (const manager of new Set(traded.swaps.flatMap(({ manager }) => manager ?? [])))
        findManaged(pools, manager, traded, known)
      const paid = paymentsOf(known)
      for (const swap of traded.swaps)
        if (!known.has(swap)) known.set(swap, pools.trace(swap, traded, paid).guess)
      return known
    },
  }
}

/**
 * Finds swaps whose tokens moved in exactly their amounts or whose pools are known. A payment of
 * one pool may identify the next.
 */
function findExact(pools: PoolTraces, traded: TransactionTrades, isVoting: boolean): TokensBySwap {
  const known: TokensBySwap = new Map()
  for (const swap of traded.swaps) {
    const tokens = pools.provenOf(swap)
    if (tokens) known.set(swap, tokens)
  }
  let open = traded.swaps.filter((swap) => !known.has(swap))
  for (let round = 0; open.length > 0; round++) {
    const paid = round === 0 ? [] : paymentsOf(known)
    for (const swap of open) {
      const { proven, exact } = pools.trace(swap, traded, paid)
      const key = keyOf(swap)
      if (isVoting) pools.votes.add(key, exact)
      if (proven) known.set(swap, proven)
      else if (exact.length > 0) known.set(swap, pools.votes.choose(key, exact))
    }
    const left = open.filter((swap) => !known.has(swap))
    if (round > 0 && left.length === open.length) break
    open = left
  }
  return known
}

function findManaged(
  pools: PoolTraces,
  manager: string,
  traded: TransactionTrades,
  known: TokensBySwap,
): void {
  const swaps = traded.swaps.filter((swap) => swap.manager === manager)
  if (swaps.every((swap) => known.has(swap))) return
  const paid = paymentsOf(known)
  const managed = swaps.map((swap) => {
    const [token0, token1] = known.get(swap) ?? noTokens
    return {
      swap,
      tokens: [token0, token1] as [string | null, string | null],
      candidates: pools.trace(swap, traded, paid).candidates,
      traces: pools.tracesOf(swap),
      prove: (tokens: SwapTokens) => pools.prove(swap, traded, tokens),
    }
  })
  fillManagedTokens(managed, flowsOf(manager, traded))
  for (const { swap, tokens } of managed) known.set(swap, tokens)
}

/** Net amount of each token that the manager received. */
function flowsOf(manager: string, { transfers }: TransactionTrades): Flows {
  const flows = new Map<string, bigint>()
  for (const { token, from, to, amount } of transfers) {
    if (from === to || (from !== manager && to !== manager)) continue
    const before = flows.get(token) ?? 0n
    flows.set(token, to === manager ? before + amount : before - amount)
  }
  return flows
}

/** Payments to and from pools: another pool of the transaction may have been paid from them. */
function paymentsOf(known: TokensBySwap): KnownPayments {
  return [...known].flatMap(([{ index, amount0, amount1 }, [token0, token1]]) => [
    ...(token0 === null ? [] : [{ token: token0, amount: amount0, index }]),
    ...(token1 === null ? [] : [{ token: token1, amount: amount1, index }]),
  ])
}
