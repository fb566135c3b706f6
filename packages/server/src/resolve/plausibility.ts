import {
  type DecodedBlock,
  type DecodedEvent,
  type DecodedHolding,
  type DecodedLiquidity,
  type DecodedSwap,
  type DecodedSync,
  isHoldingEvent,
} from '../model/decodedBlock.ts'
import {
  createLastPoolStates,
  type LastPoolState,
  type SavedPoolState,
  trimOldest,
} from './lastPoolStates.ts'

export type PlausibilityLimits = {
  /** Largest factor by which a reserve or price may grow or shrink at once. */
  jumpFactorMax: number
  /** Largest size of an amount or reserve, in bits. */
  amountBitsMax: number
  /**
   * How far reserves may differ from the earlier reserves plus the trade's amounts or transfers, in
   * millionths.
   */
  disagreementPpmMax: number
  /** Number of pools remembered. */
  poolsMax: number
}

export const plausibilityLimitsDefault: PlausibilityLimits = {
  jumpFactorMax: 100,
  amountBitsMax: 128,
  disagreementPpmMax: 50_000,
  poolsMax: 100_000,
}

/** Why a block looks implausible and should be verified. */
type PlausibilityDoubt = {
  reason: string
  /**
   * Pools whose reserves do not follow from the moved amounts, if nothing else is wrong; null
   * otherwise. Normal for tokens that rebase or take a fee on transfers.
   */
  disagreeing: readonly string[] | null
}

/** Detects blocks that should be verified before they are applied. */
export type Plausibility = {
  /** Checks a block against the accepted ones. Null if it is plausible. */
  findDoubt(block: DecodedBlock): PlausibilityDoubt | null
  /** Later blocks are compared with this block from now on. */
  accept(block: DecodedBlock): void
  /** Undoes the newest accepted block: later blocks are compared with those before it. */
  revert(hash: string): void
  /**
   * Records that the reserves of these pools do not follow from the moved amounts. `isProven`: the
   * block was proved right.
   */
  recordMismatch(pools: readonly string[], isProven: boolean): void
}

type PlausibilityOptions = {
  /** Pool states saved by an earlier run, most recently traded last. */
  seeds?: readonly SavedPoolState[] | undefined
  /** The chain's zero address: transfers from it are mints. @default mints are not recognized */
  mintsFrom?: string | undefined
  /** Returns the total supplies of a pool's two tokens; null for an unknown supply. */
  suppliesOf?: ((pool: string) => readonly [bigint | null, bigint | null]) | undefined
}

type PoolEvent = DecodedSwap | DecodedLiquidity | DecodedSync

// Reserves below this are dust: dust can jump by any ratio without harm.
const reserveMin = 1_000_000n
const million = 1_000_000n
// A faulty node is wrong for seconds. If the same mismatch repeats in this many blocks, the pool
// itself behaves that way.
const repeatsMax = 8

