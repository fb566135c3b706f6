import type { PoolState } from '../model/decodedBlock.ts'
import {
  accountFlag,
  type FinishedEvent,
  type FinishedState,
  type FinishedSwap,
} from '../model/finishedBlock.ts'
import type { PairRecord } from '../model/pair.ts'
import type {
  ResolvedBlock,
  ResolvedEvent,
  ResolvedShift,
  ResolvedSwap,
} from '../model/resolvedBlock.ts'
import type { BalanceEntry } from './balanceBook.ts'
import type { LedgerState } from './ledgerState.ts'

/** A pool that was just made has said nothing of itself yet. */
const emptyState: FinishedState = { reserve0: 0n, reserve1: 0n, priceRaw: 0 }

/** Walks a block's events in order, moves balances, and writes into each event what it left behind. */
export function finishEvents(state: LedgerState, block: ResolvedBlock): FinishedEvent[] {
  const traderStarts = findTraderStarts(block.events)
  const balancesBefore = new Map<BalanceEntry, bigint>()
  const finished: FinishedEvent[] = []
  for (const [position, event] of block.events.entries()) {
    const starting = traderStarts.get(position)
    if (starting) {
      balancesBefore.clear()
      for (const swap of starting)
        for (const entry of traderEntries(state, swap)) balancesBefore.set(entry, entry.amount)
    }
    if (event.type === 'transfer') state.transfer(event)
    else if (event.type === 'shift') finished.push(...finishShift(state, block, event))
    else finished.push(finishEvent(state, block, event, balancesBefore))
  }
  return finished
}

function finishEvent(
  state: LedgerState,
  block: ResolvedBlock,
  event: Exclude<ResolvedEvent, { type: 'transfer' | 'shift' }>,
  balancesBefore: ReadonlyMap<BalanceEntry, bigint>,
): FinishedEvent {
  switch (event.type) {
    case 'swap':
      return finishSwap(state, block, event, balancesBefore)
    case 'liquidity': {
      const { index, txHash, wallet, kind, sender, amount0, amount1, pair } = event
      const origin = { index, txHash, wallet, kind, sender, amount0, amount1 }
      const after = kind === 'create' ? emptyState : finishState(state, block, event, pair)
      return { type: 'liquidity', pairId: pair.id, ...origin, ...after }
    }
    case 'sync': {
      const { index, pair } = event
      return { type: 'sync', index, pairId: pair.id, ...finishState(state, block, event, pair) }
    }
    case 'launch': {
      const { index, txHash, wallet, creator, tokenId, pair } = event
      return { type: 'launch', index, txHash, wallet, creator, tokenId, pairId: pair.id }
    }
    default:
      return event
  }
}

/** None where nobody told what the pool has: what was said of it last then stands. */
function finishShift(
  state: LedgerState,
  block: ResolvedBlock,
  { index, pair }: ResolvedShift,
): FinishedEvent[] {
  const tokenIds = [pair.token0Id, pair.token1Id]
  if (tokenIds.some((tokenId) => poolBalance(state, tokenId, pair) === null)) return []
  if (isUnknown(state, block, pair)) return []
  const balances = { reserve0: null, reserve1: null, priceRaw: null }
  return [{ type: 'sync', index, pairId: pair.id, ...finishState(state, block, balances, pair) }]
}

