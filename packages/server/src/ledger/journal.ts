import { type BlockId, type BlockRef, lowestNumberAfter } from '../model/block.ts'
import type { BalanceChange } from '../model/finishedBlock.ts'
import type { TokenSupply } from '../model/token.ts'
import { type BalanceEntry, isSameSupply, type SupplyState } from './caches.ts'
import { UndoMissingError } from './errors.ts'
import type { LedgerState } from './ledgerState.ts'
import type { LedgerUndo } from './undo.ts'

// Changes that only this process can revert, because they were made without the store's answer.
type HeldBalance =
  | { entry: BalanceEntry; added: bigint }
  | { entry: BalanceEntry; amountBefore: bigint }
/** `added` is null if the block only reported changes that earlier blocks had held back. */
type HeldSupply = { supply: SupplyState; added: TokenSupply | null }
type AppliedBlock = {
  hash: string
  undo: LedgerUndo
  balances: readonly HeldBalance[]
  supplies: readonly HeldSupply[]
}

/** Turns what a block touched into changes for the store, and reverts blocks. */
export class Journal {
  readonly #state: LedgerState
  readonly #depthMax: number
  /** Undo data by block number, in block order, of at most `depthMax` blocks. */
  readonly #appliedByNumber = new Map<number, AppliedBlock>()
  /** Balances that are known now but outdated in the store. The next block reports them. */
  readonly #lagging = new Set<BalanceEntry>()
  readonly #laggingSupplies = new Set<SupplyState>()
  /** Balances that changed before the store answered for them. */
  readonly #unanswered = new Set<BalanceEntry>()
  // When the store has persisted blocks up to this number, these may still be blocks of a reverted
  // branch.
  #revertedNumber = -1

  constructor(state: LedgerState, depthMax: number) {
    this.#state = state
    this.#depthMax = depthMax
  }

