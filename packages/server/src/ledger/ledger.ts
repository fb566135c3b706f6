import assert from 'node:assert'
import type { Logger } from '../lib/logger.ts'
import type { BlockRef } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { BalanceChange, FinishedBlock } from '../model/finishedBlock.ts'
import type { ResolvedBlock, ScannedHolders } from '../model/resolvedBlock.ts'
import type { FindVenueMath } from '../model/venueMath.ts'
import { BalanceLoader, type BalanceReader } from './balanceLoader.ts'
import { finishEvents } from './finishEvents.ts'
import { Journal } from './journal.ts'
import { LedgerState } from './ledgerState.ts'
import type { LedgerUndo } from './undo.ts'

type LedgerLimits = {
  /** Balances in memory, not counting those that the store does not have yet. */
  balancesMax: number
  suppliesMax: number
  /** Maximum number of pools whose last state is in memory. */
  poolsMax: number
  /** How long a live block waits for the store before holdings stay unknown. */
  budgetMs: number
}

// 500,000 balances are about 150 MB.
const ledgerLimitsDefault: LedgerLimits = {
  balancesMax: 500_000,
  suppliesMax: 100_000,
  poolsMax: 100_000,
  budgetMs: 250,
}

type LedgerOptions = {
  profile: ChainProfile
  balances: BalanceReader
  /** Finds the formulas of a venue. @default all events carry their price */
  math?: FindVenueMath | undefined
  limits?: Partial<LedgerLimits> | undefined
  logger: Logger
}

export type LedgerResult = {
  block: FinishedBlock
  /** Balance changes in the order of their first touch, each holder of each token once. */
  changes: readonly BalanceChange[]
  /** Everything that `revert` needs when another process reverts the block. */
  undo: LedgerUndo
}

type LedgerStats = {
  balanceCount: number
  supplyCount: number
  /** Tokens whose transfers contradict the total supply that the token or the chain reports. */
  contradictionCount: number
  /** Balances and supplies that the store has not answered for yet. */
  unknownCount: number
}

/** Token balances of all holders. Takes one block at a time, in order. */
export type Ledger = {
  apply(block: ResolvedBlock): Promise<LedgerResult>
  /** Reverts the newest block. `undo` is needed for a block that another process applied. */
  revert(ref: BlockRef, undo?: LedgerUndo | undefined): void
  /** Called when the store has all blocks up to this number. Their changes may then be evicted. */
  persisted(number: number): void
  /** Total supply of a token; null: unknown, or not in memory. */
  totalOf(tokenId: number): bigint | null
  stats(): LedgerStats
}

export function createLedger(options: LedgerOptions): Ledger {
  const { profile, balances: reader, math = () => undefined, logger } = options
  const limits = { ...ledgerLimitsDefault, ...options.limits }
  const state = new LedgerState(profile, limits.poolsMax)
  const journal = new Journal(state, profile.reorgDepthMax)
  /** Tokens that appeared since the start and have all their balances in memory. */
  const whole = new Set<number>()
  /** Tokens that the store does not know yet, or only from a reverted block. */
  const freshUntil = new Map<number, number>()
  const isFullyInMemory = (tokenId: number) => whole.has(tokenId) || freshUntil.has(tokenId)
  const loader = new BalanceLoader({
    state,
    reader,
    budgetMs: limits.budgetMs,
    isFullyInMemory,
    logger,
  })
  let persistedNumber = -1
  let headHash: string | null = null
  let isApplying = false

  function replaceHolders(history: ScannedHolders): void {
    if (state.canReplaceHolders(history)) state.replaceHolders(history)
    else logger.warn({ msg: 'Left holders incomplete', tokenId: history.tokenId })
  }

  async function apply(block: ResolvedBlock): Promise<LedgerResult> {
    const { ref, receivedMs, tokens, pairs, nativeUsd } = block
    assert(!isApplying, 'one block at a time')
    assert(headHash === null || ref.parentHash === headHash, 'blocks link by parent hash')
    isApplying = true
    state.begin()
    for (const { id } of tokens) {
      state.addToken(id)
      whole.add(id)
      freshUntil.set(id, journal.dirtyUntil(ref.number))
    }
    journal.reportLagging(await loader.load(block))
    for (const history of block.histories) replaceHolders(history)
    for (const first of block.firstStates) state.seedPool(first)
    const events = finishEvents({ state, block, math })
    const newIds = new Set(tokens.map(({ id }) => id))
    for (const [tokenId, total] of block.totals) state.setTotal(tokenId, total, newIds.has(tokenId))
    const undo = journal.finish(ref)
    headHash = ref.hash
    state.balances.evict(limits.balancesMax, persistedNumber, (tokenId) => whole.delete(tokenId))
    state.supplies.evict(limits.suppliesMax, persistedNumber)
    isApplying = false
    const supplies = undo.supplies.map(({ after }) => after)
    const finished = { ref, receivedMs, tokens, pairs, events, supplies, nativeUsd }
    return { block: finished, changes: undo.changes, undo }
  }

  return {
    apply,
    revert(ref, undo) {
      assert(!isApplying, 'one block at a time')
      assert(headHash === null || ref.hash === headHash, 'the newest block is reverted first')
      journal.revert(ref, undo)
      headHash = ref.parentHash
    },
    persisted(number) {
      persistedNumber = Math.max(persistedNumber, number)
      for (const [tokenId, until] of freshUntil)
        if (until <= persistedNumber) freshUntil.delete(tokenId)
    },
    totalOf(tokenId) {
      const supply = state.supplies.get(tokenId)
      return supply?.isKnown && supply.total > 0n ? supply.total : null
    },
    stats: () => ({
      balanceCount: state.balances.size,
      supplyCount: state.supplies.size,
      contradictionCount: state.contradictionCount,
      unknownCount: loader.unknownCount,
    }),
  }
}
