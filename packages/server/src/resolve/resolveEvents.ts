import {
  type DecodedBlock,
  type DecodedEvent,
  type DecodedGraduation,
  type DecodedHolding,
  type DecodedPool,
  type DecodedSync,
  type DecodedVaultFlow,
  isHoldingEvent,
  type PoolReference,
} from '../model/decodedBlock.ts'
import { type PairRecord, pairReserveAccount } from '../model/pair.ts'
import type {
  ResolvedEvent,
  ResolvedLaunch,
  ResolvedLiquidity,
  ResolvedSync,
  ResolvedVaultFlow,
} from '../model/resolvedBlock.ts'

type EventLookup = {
  pairOf: (mention: PoolReference) => PairRecord | undefined
  /** Returns all pairs of a pool: one, or several if the pool has more than two tokens. */
  pairsOf: (pool: string) => readonly PairRecord[]
  tokenIdOf: (address: string) => number | undefined
  /** Addresses of curves that this block discovered without a launch event. */
  discoveredCurves: ReadonlySet<string>
}

/**
 * Replaces addresses by ids. Drops events of contracts that are not pools, and holder changes of
 * unknown tokens.
 */
export function resolveEvents(
  block: DecodedBlock,
  lookup: EventLookup,
): { events: ResolvedEvent[]; droppedCount: number } {
  const events: ResolvedEvent[] = []
  const unlaunched = new Set(lookup.discoveredCurves)
  let droppedCount = 0
  for (const event of block.events) {
    if (event.type === 'pool') {
      const creation = isCreatedWithLiquidity(event, block) ? null : creationOf(event, lookup)
      if (creation) events.push(creation)
      continue
    }
    const launch = unlaunched.size === 0 ? null : missedLaunchOf(event, unlaunched, lookup)
    if (launch) events.push(launch)
    if (event.type === 'flow') {
      const flow = flowOf(event, lookup)
      if (flow) events.push(flow)
      continue
    }
    const resolved = resolveEvent(event, lookup)
    if (resolved) events.push(resolved)
    else if (event.type === 'sync' && event.couple === undefined)
      // An event about a pool as a whole applies to each of its pairs.
      for (const pair of lookup.pairsOf(event.pool)) {
        if (belongsTo(pair, event)) events.push(resolveSync(event, pair))
      }
    else if (!isHoldingEvent(event)) droppedCount++
  }
  return { events, droppedCount }
}

/**
 * True if the block also has the pool's first liquidity event. That event is reported as the
 * creation; an empty one before it would be a duplicate row.
 */
function isCreatedWithLiquidity({ pool }: DecodedPool, { events }: DecodedBlock): boolean {
  return events.some(
    (event) => event.type === 'liquidity' && event.kind === 'create' && event.pool === pool,
  )
}

/** Returns the creation event of an empty pool; null unless the pair's own factory emitted it. */
function creationOf(
  { index, txHash, wallet, factory, pool }: Extract<DecodedEvent, { type: 'pool' }>,
  { pairOf }: EventLookup,
): ResolvedLiquidity | null {
  const pair = pairOf({ pool })
  if (pair?.factory !== factory) return null
  const state = { reserve0: 0n, reserve1: 0n, priceRaw: 0 }
  const moved = { kind: 'create' as const, sender: wallet, amount0: 0n, amount1: 0n }
  return { type: 'liquidity', index, txHash, wallet, ...moved, ...state, pair }
}

/**
 * Returns a launch event to insert before the first event of a curve whose launch was missed: later
 * stages expect a launch first.
 */
function missedLaunchOf(
  event: Exclude<DecodedEvent, { type: 'pool' }>,
  unlaunched: Set<string>,
  { pairOf }: EventLookup,
): ResolvedLaunch | null {
  if (isHoldingEvent(event) || event.type === 'flow') return null
  const address = event.type === 'graduation' ? event.curve : event.pool
  const pair = pairOf({ pool: address })
  if (!pair || !unlaunched.delete(address)) return null
  const { index, txHash, wallet } = event
  return { type: 'launch', index, txHash, wallet, creator: '', pair, tokenId: pair.token0Id }
}

