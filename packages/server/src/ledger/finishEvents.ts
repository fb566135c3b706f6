import type { PoolState } from '../model/decodedBlock.ts'
import {
  accountChangeFlag,
  type FinishedEvent,
  type FinishedLiquidity,
  type FinishedState,
  type FinishedSwap,
  type FinishedSync,
} from '../model/finishedBlock.ts'
import { type PairRecord, pairReserveAccount } from '../model/pair.ts'
import type {
  ResolvedBalance,
  ResolvedBlock,
  ResolvedEvent,
  ResolvedLiquidity,
  ResolvedReserveChange,
  ResolvedSwap,
} from '../model/resolvedBlock.ts'
import type { FindVenueMath, PoolAmounts } from '../model/venueMath.ts'
import type { BalanceEntry, LedgerPoolState } from './caches.ts'
import type { LedgerState } from './ledgerState.ts'

const none: readonly bigint[] = []
/** Number of bits by which the account flags of token1 are shifted from those of token0. */
const token1Bits = Math.log2(accountChangeFlag.token1New / accountChangeFlag.token0New)
/** State of a pool that was created without liquidity. */
const emptyState: FinishedState = { reserve0: 0n, reserve1: 0n, priceRaw: 0 }

type FinishContext = { state: LedgerState; block: ResolvedBlock; math: FindVenueMath }

/**
 * Traders of the current transaction: their balances before it, and what it did to their token
 * accounts on chains that have such accounts.
 */
type Traders = {
  before: Map<BalanceEntry, bigint>
  accounts: Map<BalanceEntry, ResolvedBalance['accounts']>
}

/**
 * Walks through a block's events in order, moves balances, and adds to each event the state it
 * leaves behind.
 */
export function finishEvents(context: FinishContext): FinishedEvent[] {
  const { state, block } = context
  const traderStarts = findTraderStarts(block.events)
  const traders: Traders = { before: new Map(), accounts: new Map() }
  const finished: FinishedEvent[] = []
  for (const [position, event] of block.events.entries()) {
    const starting = traderStarts.get(position)
    if (starting) {
      traders.before.clear()
      traders.accounts.clear()
      for (const swap of starting)
        for (const entry of traderEntries(state, swap)) traders.before.set(entry, entry.amount)
    }
    if (event.type === 'transfer') state.transfer(event)
    else if (event.type === 'balance') {
      state.setBalance(event)
      traders.accounts.set(state.entryOf(event.tokenId, event.owner), event.accounts)
    } else if (event.type === 'flow') state.movePool(event.tokenId, event.account, event.amount)
    else if (event.type === 'reserve_change') finished.push(...finishReserveChange(context, event))
    else if (event.type === 'liquidity') finished.push(...finishLiquidity(context, event))
    else finished.push(finishEvent(context, event, traders))
  }
  return finished
}

function finishEvent(
  context: FinishContext,
  event: Exclude<
    ResolvedEvent,
    { type: 'transfer' | 'balance' | 'flow' | 'reserve_change' | 'liquidity' }
  >,
  traders: Traders,
): FinishedEvent {
  switch (event.type) {
    case 'swap':
      return finishSwap(context, event, traders)
    case 'sync': {
      const { index, pair } = event
      return { type: 'sync', index, pairId: pair.id, ...finishState(context, event, pair) }
    }
    case 'launch': {
      const { index, txHash, wallet, creator, tokenId, pair } = event
      return { type: 'launch', index, txHash, wallet, creator, tokenId, pairId: pair.id }
    }
    default:
      return event
  }
}

/**
 * Finishes a liquidity change. The log has no state for a creation, so a sync with the initial
 * state precedes it.
 */
