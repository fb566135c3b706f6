import {
  type DecodedBlock,
  type DecodedEvent,
  type DecodedHolding,
  type DecodedLiquidity,
  type DecodedSwap,
  type DecodedSync,
  isHolding,
} from '../model/decodedBlock.ts'

export type PlausibilityLimits = {
  /** A reserve or price may become so many times what it was, or as small a part of it. */
  jumpFactorMax: number
  /** Bits of an amount or reserve. */
  amountBitsMax: number
  /** How far reserves may be from what the trade, or the transfers, make of those before, in millionths. */
  disagreementPpmMax: number
  /** Pools remembered. */
  poolsMax: number
}

export const plausibilityLimitsDefault: PlausibilityLimits = {
  jumpFactorMax: 100,
  amountBitsMax: 128,
  disagreementPpmMax: 50_000,
  poolsMax: 100_000,
}

/** Says which blocks are worth a second look before they are believed. */
export type Plausibility = {
  /** What seems wrong with a block, given those accepted before; null: nothing. */
  doubt(block: DecodedBlock): string | null
  /** What the block says is what later ones are compared with. */
  accept(block: DecodedBlock): void
}

type PoolEvent = DecodedSwap | DecodedLiquidity | DecodedSync
type Seen = { reserve0: bigint | null; reserve1: bigint | null; priceRaw: number | null }

// Dust, with which any ratio is possible and nothing is lost.
const reserveMin = 1_000_000n
const million = 1_000_000n

export function createPlausibility(limits: PlausibilityLimits): Plausibility {
  // Least recently seen first.
  const pools = new Map<string, Seen>()
  const amountEnd = 1n << BigInt(limits.amountBitsMax)

  function doubtOf(event: PoolEvent, seen: Seen | undefined, moves: Moves): string | null {
    const { reserve0, reserve1 } = event
    const amounts = event.type === 'sync' ? [] : [event.amount0, event.amount1]
    for (const amount of [reserve0, reserve1, ...amounts])
      if (amount !== null && magnitude(amount) >= amountEnd) return 'an amount is too large'
    if (seen === undefined) return null
    if (jumps(event.priceRaw, seen.priceRaw, limits.jumpFactorMax)) return 'the price jumps'
    if (reserve0 === null || reserve1 === null || seen.reserve0 === null || seen.reserve1 === null)
      return null
    const sides = [
      { now: reserve0, before: seen.reserve0, amount: amounts[0] },
      { now: reserve1, before: seen.reserve1, amount: amounts[1] },
    ]
    const sign = event.type === 'liquidity' && event.kind === 'remove' ? -1n : 1n
    for (const { now, before, amount } of sides) {
      if (hasJumped(now, before, limits.jumpFactorMax)) return 'a reserve jumps'
      if (amount === undefined || isCurve(event)) continue
      if (!isNear(before + sign * amount, now, limits.disagreementPpmMax))
        return 'reserves disagree with the amounts'
      const { moved, told } = moves.of(event.pool)
      const isMoved =
        moved.some((net) => isNear(before + net, now, limits.disagreementPpmMax)) ||
        told.some((balance) => isNear(balance, now, limits.disagreementPpmMax))
      if (!isMoved) return 'reserves disagree with the transfers'
    }
    return null
  }

  return {
    doubt({ events }) {
      /** Of this block alone: it may not be accepted. */
      const young = new Map<string, Seen>()
      const moves = createMoves(events)
      for (const event of events) {
        if (isHolding(event)) moves.add(event)
        if (!isPoolEvent(event)) continue
        const doubt = doubtOf(event, young.get(event.pool) ?? pools.get(event.pool), moves)
        if (doubt !== null) return `${doubt} at ${event.pool}`
        young.set(event.pool, seenOf(event, young.get(event.pool) ?? pools.get(event.pool)))
        moves.settle(event.pool)
      }
      return null
    },
    accept({ events }) {
      for (const event of events) {
        if (!isPoolEvent(event)) continue
        const seen = seenOf(event, pools.get(event.pool))
        pools.delete(event.pool)
        pools.set(event.pool, seen)
      }
      for (const oldest of pools.keys()) {
        if (pools.size <= limits.poolsMax) return
        pools.delete(oldest)
      }
    },
  }
}

type Moves = {
  add(event: DecodedHolding): void
  /** Since a pool's last event: what each token moved into it, 0 where nothing did, and balances that were told of it. */
  of(pool: string): { moved: bigint[]; told: bigint[] }
  settle(pool: string): void
}

/** Follows what the pools of a block hold. */
function createMoves(events: readonly DecodedEvent[]): Moves {
  const nets = new Map<string, Map<string, bigint>>()
  const balances = new Map<string, Map<string, bigint>>()
  for (const event of events) {
    if (!isPoolEvent(event)) continue
    nets.set(event.pool, new Map())
    balances.set(event.pool, new Map())
  }
  const move = (pool: string, token: string, amount: bigint) => {
    const net = nets.get(pool)
    net?.set(token, (net.get(token) ?? 0n) + amount)
  }
  return {
    add(event) {
      const { token, amount } = event
      if (event.type === 'balance') {
        balances.get(event.owner)?.set(token, amount)
        return
      }
      move(event.to, token, amount)
      move(event.from, token, -amount)
    },
    of: (pool) => ({
      moved: [0n, ...nets.get(pool)!.values()],
      told: [...balances.get(pool)!.values()],
    }),
    settle(pool) {
      nets.get(pool)!.clear()
      balances.get(pool)!.clear()
    },
  }
}

function isPoolEvent(event: DecodedEvent): event is PoolEvent {
  return event.type === 'swap' || event.type === 'liquidity' || event.type === 'sync'
}

/** Curves trade against reserves that are partly virtual, and keep their fees elsewhere. */
function isCurve(event: PoolEvent): boolean {
  return event.type === 'swap' && event.curve !== undefined
}

function seenOf({ reserve0, reserve1, priceRaw }: PoolEvent, before: Seen | undefined): Seen {
  return {
    reserve0: reserve0 ?? before?.reserve0 ?? null,
    reserve1: reserve1 ?? before?.reserve1 ?? null,
    priceRaw: priceRaw ?? before?.priceRaw ?? null,
  }
}

function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

function jumps(now: number | null, before: number | null, factorMax: number): boolean {
  if (now === null || before === null || !(now > 0) || !(before > 0)) return false
  return now / before > factorMax || before / now > factorMax
}

function hasJumped(now: bigint, before: bigint, factorMax: number): boolean {
  const [small, large] = now < before ? [now, before] : [before, now]
  const floor = small < reserveMin ? reserveMin : small
  return large > floor * BigInt(factorMax)
}

function isNear(expected: bigint, told: bigint, ppmMax: number): boolean {
  const far = magnitude(expected - told)
  const base = told < reserveMin ? reserveMin : told
  return far * million <= base * BigInt(ppmMax)
}
