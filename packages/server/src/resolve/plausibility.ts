import type {
  DecodedBlock,
  DecodedEvent,
  DecodedLiquidity,
  DecodedSwap,
  DecodedSync,
  DecodedTransfer,
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
      const isMoved = moves
        .of(event.pool)
        .some((moved) => isNear(before + moved, now, limits.disagreementPpmMax))
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
        if (event.type === 'transfer') moves.add(event)
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
  add(transfer: DecodedTransfer): void
  /** What each token moved into a pool since its last event; 0 where nothing did. */
  of(pool: string): bigint[]
  settle(pool: string): void
}

/** Follows what is transferred to and from the pools of a block. */
function createMoves(events: readonly DecodedEvent[]): Moves {
  const nets = new Map<string, Map<string, bigint>>()
  for (const event of events) if (isPoolEvent(event)) nets.set(event.pool, new Map())
  const move = (pool: string, token: string, amount: bigint) => {
    const net = nets.get(pool)
    net?.set(token, (net.get(token) ?? 0n) + amount)
  }
  return {
    add({ token, from, to, amount }) {
      move(to, token, amount)
      move(from, token, -amount)
    },
    of: (pool) => [0n, ...nets.get(pool)!.values()],
    settle: (pool) => nets.get(pool)!.clear(),
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