  /**
   * The store has the changes of a block once it has persisted the block of the returned number.
   */
  dirtyUntil(number: number): number {
    return Math.max(number, lowestNumberAfter(this.#revertedNumber))
  }

  /** Adds to the current block the changes that earlier blocks could not report. */
  reportLagging(settled: readonly BalanceEntry[]): void {
    for (const entry of settled) this.#lagging.add(entry)
    for (const entry of this.#lagging) {
      this.#state.touch(entry)
      this.#markLagging(this.#state.touchSupply(entry.tokenId))
    }
    for (const { isKnown, tokenId } of this.#laggingSupplies)
      if (isKnown) this.#state.touchSupply(tokenId)
  }

  finish(ref: BlockRef): LedgerUndo {
    const dirtyUntil = this.dirtyUntil(ref.number)
    const parent = { number: ref.parentNumber, hash: ref.parentHash }
    const balances = this.#finishBalances(dirtyUntil, parent)
    const supplies = this.#finishSupplies(dirtyUntil, parent)
    const { touchedPools, newlyKnownPools } = this.#state
    const pools = Array.from(touchedPools, ([pairId, before]) => {
      return { pairId, before, wasUnknown: newlyKnownPools.has(pairId) }
    })
    const unreportedAfter = this.#unreportedAfter()
    const undo = { changes: balances.changes, supplies: supplies.changes, pools, unreportedAfter }
    const taken = { hash: ref.hash, undo, balances: balances.held, supplies: supplies.held }
    pinObjects(taken, 1)
    this.#appliedByNumber.set(ref.number, taken)
    for (const [number, old] of this.#appliedByNumber) {
      if (this.#appliedByNumber.size <= this.#depthMax) break
      this.#appliedByNumber.delete(number)
      pinObjects(old, -1)
    }
    return undo
  }

  /** Reverts a block. `undo` is used for a block that an earlier process applied. */
  revert(ref: BlockRef, undo: LedgerUndo | undefined): void {
    const own = this.#appliedByNumber.get(ref.number)
    const foreign = undo && { hash: ref.hash, undo, balances: [], supplies: [] }
    const taken = own?.hash === ref.hash ? own : foreign
    if (!taken) throw new UndoMissingError(ref)
    this.#appliedByNumber.delete(ref.number)
    this.#revertedNumber = Math.max(this.#revertedNumber, ref.number)
    this.#revertBalances(taken, ref.parentHash)
    this.#revertSupplies(taken, ref.parentHash)
    pinObjects(taken, -1)
    for (const { pairId, before } of taken.undo.pools) this.#state.pools.set(pairId, before)
  }

  /**
   * The oldest block after which a balance or supply changed without the store's answer; null: all
   * are answered.
   */
  #unreportedAfter(): BlockId | null {
    let oldest: BlockId | null = null
    const look = (place: BlockId | null) => {
      if (place !== null && (oldest === null || place.number < oldest.number)) oldest = place
    }
    for (const entry of this.#unanswered) {
      if (entry.stored !== null) this.#unanswered.delete(entry)
      else if (entry.amount !== 0n) look(entry.unreportedAfter)
    }
    for (const { isKnown, unreportedAfter } of this.#laggingSupplies)
      if (!isKnown) look(unreportedAfter)
    return oldest
  }

  #finishBalances(
    dirtyUntil: number,
    parent: BlockId,
  ): { changes: BalanceChange[]; held: HeldBalance[] } {
    const changes: BalanceChange[] = []
    const held: HeldBalance[] = []
    for (const entry of this.#state.touched) {
      const { tokenId, wallet, stored, amount, before } = entry
      if (stored === null) {
        if (amount === before) continue
        held.push({ entry, added: amount - before })
        entry.unreportedAfter ??= parent
        this.#unanswered.add(entry)
        continue
      }
      this.#unanswered.delete(entry)
      if (stored !== before) held.push({ entry, amountBefore: before })
      if (stored === amount) continue
      changes.push({ tokenId, wallet, before: stored, after: amount })
      entry.stored = amount
      entry.dirtyUntil = dirtyUntil
    }
    this.#lagging.clear()
    return { changes, held }
  }

  #finishSupplies(
    dirtyUntil: number,
    parent: BlockId,
  ): { changes: LedgerUndo['supplies']; held: HeldSupply[] } {
    const changes: LedgerUndo['supplies'][number][] = []
    const held: HeldSupply[] = []
    for (const supply of this.#state.touchedSupplies) {
      const { before } = supply
      const after = supply.read()
      if (!supply.isKnown) {
        if (before) held.push({ supply, added: differenceOf(before, after) })
        supply.unreportedAfter ??= parent
        this.#markLagging(supply)
        continue
      }
      if (before && !supply.isLagging && isSameSupply(before, after)) continue
      changes.push({ before, after })
      supply.dirtyUntil = dirtyUntil
      if (!supply.isLagging) continue
      held.push({ supply, added: null })
      supply.isLagging = false
      this.#laggingSupplies.delete(supply)
    }
    changes.sort((a, b) => a.after.tokenId - b.after.tokenId)
    return { changes, held }
  }

  #revertBalances({ undo, balances: held }: AppliedBlock, parentHash: string): void {
    const { balances } = this.#state
    for (const { tokenId, wallet, before } of undo.changes) {
      const entry = balances.get(tokenId, wallet) ?? balances.add(tokenId, wallet, before)
      entry.stored = before
      entry.amount = before
      entry.dirtyUntil = lowestNumberAfter(this.#revertedNumber)
    }
    for (const item of held) {
      const { entry } = item
      if (entry.unreportedAfter?.hash === parentHash) entry.unreportedAfter = null
      if (entry.unreportedAfter === null) this.#unanswered.delete(entry)
      if ('added' in item) this.#state.revert(entry, item.added)
      else entry.amount = item.amountBefore
      if (entry.stored !== null && entry.stored !== entry.amount) this.#lagging.add(entry)
    }
  }

  #revertSupplies({ undo, supplies: held }: AppliedBlock, parentHash: string): void {
    const { supplies } = this.#state
    for (const { before, after } of undo.supplies) {
      const { tokenId } = after
      if (before === null) {
        this.#dropToken(tokenId)
        continue
      }
      const supply = supplies.get(tokenId) ?? supplies.add(tokenId, after)
      // Revert by difference, because an answer of the store may have arrived since.
      supply.add(differenceOf(before, after), -1n)
      supply.isComplete = before.isComplete
      supply.dirtyUntil = lowestNumberAfter(this.#revertedNumber)
    }
    for (const { supply, added } of held) {
      if (added) supply.add(added, -1n)
      if (supply.unreportedAfter?.hash === parentHash) supply.unreportedAfter = null
      if (supplies.get(supply.tokenId) === supply) this.#markLagging(supply)
    }
  }

  #markLagging(supply: SupplyState): void {
    supply.isLagging = true
    this.#laggingSupplies.add(supply)
  }

  #dropToken(tokenId: number): void {
    this.#state.supplies.drop(tokenId)
    this.#state.balances.dropToken(tokenId)
    for (const entries of [this.#lagging, this.#unanswered])
      for (const entry of entries) if (entry.tokenId === tokenId) entries.delete(entry)
    for (const supply of this.#laggingSupplies)
      if (supply.tokenId === tokenId) this.#laggingSupplies.delete(supply)
  }
}

/**
 * Keeps the objects that an undo record refers to in memory. A balance that is evicted and loaded
 * again would be another object.
 */
function pinObjects({ balances, supplies }: AppliedBlock, count: 1 | -1): void {
  for (const { entry } of balances) entry.undoRefCount += count
  for (const { supply } of supplies) supply.undoRefCount += count
}

function differenceOf(before: TokenSupply, after: TokenSupply): TokenSupply {
  return {
    tokenId: after.tokenId,
    total: after.total - before.total,
    burnt: after.burnt - before.burnt,
    locked: after.locked - before.locked,
    other: after.other - before.other,
    holders: after.holders - before.holders,
    isComplete: after.isComplete,
  }
}
