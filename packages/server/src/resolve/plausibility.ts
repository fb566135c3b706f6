import {
  type DecodedBlock,
  type DecodedEvent,
  type DecodedHolding,
  type DecodedLiquidity,
  type DecodedSwap,
  type DecodedSync,
  isHolding,
} from '../model/decodedBlock.ts'
import { createSeenPools, type SeededPool, type SeenPool, trim } from './seenPools.ts'

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

/** Why a block is worth a second look. */
type Doubt = {
  reason: string
  /** Pools whose reserves do not follow from what was moved, if that is all: so it is with fees on transfers, and rebasing. */
  disagreeing: readonly string[] | null
}

/** Says which blocks are worth a second look before they are believed. */
export type Plausibility = {
  /** What seems wrong with a block, given those accepted before; null: nothing. */
  doubt(block: DecodedBlock): Doubt | null
  /** What the block says is what later ones are compared with. */
  accept(block: DecodedBlock): void
  /** The newest block that was accepted is not canonical any more: later ones are compared with those before it. */
  revert(hash: string): void
  /** Reserves of these pools do not follow from what was moved. `isProven`: they are right nevertheless. */
  learn(pools: readonly string[], isProven: boolean): void
}

type PlausibilityFacts = {
  /** Of pools that an earlier run has seen, those that traded last at the end. */
  seeds?: readonly SeededPool[] | undefined
  /** The chain's address for nobody: what comes from it is made. @default none is */
  mintsFrom?: string | undefined
  /** How much there is of each token of a pool; null: it is not known. */
  totalsOf?: ((pool: string) => readonly [bigint | null, bigint | null]) | undefined
}

type PoolEvent = DecodedSwap | DecodedLiquidity | DecodedSync

// Dust, with which any ratio is possible and nothing is lost.
const reserveMin = 1_000_000n
const million = 1_000_000n
// A node that is wrong is so for seconds; what is found again in so many blocks is the pool's own way.
const repeatsMax = 8

export function createPlausibility(
  limits: PlausibilityLimits,
  { seeds = [], mintsFrom, totalsOf = () => [null, null] }: PlausibilityFacts = {},
): Plausibility {
  const pools = createSeenPools(seeds, limits.poolsMax)
  /** In how many blocks their reserves did not follow from what was moved. */
  const repeats = new Map<string, number>()
  const amountEnd = 1n << BigInt(limits.amountBitsMax)

  function tooMuch(event: PoolEvent, moves: Moves): string | null {
    const { reserve0, reserve1 } = event
    const amounts = event.type === 'sync' ? [] : [event.amount0, event.amount1]
    for (const amount of [reserve0, reserve1, ...amounts])
      if (amount !== null && magnitude(amount) >= amountEnd) return 'an amount is too large'
    const totals = totalsOf(event.pool)
    for (const [side, told] of [
      [0, [reserve0, amounts[0]]],
      [1, [reserve1, amounts[1]]],
    ] as const) {
      const total = totals[side]
      if (total === null || isCurve(event)) continue
      for (const amount of told)
        if (amount && magnitude(amount) > total + moves.minted())
          return 'an amount is more than there is of the token'
    }
    return null
  }

  return {
    doubt({ events }) {
      /** Of this block alone: it may not be accepted. */
      const young = new Map<string, SeenPool>()
      const moves = createMoves(events, mintsFrom)
      const disagreeing = new Map<string, string>()
      const emptied = new Set<string>()
      for (const event of events) {
        // A full curve gives all it has to its pool.
        if (event.type === 'graduation') emptied.add(event.curve)
        if (isHolding(event)) moves.add(event)
        if (!isPoolEvent(event)) continue
        const { pool } = event
        const seen = young.get(pool) ?? pools.get(pool)
        const doubt =
          tooMuch(event, moves) ??
          (seen === undefined || emptied.has(pool) ? null : jump(event, seen, limits))
        if (doubt !== null) return { reason: `${doubt} at ${pool}`, disagreeing: null }
        if (seen !== undefined && (repeats.get(pool) ?? 0) < repeatsMax) {
          const { disagreementPpmMax } = limits
          const reason = disagreement(event, seen, { moves, disagreementPpmMax })
          if (reason !== null) disagreeing.set(pool, reason)
        }
        young.set(pool, seenOf(event, seen))
        // On chains that report balances before events, those of a pool that is opened and filled at once are of the filling.
        if (event.reserve0 !== 0n || event.reserve1 !== 0n) moves.settle(pool)
      }
      const [first] = disagreeing
      if (first === undefined) return null
      return { reason: `${first[1]} at ${first[0]}`, disagreeing: [...disagreeing.keys()] }
    },
    accept({ ref, events }) {
      const changed = new Map<string, SeenPool>()
      for (const event of events) {
        if (!isPoolEvent(event)) continue
        const { pool } = event
        const seen = seenOf(event, changed.get(pool) ?? pools.get(pool))
        // Last in the map is what was seen last.
        changed.delete(pool)
        changed.set(pool, seen)
      }
      pools.add(ref.hash, changed)
    },
    revert: (hash) => pools.revert(hash),
    learn(learnt, isProven) {
      for (const pool of learnt)
        repeats.set(pool, isProven ? repeatsMax : (repeats.get(pool) ?? 0) + 1)
      trim(repeats, limits.poolsMax)
    },
  }
}