function resolveEvent(
  event: Exclude<DecodedEvent, { type: 'pool' | 'flow' }>,
  { pairOf, tokenIdOf }: EventLookup,
): ResolvedEvent | null {
  if (isHoldingEvent(event)) {
    const tokenId = tokenIdOf(event.token)
    if (tokenId === undefined) return null
    const { index, txHash, amount } = event
    if (event.type === 'balance') {
      const { type, owner, before, accounts, isHidden } = event
      return { type, index, txHash, tokenId, owner, amount, before, accounts, isHidden }
    }
    const { from, to } = event
    return { type: 'transfer', index, txHash, tokenId, from, to, amount }
  }
  if (event.type === 'graduation') {
    const curve = pairOf({ pool: event.curve })
    const pair = pairOf({ pool: event.pool })
    if (curve?.kind !== 'curve' || !pair) return null
    const { type, index, txHash, wallet } = event
    const ids = { tokenId: curve.token0Id, curvePairId: curve.id, pairId: pair.id }
    return { type, index, txHash, wallet, ...ids }
  }
  const pair = pairOf(event)
  if (!pair || !belongsTo(pair, event)) return null
  switch (event.type) {
    case 'launch': {
      // A platform outside the config could name a configured one's pool, so only the pair's own
      // platform counts.
      const isTrue = event.isInPool ? pair.platform !== null : event.platform === pair.factory
      const tokenId = event.isInPool ? tokenIdOf(event.token0) : pair.token0Id
      if (!isTrue || tokenId === undefined) return null
      const { type, index, txHash, wallet, creator } = event
      return { type, index, txHash, wallet, creator, pair, tokenId }
    }
    case 'curve': {
      const { type, index, filledPpm } = event
      return { type, index, filledPpm, pairId: pair.id }
    }
    case 'sync':
      return resolveSync(event, pair)
    case 'liquidity': {
      const { type, index, txHash, wallet, kind, sender, amount0, amount1 } = event
      const { reserve0, reserve1, priceRaw, told } = event
      const amounts = { amount0, amount1, reserve0, reserve1, priceRaw, told }
      return { type, index, txHash, wallet, kind, sender, ...amounts, pair }
    }
    case 'swap': {
      const { type, index, txHash, wallet, sender, to, amount0, amount1 } = event
      const { reserve0, reserve1, priceRaw, told, traderAfter } = event
      const amounts = { amount0, amount1, reserve0, reserve1, priceRaw, told }
      return { type, index, txHash, wallet, sender, to, ...amounts, traderAfter, pair }
    }
  }
}

function resolveSync(event: DecodedSync, pair: PairRecord): ResolvedSync {
  const { type, index, txHash, wallet, reserve0, reserve1, priceRaw, told } = event
  return { type, index, txHash, wallet, reserve0, reserve1, priceRaw, told, pair }
}

/** Resolves a vault flow; null if the pool has no known pair or the token is unknown. */
function flowOf(
  event: DecodedVaultFlow,
  { pairsOf, tokenIdOf }: EventLookup,
): ResolvedVaultFlow | null {
  const { type, index, txHash, amount, pool } = event
  const pair = pairsOf(pool).find((known) => belongsTo(known, event))
  const tokenId = tokenIdOf(event.token)
  if (!pair || tokenId === undefined) return null
  return { type, index, txHash, pool, account: pairReserveAccount(pair), tokenId, amount }
}

/**
 * Checks that an event belongs to a pair: other venues use the same event, and any contract can
 * emit one that names a pool.
 */
function belongsTo(
  pair: PairRecord,
  event: Exclude<DecodedEvent, DecodedHolding | DecodedGraduation>,
) {
  if ('manager' in event && event.manager !== undefined && event.manager !== pair.factory)
    return false
  return !('venues' in event) || event.venues === undefined || event.venues.includes(pair.venue)
}