function finishLiquidity(
  context: FinishContext,
  event: ResolvedLiquidity,
): (FinishedLiquidity | FinishedSync)[] {
  const { index, txHash, wallet, kind, sender, pair } = event
  const { amount0, amount1 } = amountsOf(context, event)
  const isIn = kind === 'add' || kind === 'create'
  const [moved0, moved1] = isIn ? [amount0, amount1] : [-amount0, -amount1]
  moveInVault(context, event, { amount0: moved0, amount1: moved1 })
  const isEmpty = kind === 'create' && amount0 === 0n && amount1 === 0n
  const after = isEmpty ? emptyState : finishState(context, event, pair)
  const origin = { index, txHash, wallet, kind, sender, amount0, amount1 }
  const pairId = pair.id
  const finished: FinishedLiquidity = { type: 'liquidity', pairId, ...origin, ...after }
  if (kind !== 'create' || isEmpty) return [finished]
  return [{ type: 'sync', index, pairId, ...after }, finished]
}

/**
 * Amounts of a liquidity event. If the event has none, its venue computes them from the event's
 * numbers.
 */
function amountsOf(
  { state, math }: FinishContext,
  { amount0, amount1, told, pair }: ResolvedLiquidity,
): { amount0: bigint; amount1: bigint } {
  if (told === undefined || amount0 !== 0n || amount1 !== 0n) return { amount0, amount1 }
  const before = { told: state.pools.get(pair.id)?.venueState ?? none, params: pair.params }
  return math(pair.venue)?.amountsOf?.(told, before) ?? { amount0, amount1 }
}

/**
 * Moves the balances of a pool inside a vault. `amounts` are positive if the pool receives tokens.
 */
function moveInVault(
  { state, math }: FinishContext,
  { pair, told }: Pick<ResolvedSwap | ResolvedLiquidity, 'pair' | 'told'>,
  amounts: PoolAmounts,
): void {
  if (pair.kind !== 'vault') return
  const kept = (told && math(pair.venue)?.reserveAmountsOf?.(amounts, told, pair)) ?? amounts
  const account = pairReserveAccount(pair)
  state.movePool(pair.token0Id, account, kept.amount0)
  state.movePool(pair.token1Id, account, kept.amount1)
}

/**
 * Finishes a plain transfer to or from a pool as a sync. Returns nothing if the pool's reserves are
 * unknown; the last reported state then holds.
 */
function finishReserveChange(
  context: FinishContext,
  { index, pair }: ResolvedReserveChange,
): FinishedEvent[] {
  const { state, block } = context
  const tokenIds = [pair.token0Id, pair.token1Id]
  if (tokenIds.some((tokenId) => poolBalance(state, tokenId, pair) === null)) return []
  if (isUnknown(state, block, pair)) return []
  const balances = { reserve0: null, reserve1: null, priceRaw: null }
  return [{ type: 'sync', index, pairId: pair.id, ...finishState(context, balances, pair) }]
}

function finishSwap(context: FinishContext, event: ResolvedSwap, traders: Traders): FinishedSwap {
  const { state, block } = context
  const { index, txHash, wallet, sender, to, amount0, amount1, pair, traderAfter } = event
  moveInVault(context, event, { amount0, amount1 })
  const [entry0, entry1] = traderEntries(state, event)
  const counted0 = holdingOf(state, entry0)
  const counted1 = holdingOf(state, entry1)
  const accountFlags =
    accountFlagsOf(traders, entry0, counted0) |
    (accountFlagsOf(traders, entry1, counted1) << token1Bits)
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
    ...finishState(context, event, pair),
    // Counted holdings include accounts of the trader that the transaction does not name.
    holding0: counted0 ?? traderAfter?.holding0 ?? null,
    holding1: counted1 ?? traderAfter?.holding1 ?? null,
    native: traderAfter?.native ?? block.natives.get(wallet) ?? null,
    accountFlags,
  }
}

/**
 * Flags of a trader's account of one token: opened or closed by the swap. They are in the bits of
 * token0; the caller shifts those of token1.
 */
