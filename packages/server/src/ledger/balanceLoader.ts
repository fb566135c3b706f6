import type { Logger } from '../lib/logger.ts'
import { withinMs } from '../lib/withinMs.ts'
import type { ResolvedBlock } from '../model/resolvedBlock.ts'
import type { TokenSupply } from '../model/token.ts'
import { type BalanceEntry, emptySupply, type SupplyState } from './caches.ts'
import { type LedgerState, visitBalanceKeys, visitPoolAccounts } from './ledgerState.ts'

export type BalanceKey = { tokenId: number; wallet: string }

/** Reads stored balances and supplies, as of the last persisted block. */
export type BalanceReader = {
  /** Loads stored balances in the order of the keys; 0 where nothing is stored. */
  loadBalances(keys: readonly BalanceKey[]): Promise<readonly bigint[]>
  /** Loads stored supplies of these tokens, in any order. */
  loadSupplies(tokenIds: readonly number[]): Promise<readonly TokenSupply[]>
}

type BalanceLoaderOptions = {
  state: LedgerState
  reader: BalanceReader
  /** How long a live block waits for the store to answer. */
  budgetMs: number
  /** True: all stored holders of the token are in memory, so any other wallet holds nothing. */
  isFullyInMemory: (tokenId: number) => boolean
  logger: Logger
}

type Answer = {
  entries: readonly BalanceEntry[]
  amounts: readonly bigint[]
  states: readonly SupplyState[]
  supplies: readonly TokenSupply[]
}

/** Loads the balances and supplies that a block needs, in one read of the store. */
export class BalanceLoader {
  readonly #options: BalanceLoaderOptions
  // Balances without an answer of the store and without a running read. The next block asks for
  // them again.
  #missingEntries: BalanceEntry[] = []
  #missingStates: SupplyState[] = []
  #arrived: Answer[] = []
  #lateCount = 0

  constructor(options: BalanceLoaderOptions) {
    this.#options = options
  }

  /** Number of balances and supplies that the store has not answered for yet. */
  get unknownCount(): number {
    return this.#missingEntries.length + this.#missingStates.length + this.#lateCount
  }

  /**
   * Loads what a block needs. Returns balances that changed before the store answered and now have
   * its answer.
   */
  async load(block: ResolvedBlock): Promise<BalanceEntry[]> {
    this.#needAll(block)
    // A token's history, a pool's first state and a reported balance replace old values, come only
    // once, and can be reverted only if the old values are known. Such a block waits for the store
    // without a time limit.
    const isReplacing =
      block.histories.length > 0 ||
      block.firstStates.length > 0 ||
      block.events.some(({ type }) => type === 'balance')
    await this.#requestMissing(!block.isLive || isReplacing)
    return this.#applyAnswers()
  }

  #needAll(block: ResolvedBlock): void {
    const need = (tokenId: number, wallet: string) => {
      this.#needSupply(tokenId)
      this.#needBalance(tokenId, wallet)
    }
    for (const event of block.events) visitBalanceKeys(event, need)
    for (const { tokenId, balances } of block.histories) {
      this.#needSupply(tokenId)
      for (const wallet of balances.keys()) this.#needBalance(tokenId, wallet)
    }
    for (const { pair } of block.firstStates) visitPoolAccounts(pair, need)
    for (const tokenId of block.totals.keys()) this.#needSupply(tokenId)
    // The answer for a balance corrects the holder count of its token, so the supply is needed too.
    for (const entry of this.#missingEntries) this.#needSupply(entry.tokenId)
    for (const { entries } of this.#arrived)
      for (const entry of entries) this.#needSupply(entry.tokenId)
  }

  #needSupply(tokenId: number): void {
    const { state } = this.#options
    if (!state.supplies.get(tokenId)) this.#missingStates.push(state.supplies.add(tokenId, null))
  }

  #needBalance(tokenId: number, wallet: string): void {
    const { state, isFullyInMemory } = this.#options
    if (state.balances.get(tokenId, wallet)) return
    const isEmpty = wallet === state.zeroAddress || isFullyInMemory(tokenId)
    const entry = state.balances.add(tokenId, wallet, isEmpty ? 0n : null)
    if (!isEmpty) this.#missingEntries.push(entry)
  }

  async #requestMissing(isPatient: boolean): Promise<void> {
    const [entries, states] = [this.#missingEntries, this.#missingStates]
    if (entries.length === 0 && states.length === 0) return
    this.#missingEntries = []
    this.#missingStates = []
    const askedCount = entries.length + states.length
    this.#lateCount += askedCount
    const answered = this.#read(entries, states).finally(() => {
      this.#lateCount -= askedCount
    })
    if (isPatient) return await answered
    await withinMs(answered, this.#options.budgetMs, undefined)
  }

  async #read(entries: BalanceEntry[], states: SupplyState[]): Promise<void> {
    const { reader, logger } = this.#options
    try {
      const [amounts, supplies] = await Promise.all([
        entries.length > 0 ? reader.loadBalances(entries) : [],
        states.length > 0 ? reader.loadSupplies(states.map(({ tokenId }) => tokenId)) : [],
      ])
      this.#arrived.push({ entries, amounts, states, supplies })
    } catch (error) {
      for (const entry of entries) this.#missingEntries.push(entry)
      for (const state of states) this.#missingStates.push(state)
      logger.warn({
        msg: 'Continuing without stored balances',
        error,
        balanceCount: entries.length,
      })
    }
  }

  #applyAnswers(): BalanceEntry[] {
    const { state } = this.#options
    const settled: BalanceEntry[] = []
    const answers = this.#arrived
    this.#arrived = []
    for (const { states, supplies } of answers) {
      const byToken = new Map(supplies.map((supply) => [supply.tokenId, supply]))
      for (const supply of states) applyStoredSupply(supply, byToken.get(supply.tokenId))
    }
    for (const { entries, amounts } of answers)
      for (const [i, entry] of entries.entries()) {
        // The balance was dropped with its token meanwhile. The token's id may now be another
        // token's.
        if (state.balances.get(entry.tokenId, entry.wallet) !== entry) continue
        // Reverting a block has already restored the stored value. The store may not have that
        // revert yet.
        if (entry.stored !== null) continue
        const isLagging = entry.amount !== 0n
        state.applyStored(entry, amounts[i] ?? 0n)
        if (isLagging) settled.push(entry)
      }
    return settled
  }
}

function applyStoredSupply(supply: SupplyState, stored: TokenSupply | undefined): void {
  const base = stored ?? { ...emptySupply(supply.tokenId), isComplete: false }
  supply.add(base, 1n)
  supply.isComplete &&= base.isComplete
  supply.isKnown = true
}