function jump(event: PoolEvent, seen: SeenPool, limits: PlausibilityLimits): string | null {
  if (jumps(event.priceRaw, seen.priceRaw, limits.jumpFactorMax)) return 'the price jumps'
  // What was empty is filled by any amount.
  if (seen.reserve0 === 0n && seen.reserve1 === 0n) return null
  for (const [now, before, amount] of [
    [event.reserve0, seen.reserve0, amount0Of(event)],
    [event.reserve1, seen.reserve1, amount1Of(event)],
  ] as const) {
    if (now === null || before === null || !hasJumped(now, before, limits.jumpFactorMax)) continue
    // A curve begins with nothing and is sold out in the end: only what its trade does not explain is odd.
    const isExplained = isCurve(event) && isNear(before + amount, now, limits.disagreementPpmMax)
    if (!isExplained) return 'a reserve jumps'
  }
  return null
}

const amount0Of = (event: PoolEvent) => (event.type === 'sync' ? 0n : event.amount0)
const amount1Of = (event: PoolEvent) => (event.type === 'sync' ? 0n : event.amount1)

function disagreement(
  event: PoolEvent,
  seen: SeenPool,
  { moves, disagreementPpmMax }: { moves: Moves; disagreementPpmMax: number },
): string | null {
  const { reserve0, reserve1 } = event
  if (event.type === 'sync' || isCurve(event)) return null
  if (reserve0 === null || reserve1 === null || seen.reserve0 === null || seen.reserve1 === null)
    return null
  const sides = [
    { now: reserve0, before: seen.reserve0, amount: event.amount0 },
    { now: reserve1, before: seen.reserve1, amount: event.amount1 },
  ]
  const sign = event.type === 'liquidity' && event.kind === 'remove' ? -1n : 1n
  for (const { now, before, amount } of sides) {
    if (!isNear(before + sign * amount, now, disagreementPpmMax))
      return 'reserves disagree with the amounts'
    const { moved, told } = moves.of(event.pool)
    const isMoved =
      moved.some((net) => isNear(before + net, now, disagreementPpmMax)) ||
      told.some((balance) => isNear(balance, now, disagreementPpmMax))
    if (!isMoved) return 'reserves disagree with the transfers'
  }
  return null
}

/** The reserves that each of these pools has after a block, as it tells them last. */
export function lastReserves(
  { events }: DecodedBlock,
  pools: readonly string[],
): Pick<SeenPool, 'reserve0' | 'reserve1'>[] {
  return pools.map((pool) => {
    const last = events.findLast((event) => isPoolEvent(event) && event.pool === pool)
    const { reserve0, reserve1 } = last as PoolEvent
    return { reserve0, reserve1 }
  })
}

type Moves = {
  add(event: DecodedHolding): void
  /** Since a pool's last event: what each token moved into it, 0 where nothing did, and balances that were told of it. */
  of(pool: string): { moved: bigint[]; told: bigint[] }
  settle(pool: string): void
  /** The most that came from nowhere so far, of one token: there may be so much more than was known before. */
  minted(): bigint
}

/** Follows what the pools of a block hold. */
function createMoves(events: readonly DecodedEvent[], mintsFrom: string | undefined): Moves {
  const nets = new Map<string, Map<string, bigint>>()
  const balances = new Map<string, Map<string, bigint>>()
  for (const event of events) {
    if (!isPoolEvent(event)) continue
    nets.set(event.pool, new Map())
    balances.set(event.pool, new Map())
  }
  const minted = new Map<string, bigint>()
  let mintedMost = 0n
  const mint = (token: string, amount: bigint) => {
    const sum = (minted.get(token) ?? 0n) + amount
    minted.set(token, sum)
    if (sum > mintedMost) mintedMost = sum
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
      if (event.from === mintsFrom) mint(token, amount)
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
    minted: () => mintedMost,
  }
}

function isPoolEvent(event: DecodedEvent): event is PoolEvent {
  return event.type === 'swap' || event.type === 'liquidity' || event.type === 'sync'
}

/** Curves trade against reserves that are partly virtual, and keep their fees elsewhere. */
function isCurve(event: PoolEvent): boolean {
  return event.type === 'swap' && event.curve !== undefined
}

function seenOf(
  { reserve0, reserve1, priceRaw }: PoolEvent,
  before: SeenPool | undefined,
): SeenPool {
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
