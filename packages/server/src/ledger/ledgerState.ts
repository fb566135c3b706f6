import assert from 'node:assert'
import type { ChainProfile } from '../model/chainProfile.ts'
import { balanceInOtherAccounts } from '../model/decodedBlock.ts'
import { isVaultPoolAccount, type PairRecord, pairReserveAccount } from '../model/pair.ts'
import type {
  InitialPoolState,
  ResolvedBalance,
  ResolvedEvent,
  ResolvedTransfer,
  ScannedHolders,
} from '../model/resolvedBlock.ts'
import {
  BalanceCache,
  type BalanceEntry,
  emptySupply,
  type LedgerPoolState,
  PoolStateCache,
  SupplyCache,
  type SupplyPart,
  type SupplyState,
  supplyPartsOf,
} from './caches.ts'

/** Balances, supplies and last pool states, with what the current block changed of them. */
export class LedgerState {
  readonly balances = new BalanceCache()
  readonly supplies = new SupplyCache()
  readonly pools: PoolStateCache
  readonly zeroAddress: string
  /** Balances that the current block touched, each once. */
  readonly touched: BalanceEntry[] = []
  readonly touchedSupplies: SupplyState[] = []
  readonly touchedPools = new Map<number, LedgerPoolState | null>()
  /** Pools whose balances became known with the current block, as far as blocks reported them. */
  readonly newlyKnownPools = new Set<number>()
  /**
   * Amounts sent to the zero address, by token: in the current block, or earlier for tokens that it
   * discovered.
   */
  readonly sentToZero = new Map<number, bigint>()
  contradictionCount = 0
  #stamp = 0
  readonly #parts: ReadonlyMap<string, SupplyPart>

  constructor(profile: ChainProfile, poolsMax: number) {
    const zeroAddress = profile.burnAddresses[0]
    assert(zeroAddress !== undefined, 'the chain profile has a zero address')
    this.zeroAddress = zeroAddress
    this.pools = new PoolStateCache(poolsMax)
    this.#parts = supplyPartsOf(profile)
  }

  begin(): void {
    this.#stamp++
    this.touched.length = 0
    this.touchedSupplies.length = 0
    this.touchedPools.clear()
    this.newlyKnownPools.clear()
    this.sentToZero.clear()
  }

  /** Adds a token that the current block discovered, without holders. */
  addToken(tokenId: number): void {
    this.balances.dropToken(tokenId)
    this.supplies.drop(tokenId)
    const supply = this.supplies.add(tokenId, { ...emptySupply(tokenId), isComplete: false })
    supply.stamp = this.#stamp
    this.touchedSupplies.push(supply)
  }

  /** Finds a balance. All balances that a block may need are loaded before its first event. */
  entryOf(tokenId: number, wallet: string): BalanceEntry {
    const entry = this.balances.get(tokenId, wallet)
    assert(entry, 'a balance was not loaded before its block')
    return entry
  }

