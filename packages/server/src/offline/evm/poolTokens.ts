import type { DecodedPool, DecodedSwap } from '../../model/decodedBlock.ts'
import { type Flows, settleManaged } from './managedSwaps.ts'
import {
  createPoolTraces,
  keyOf,
  type PoolTraces,
  type PoolTracesOptions,
  type Traded,
} from './poolTraces.ts'
import type { Payments } from './tokenCandidates.ts'
import type { SwapTokens } from './tokenTraces.ts'

/** Which tokens pools have, by what is proven of them and what all transactions tell. */
export type PoolTokens = {
  learn(pool: DecodedPool): void
  /** Keeps what a transaction tells. */
  trace(traded: Traded): void
  /** Of each swap of the transaction. */
  tokensIn(traded: Traded): ReadonlyMap<DecodedSwap, SwapTokens>
}

type Told = Map<DecodedSwap, SwapTokens>

const noTokens: SwapTokens = [null, null]

export function createPoolTokens(options: PoolTracesOptions): PoolTokens {
  const pools = createPoolTraces(options)
  return {
    learn: ({ pool, token0, token1 }) => pools.learn(pool, [token0, token1]),
    trace: (traded) => {
      tellExact(pools, traded, true)
    },
    tokensIn(traded) {
      const told = tellExact(pools, traded, false)
      for (const swap of traded.swaps) {
        // Amounts of an underlying swap may be of shares: tokens of other transactions do not go with them.
        if (told.has(swap) || pools.tracesOf(swap).isUnderlying) continue
        const tokens = pools.votes.best(keyOf(swap))
        if (tokens) told.set(swap, tokens)
      }
      for (const manager of new Set(traded.swaps.flatMap(({ manager }) => manager ?? [])))
        tellManaged(pools, manager, traded, told)
      const paid = paymentsOf(told)
      for (const swap of traded.swaps)
        if (!told.has(swap)) told.set(swap, pools.trace(swap, traded, paid).guess)
      return told
    },
  }
}

/** Swaps whose tokens moved in their very amounts, or whose pools are known. What one pool paid may tell the next. */
function tellExact(pools: PoolTraces, traded: Traded, isVoting: boolean): Told {
  const told: Told = new Map()
  for (const swap of traded.swaps) {
    const tokens = pools.provenOf(swap)
    if (tokens) told.set(swap, tokens)
  }
  let open = traded.swaps.filter((swap) => !told.has(swap))
  for (let round = 0; open.length > 0; round++) {
    const paid = round === 0 ? [] : paymentsOf(told)
    for (const swap of open) {
      const { proven, exact } = pools.trace(swap, traded, paid)
      const key = keyOf(swap)
      if (isVoting) pools.votes.add(key, exact)
      if (proven) told.set(swap, proven)
      else if (exact.length > 0) told.set(swap, pools.votes.choose(key, exact))
    }
    const left = open.filter((swap) => !told.has(swap))
    if (round > 0 && left.length === open.length) break
    open = left
  }
  return told
}

function tellManaged(pools: PoolTraces, manager: string, traded: Traded, told: Told): void {
  const swaps = traded.swaps.filter((swap) => swap.manager === manager)
  if (swaps.every((swap) => told.has(swap))) return
  const paid = paymentsOf(told)
  const managed = swaps.map((swap) => {
    const [token0, token1] = told.get(swap) ?? noTokens
    return {
      swap,
      tokens: [token0, token1] as [string | null, string | null],
      candidates: pools.trace(swap, traded, paid).candidates,
      traces: pools.tracesOf(swap),
      prove: (tokens: SwapTokens) => pools.prove(swap, traded, tokens),
    }
  })
  settleManaged(managed, flowsOf(manager, traded))
  for (const { swap, tokens } of managed) told.set(swap, tokens)
}

/** What the manager was given of each token, less what it gave. */
function flowsOf(manager: string, { transfers }: Traded): Flows {
  const flows = new Map<string, bigint>()
  for (const { token, from, to, amount } of transfers) {
    if (from === to || (from !== manager && to !== manager)) continue
    const before = flows.get(token) ?? 0n
    flows.set(token, to === manager ? before + amount : before - amount)
  }
  return flows
}

/** What pools took and paid: another of the transaction may have got it from them. */
function paymentsOf(told: Told): Payments {
  return [...told].flatMap(([{ index, amount0, amount1 }, [token0, token1]]) => [
    ...(token0 === null ? [] : [{ token: token0, amount: amount0, index }]),
    ...(token1 === null ? [] : [{ token: token1, amount: amount1, index }]),
  ])
}