function accountFlagsOf(
  { before, accounts }: Traders,
  entry: BalanceEntry,
  holding: bigint | null,
): number {
  let flags = 0
  const had = before.get(entry) ?? entry.amount
  const reported = accounts.get(entry)
  const isFirst = holding !== null && had === 0n && holding > 0n
  if (reported?.isOpened ?? isFirst) flags |= accountChangeFlag.token0New
  if (reported?.isClosed) flags |= accountChangeFlag.token0Closed
  if (holding === 0n && had > 0n) flags |= accountChangeFlag.token0Cleared
  return flags
}

function finishState(context: FinishContext, event: PoolState, pair: PairRecord): FinishedState {
  const { state, block, math } = context
  const last = state.pools.get(pair.id)
  let reserve0 = 0n
  let reserve1 = 0n
  const isKnown =
    event.reserve0 !== null || event.reserve1 !== null || !isUnknown(state, block, pair)
  if (isKnown) {
    reserve0 = event.reserve0 ?? poolBalance(state, pair.token0Id, pair) ?? last?.reserve0 ?? 0n
    reserve1 = event.reserve1 ?? poolBalance(state, pair.token1Id, pair) ?? last?.reserve1 ?? 0n
    if (block.unknownPools.has(pair.id)) state.newlyKnownPools.add(pair.id)
  }
  const venueState =
    event.told === undefined
      ? last?.venueState
      : (math(pair.venue)?.toldAfter?.(event.told, last?.venueState ?? none) ?? event.told)
  const after = { reserve0, reserve1, venueState }
  const priceRaw = priceAfter(context, event, pair, after) ?? last?.priceRaw ?? 0
  state.setLastState(pair.id, { ...after, priceRaw })
  return { reserve0, reserve1, priceRaw }
}

/**
 * Price after an event: from the event, or by the formula of the pair's venue if that needs pool
 * parameters.
 */
function priceAfter(
  { state, block, math }: FinishContext,
  event: PoolState,
  pair: PairRecord,
  { reserve0, reserve1, venueState = none }: Omit<LedgerPoolState, 'priceRaw'>,
): number | null {
  const venue = math(pair.venue)
  if (!venue?.priceAfter) return event.priceRaw
  const others = pair.otherIds.map((tokenId) => poolBalance(state, tokenId, pair) ?? 0n)
  const { timeS } = block.ref
  return venue.priceAfter({
    reserve0,
    reserve1,
    others,
    told: venueState,
    params: pair.params,
    timeS,
  })
}

/**
 * Whether the reserves of a pool are unknown: nothing has reported them, and earlier transfers of
 * at least one of its tokens are not counted.
 */
function isUnknown(state: LedgerState, block: ResolvedBlock, pair: PairRecord): boolean {
  if (!block.unknownPools.has(pair.id)) return false
  // Transfers do not show what a pool has inside a vault.
  if (pair.kind === 'vault') return true
  const account = pairReserveAccount(pair)
  return [pair.token0Id, pair.token1Id].some(
    (tokenId) => holdingOf(state, state.entryOf(tokenId, account)) === null,
  )
}

function poolBalance(state: LedgerState, tokenId: number, pair: PairRecord): bigint | null {
  const entry = state.entryOf(tokenId, pairReserveAccount(pair))
  return entry.stored === null ? null : entry.amount
}

/**
 * A holding by counted transfers. Null if the store has not answered or earlier holders are not
 * counted yet.
 */
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
 * Swaps by the index of the event at which their transaction begins, with its transfers and
 * balances.
 */
function findTraderStarts(events: readonly ResolvedEvent[]): Map<number, ResolvedSwap[]> {
  const starts = new Map<number, ResolvedSwap[]>()
  let txHash: string | null = null
  let start = 0
  for (const [position, event] of events.entries()) {
    if (!('txHash' in event)) continue
    if (event.txHash !== txHash) {
      txHash = event.txHash
      start = position
    }
    if (event.type !== 'swap') continue
    const swaps = starts.get(start)
    if (swaps) swaps.push(event)
    else starts.set(start, [event])
  }
  return starts
}
