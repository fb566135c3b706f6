import type { DecodedBlock, DecodedEvent } from '../model/decodedBlock.ts'
import type { PairRecord } from '../model/pair.ts'
import type { ResolvedEvent, ResolvedLaunch, ResolvedLiquidity } from '../model/resolvedBlock.ts'

export type EventLookup = {
  pairOf: (address: string) => PairRecord | undefined
  tokenIdOf: (address: string) => number | undefined
  /** Curves that this block made known without their launch. */
  metCurves: ReadonlySet<string>
}

/** Puts ids in place of addresses. Events of pools that are none, and transfers nobody follows, are left out. */
export function resolveEvents(
  block: DecodedBlock,
  lookup: EventLookup,
): { events: ResolvedEvent[]; droppedCount: number } {
  const events: ResolvedEvent[] = []
  const unlaunched = new Set(lookup.metCurves)
  let droppedCount = 0
  for (const event of block.events) {
    if (event.type === 'pool') {
      const creation = creationOf(event, lookup)
      if (creation) events.push(creation)
      continue
    }
    const launch = unlaunched.size === 0 ? null : standInLaunch(event, unlaunched, lookup)
    if (launch) events.push(launch)
    const resolved = resolveEvent(event, lookup)
    if (resolved) events.push(resolved)
    else if (event.type !== 'transfer') droppedCount++
  }
  return { events, droppedCount }
}

/** A pool begins empty. Only the factory that the pair is known by can say so. */
function creationOf(
  { index, txHash, wallet, factory, pool }: Extract<DecodedEvent, { type: 'pool' }>,
  { pairOf }: EventLookup,
): ResolvedLiquidity | null {
  const pair = pairOf(pool)
  if (pair?.factory !== factory) return null
  const state = { reserve0: 0n, reserve1: 0n, priceRaw: 0 }
  const moved = { kind: 'create' as const, sender: wallet, amount0: 0n, amount1: 0n }
  return { type: 'liquidity', index, txHash, wallet, ...moved, ...state, pair }
}

/** A launch to go before the first event of a curve that was launched unseen: what follows rests on one. */
function standInLaunch(
  event: Exclude<DecodedEvent, { type: 'pool' }>,
  unlaunched: Set<string>,
  { pairOf }: EventLookup,
): ResolvedLaunch | null {
  if (event.type === 'transfer') return null
  const address = event.type === 'graduation' ? event.curve : event.pool
  const pair = pairOf(address)
  if (!pair || !unlaunched.delete(address)) return null
  const { index, txHash, wallet } = event
  return { type: 'launch', index, txHash, wallet, creator: '', pair, tokenId: pair.token0Id }
}

function resolveEvent(
  event: Exclude<DecodedEvent, { type: 'pool' }>,
  { pairOf, tokenIdOf }: EventLookup,
): ResolvedEvent | null {
  if (event.type === 'transfer') {
    const tokenId = tokenIdOf(event.token)
    if (tokenId === undefined) return null
    const { index, from, to, amount } = event
    return { type: 'transfer', index, tokenId, from, to, amount }
  }
  if (event.type === 'graduation') {
    const curve = pairOf(event.curve)
    const pair = pairOf(event.pool)
    if (curve?.kind !== 'curve' || !pair) return null
    const { type, index, txHash, wallet } = event
    const ids = { tokenId: curve.token0Id, curvePairId: curve.id, pairId: pair.id }
    return { type, index, txHash, wallet, ...ids }
  }
  const pair = pairOf(event.pool)
  if (!pair) return null
  switch (event.type) {
    case 'launch': {
      // A platform that is not in the config may name a pool that is.
      if (event.platform !== pair.factory) return null
      const { type, index, txHash, wallet, creator } = event
      return { type, index, txHash, wallet, creator, pair, tokenId: pair.token0Id }
    }
    case 'curve': {
      const { type, index, filledPpm } = event
      return { type, index, filledPpm, pairId: pair.id }
    }
    case 'sync': {
      const { type, index, txHash, wallet, reserve0, reserve1, priceRaw } = event
      return { type, index, txHash, wallet, reserve0, reserve1, priceRaw, pair }
    }
    case 'liquidity': {
      const { type, index, txHash, wallet, kind, sender, amount0, amount1 } = event
      const { reserve0, reserve1, priceRaw } = event
      const amounts = { amount0, amount1, reserve0, reserve1, priceRaw }
      return { type, index, txHash, wallet, kind, sender, ...amounts, pair }
    }
    case 'swap': {
      const { type, index, txHash, wallet, sender, to, amount0, amount1 } = event
      const { reserve0, reserve1, priceRaw } = event
      const amounts = { amount0, amount1, reserve0, reserve1, priceRaw }
      return { type, index, txHash, wallet, sender, to, ...amounts, pair }
    }
  }
}