export function createPlausibility(
  limits: PlausibilityLimits,
  { seeds = [], mintsFrom, suppliesOf = () => [null, null] }: PlausibilityOptions = {},
): Plausibility {
  const pools = createLastPoolStates(seeds, limits.poolsMax)
  /** Number of blocks in which a pool's reserves did not follow from the moved amounts, by pool. */
  const repeats = new Map<string, number>()
  const amountEnd = 1n << BigInt(limits.amountBitsMax)

  function tooMuch(event: PoolEvent, moves: BlockTransfers): string | null {
    const { reserve0, reserve1 } = event
    const amounts = event.type === 'sync' ? [] : [event.amount0, event.amount1]
    for (const amount of [reserve0, reserve1, ...amounts])
      if (amount !== null && magnitude(amount) >= amountEnd) return 'an amount is too large'
    const totals = suppliesOf(event.pool)
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
    findDoubt({ events }) {
      /**
       * Pool states within this block. They stay separate because the block may not be accepted.
       */
      const young = new Map<string, LastPoolState>()
      const moves = createBlockTransfers(events, mintsFrom)
      const disagreeing = new Map<string, string>()
      const emptied = new Set<string>()
      for (const event of events) {
        // On graduation a curve sends all its tokens to the pool, so its reserves may drop to zero.
        if (event.type === 'graduation') emptied.add(event.curve)
        if (isHoldingEvent(event)) moves.add(event)
        if (!isPoolEvent(event)) continue
        const { pool } = event
        const seen = young.get(pool) ?? pools.get(pool)
        const doubt =
          tooMuch(event, moves) ??
          (seen === undefined || emptied.has(pool) ? null : jumpReason(event, seen, limits))
        if (doubt !== null) return { reason: `${doubt} at ${pool}`, disagreeing: null }
        if (seen !== undefined && (repeats.get(pool) ?? 0) < repeatsMax) {
          const { disagreementPpmMax } = limits
          const reason = mismatchReason(event, seen, { moves, disagreementPpmMax })
          if (reason !== null) disagreeing.set(pool, reason)
        }
        young.set(pool, seenOf(event, seen))
        // On chains that report balances before events, the balances of a pool that is opened and
        // filled in one transaction belong to the filling, so the empty opening must not consume
        // them.
        if (event.reserve0 !== 0n || event.reserve1 !== 0n) moves.settle(pool)
      }
      const [first] = disagreeing
      if (first === undefined) return null
      return { reason: `${first[1]} at ${first[0]}`, disagreeing: [...disagreeing.keys()] }
    },
    accept({ ref, events }) {
      const changed = new Map<string, LastPoolState>()
      for (const event of events) {
        if (!isPoolEvent(event)) continue
        const { pool } = event
        const seen = seenOf(event, changed.get(pool) ?? pools.get(pool))
        // Re-inserted so that the map stays ordered by last use.
        changed.delete(pool)
        changed.set(pool, seen)
      }
      pools.add(ref.hash, changed)
    },
    revert: (hash) => pools.revert(hash),
    recordMismatch(learnt, isProven) {
      for (const pool of learnt)
        repeats.set(pool, isProven ? repeatsMax : (repeats.get(pool) ?? 0) + 1)
      trimOldest(repeats, limits.poolsMax)
    },
  }
}

function jumpReason(
  event: PoolEvent,
  seen: LastPoolState,
  limits: PlausibilityLimits,
): string | null {
  if (jumps(event.priceRaw, seen.priceRaw, limits.jumpFactorMax)) return 'the price jumps'
  // The first deposit into an empty pool may have any size.
  if (seen.reserve0 === 0n && seen.reserve1 === 0n) return null
  for (const [now, before, amount] of [
    [event.reserve0, seen.reserve0, amount0Of(event)],
    [event.reserve1, seen.reserve1, amount1Of(event)],
  ] as const) {
    if (now === null || before === null || !hasJumped(now, before, limits.jumpFactorMax)) continue
    // A curve starts empty and ends sold out, so only changes that its trade does not explain are
    // suspicious.
    const isExplained = isCurve(event) && isNear(before + amount, now, limits.disagreementPpmMax)
    if (!isExplained) return 'a reserve jumps'
  }
  return null
}

const amount0Of = (event: PoolEvent) => (event.type === 'sync' ? 0n : event.amount0)
const amount1Of = (event: PoolEvent) => (event.type === 'sync' ? 0n : event.amount1)

function mismatchReason(
  event: PoolEvent,
  seen: LastPoolState,
  { moves, disagreementPpmMax }: { moves: BlockTransfers; disagreementPpmMax: number },
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

/** Returns the reserves of each pool after the last event of the pool in the block. */
export function lastReserves(
  { events }: DecodedBlock,
  pools: readonly string[],
): Pick<LastPoolState, 'reserve0' | 'reserve1'>[] {
  return pools.map((pool) => {
    const last = events.findLast((event) => isPoolEvent(event) && event.pool === pool)
    const { reserve0, reserve1 } = last as PoolEvent
    return { reserve0, reserve1 }
  })
}

type BlockTransfers = {
  add(event: DecodedHolding): void
  /**
   * Since the pool's last event: net amount moved into the pool by token, plus 0 for tokens without
   * transfers, and the pool's reported balances.
   */
  of(pool: string): { moved: bigint[]; told: bigint[] }
  settle(pool: string): void
  /**
   * Largest amount of a single token minted so far in the block: its supply may exceed the known
   * one by this much.
   */
  minted(): bigint
}

/** Tracks transfers and balances of the pools in a block. */
function createBlockTransfers(
  events: readonly DecodedEvent[],
  mintsFrom: string | undefined,
): BlockTransfers {
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

/** Curves trade against partly virtual reserves and keep their fees in another account. */
function isCurve(event: PoolEvent): boolean {
  return event.type === 'swap' && event.curve !== undefined
}

function seenOf(
  { reserve0, reserve1, priceRaw }: PoolEvent,
  before: LastPoolState | undefined,
): LastPoolState {
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