  touch(entry: BalanceEntry): void {
    if (entry.stamp === this.#stamp) return
    entry.stamp = this.#stamp
    entry.before = entry.amount
    this.touched.push(entry)
  }

  touchSupply(tokenId: number): SupplyState {
    const supply = this.supplies.get(tokenId)
    assert(supply, 'a supply was not loaded before its block')
    if (supply.stamp !== this.#stamp) {
      supply.stamp = this.#stamp
      supply.before = supply.read()
      this.supplies.use(supply)
      this.touchedSupplies.push(supply)
    }
    return supply
  }

  setLastState(pairId: number, state: LedgerPoolState): void {
    if (!this.touchedPools.has(pairId))
      this.touchedPools.set(pairId, this.pools.get(pairId) ?? null)
    this.pools.set(pairId, state)
  }

  transfer({ tokenId, from, to, amount }: ResolvedTransfer): void {
    const supply = this.touchSupply(tokenId)
    if (from === this.zeroAddress) supply.total += amount
    else {
      const entry = this.entryOf(tokenId, from)
      this.#set(entry, supply, this.#clamp(entry, supply, entry.amount - amount))
    }
    if (to === this.zeroAddress) {
      supply.total -= amount
      if (supply.total < 0n && supply.isKnown) supply.total = 0n
      this.sentToZero.set(tokenId, (this.sentToZero.get(tokenId) ?? 0n) + amount)
    } else {
      const entry = this.entryOf(tokenId, to)
      this.#set(entry, supply, entry.amount + amount)
    }
  }

  /**
   * Moves the balance of a pool inside a vault, by the pool's own events. Transfers move only the
   * vault's balance.
   */
  movePool(tokenId: number, account: string, amount: bigint): void {
    if (amount === 0n) return
    const entry = this.entryOf(tokenId, account)
    // The account may be negative until its first state is seeded, which also reports its balance
    // for the first time.
    this.#set(entry, this.touchSupply(tokenId), entry.amount + amount)
  }

  /**
   * Sets the balance of an owner. If all holders are counted, the total changes with it; otherwise
   * the amount may be old, so the total stays. The replaced balance must be known, or a revert
   * could not restore it.
   */
  setBalance(event: ResolvedBalance): void {
    const { tokenId, owner } = event
    if (owner === this.zeroAddress) return
    const supply = this.touchSupply(tokenId)
    const entry = this.entryOf(tokenId, owner)
    // Before the total follows: hidden amounts still belong to some holder.
    if (event.isHidden) this.#contradict(supply)
    if (entry.stored === null) {
      this.#contradict(supply)
      return
    }
    const amount = event.amount + balanceInOtherAccounts(event, entry.amount)
    if (supply.isComplete) supply.total += amount - entry.amount
    this.#set(entry, supply, amount)
  }

  /** Whether the balances to be replaced are known. A revert could not restore unknown ones. */
  canReplaceHolders({ tokenId, balances }: ScannedHolders): boolean {
    if (!this.supplies.get(tokenId)?.isKnown) return false
    for (const wallet of balances.keys())
      if (this.entryOf(tokenId, wallet).stored === null) return false
    return true
  }

  /** Replaces the balances counted so far by all holders of a token, from its transfer history. */
  replaceHolders(history: ScannedHolders): void {
    const supply = this.touchSupply(history.tokenId)
    supply.set(emptySupply(history.tokenId))
    for (const [wallet, amount] of history.balances) {
      const entry = this.entryOf(history.tokenId, wallet)
      this.touch(entry)
      entry.amount = 0n
      supply.total += amount
      this.#set(entry, supply, this.#clamp(entry, supply, amount))
    }
    this.sentToZero.set(history.tokenId, history.voided)
    if (history.totalSupply !== null) this.setTotal(history.tokenId, history.totalSupply, true)
    if (history.isContradicted) this.#contradict(supply)
  }

  /**
   * Sets the total supply that a token reports. If transfers do not add up to it, some holders got
   * tokens without a transfer. A difference proves that only if `isVoidedKnown`.
   */
  setTotal(tokenId: number, totalSupply: bigint, isVoidedKnown: boolean): void {
    const supply = this.touchSupply(tokenId)
    if (!supply.isKnown) return
    const withVoided = supply.total + (this.sentToZero.get(tokenId) ?? 0n)
    const isSame = supply.total === totalSupply || withVoided === totalSupply
    if (supply.isComplete && (isSame || !isVoidedKnown)) return
    this.#contradict(supply)
    supply.total = totalSupply
  }

  /** Sets what a pool held before the block, as the chain reports it. */
  seedPool(state: InitialPoolState): void {
    const { pair } = state
    if (state.wasUnknown) this.newlyKnownPools.add(pair.id)
    const account = pairReserveAccount(pair)
    this.#seedReserve(pair.token0Id, account, state.reserve0)
    this.#seedReserve(pair.token1Id, account, state.reserve1)
    for (const [i, tokenId] of pair.otherIds.entries())
      this.#seedReserve(tokenId, account, state.reserveOthers?.[i] ?? null)
    this.setLastState(pair.id, {
      reserve0: state.reserve0 ?? 0n,
      reserve1: state.reserve1 ?? 0n,
      priceRaw: state.priceRaw ?? this.pools.get(pair.id)?.priceRaw ?? null,
      venueState: state.told ?? this.pools.get(pair.id)?.venueState,
    })
  }

  /** Takes the store's answer for a balance that changed before the answer arrived. */
  applyStored(entry: BalanceEntry, stored: bigint): void {
    const added = entry.amount
    entry.stored = stored
    entry.amount = stored
    if (added === 0n) return
    const supply = this.supplies.get(entry.tokenId)
    assert(supply, 'a supply was not loaded before its block')
    const part = this.#parts.get(entry.wallet)
    // Burnt, locked and other amounts already include the change. Only the holder count and the
    // floor at zero waited for the answer.
    if (part) supply[part] -= added
    this.#assign(entry, supply, this.#clamp(entry, supply, stored + added))
  }

  /** Reverts a change of a balance that was unknown before it. */
  revert(entry: BalanceEntry, added: bigint): void {
    const supply = this.supplies.get(entry.tokenId)
    const before = entry.amount - added
    if (entry.stored !== null && supply) countHolder(entry, supply, before)
    entry.amount = before
  }

  #seedReserve(tokenId: number, pool: string, reserve: bigint | null): void {
    const entry = this.entryOf(tokenId, pool)
    if (reserve === null || entry.stored === null || entry.amount === reserve) return
    const supply = this.touchSupply(tokenId)
    if (!isVaultPoolAccount(pool)) this.#contradict(supply)
    this.#set(entry, supply, reserve)
  }