function finishSwap(
  state: LedgerState,
  block: ResolvedBlock,
  event: ResolvedSwap,
  balancesBefore: ReadonlyMap<BalanceEntry, bigint>,
): FinishedSwap {
  const { index, txHash, wallet, sender, to, amount0, amount1, pair } = event
  const [entry0, entry1] = traderEntries(state, event)
  const holding0 = holdingOf(state, entry0)
  const holding1 = holdingOf(state, entry1)
  let accountFlags = 0
  if (holding0 !== null) {
    const before = balancesBefore.get(entry0) ?? entry0.amount
    if (before === 0n && holding0 > 0n) accountFlags |= accountFlag.token0New
    if (before > 0n && holding0 === 0n) accountFlags |= accountFlag.token0Cleared
  }
  if (holding1 !== null) {
    const before = balancesBefore.get(entry1) ?? entry1.amount
    if (before === 0n && holding1 > 0n) accountFlags |= accountFlag.token1New
    if (before > 0n && holding1 === 0n) accountFlags |= accountFlag.token1Cleared
  }
  return {
    type: 'swap',
    index,
    txHash,
    wallet,
    pairId: pair.id,
    sender,
    to,
    amount0,
    amount1,
    ...finishState(state, block, event, pair),
    holding0,
    holding1,
    native: block.natives.get(wallet) ?? null,
    accountFlags,
  }
}

function finishState(
  state: LedgerState,
  block: ResolvedBlock,
  event: PoolState,
  pair: PairRecord,
): FinishedState {
  const last = state.pools.get(pair.id)
  let reserve0 = 0n
  let reserve1 = 0n
  if (event.reserve0 !== null || event.reserve1 !== null || !isUnknown(state, block, pair)) {
    reserve0 = event.reserve0 ?? poolBalance(state, pair.token0Id, pair) ?? last?.reserve0 ?? 0n
    reserve1 = event.reserve1 ?? poolBalance(state, pair.token1Id, pair) ?? last?.reserve1 ?? 0n
    if (block.unknownPools.has(pair.id)) state.toldPools.add(pair.id)
  }
  const ratio =
    pair.kind === 'constantProduct' && reserve0 > 0n ? Number(reserve1) / Number(reserve0) : 0
  const priceRaw = event.priceRaw ?? last?.priceRaw ?? ratio
  state.setLastState(pair.id, { reserve0, reserve1, priceRaw })
  return { reserve0, reserve1, priceRaw }
}

/** Nobody told what the pool held before, and of one of its tokens at least the transfers from before are not counted. */
function isUnknown(state: LedgerState, block: ResolvedBlock, pair: PairRecord): boolean {
  if (!block.unknownPools.has(pair.id)) return false
  const { token0Id, token1Id, address } = pair
  return [token0Id, token1Id].some(
    (tokenId) => holdingOf(state, state.entryOf(tokenId, address)) === null,
  )
}

function poolBalance(state: LedgerState, tokenId: number, pair: PairRecord): bigint | null {
  const entry = state.entryOf(tokenId, pair.address)
  return entry.stored === null ? null : entry.amount
}

/** Null where transfers alone do not tell: the store did not answer, or earlier holders are not counted yet. */
function holdingOf(state: LedgerState, entry: BalanceEntry): bigint | null {
  if (entry.stored === null) return null
  const supply = state.supplies.get(entry.tokenId)
  return supply?.isKnown && supply.isComplete ? entry.amount : null
}

function traderEntries(state: LedgerState, swap: ResolvedSwap): [BalanceEntry, BalanceEntry] {
  const { pair, wallet } = swap
  return [state.entryOf(pair.token0Id, wallet), state.entryOf(pair.token1Id, wallet)]
}

/**
 * Where each swap's transaction begins: right after the last event of another transaction. Transfers
 * carry no transaction, so those of one without any market event count to the one after it.
 */
function findTraderStarts(events: readonly ResolvedEvent[]): Map<number, ResolvedSwap[]> {
  const starts = new Map<number, ResolvedSwap[]>()
  let txHash: string | null = null
  let start = 0
  let end = 0
  for (const [position, event] of events.entries()) {
    if (!('txHash' in event)) continue
    if (event.txHash !== txHash) {
      txHash = event.txHash
      start = end
    }
    end = position + 1
    if (event.type !== 'swap') continue
    const swaps = starts.get(start)
    if (swaps) swaps.push(event)
    else starts.set(start, [event])
  }
  return starts
}