  #set(entry: BalanceEntry, supply: SupplyState, amount: bigint): void {
    this.touch(entry)
    this.#assign(entry, supply, amount)
  }

  #assign(entry: BalanceEntry, supply: SupplyState, amount: bigint): void {
    if (entry.stored !== null) countHolder(entry, supply, amount)
    const part = this.#parts.get(entry.wallet)
    if (part) supply[part] += amount - entry.amount
    entry.amount = amount
  }

  #clamp(entry: BalanceEntry, supply: SupplyState, amount: bigint): bigint {
    if (amount >= 0n || entry.stored === null) return amount
    this.#contradict(supply)
    return 0n
  }

  #contradict(supply: SupplyState): void {
    if (!supply.isComplete) return
    supply.isComplete = false
    this.contradictionCount++
  }
}

function countHolder(entry: BalanceEntry, supply: SupplyState, amount: bigint): void {
  if (isVaultPoolAccount(entry.wallet)) return
  if (entry.amount > 0n && amount <= 0n) supply.holders--
  else if (entry.amount <= 0n && amount > 0n) supply.holders++
}

/** Visits the keys of all balances that an event may read or change. */
export function visitBalanceKeys(
  event: ResolvedEvent,
  visit: (tokenId: number, wallet: string) => void,
): void {
  switch (event.type) {
    case 'transfer':
      visit(event.tokenId, event.from)
      visit(event.tokenId, event.to)
      return
    case 'balance':
      visit(event.tokenId, event.owner)
      return
    case 'swap':
      visit(event.pair.token0Id, event.wallet)
      visit(event.pair.token1Id, event.wallet)
      break
    case 'flow':
      visit(event.tokenId, event.account)
      return
    case 'reserve_change':
      visitPoolAccounts(event.pair, visit)
      return
    case 'liquidity':
    case 'sync':
      break
    default:
      return
  }
  if (event.reserve0 !== null && event.reserve1 !== null) return
  visitPoolAccounts(event.pair, visit)
}

/** Visits the accounts that hold a pair's reserves. */
export function visitPoolAccounts(
  pair: PairRecord,
  visit: (tokenId: number, wallet: string) => void,
): void {
  const account = pairReserveAccount(pair)
  visit(pair.token0Id, account)
  visit(pair.token1Id, account)
  for (const tokenId of pair.otherIds) visit(tokenId, account)
}
