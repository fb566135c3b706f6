import assert from 'node:assert'
import type { BlockRef } from '../model/block.ts'
import type { FinishedBlock } from '../model/finishedBlock.ts'
import type { LateFacts } from '../model/logEntry.ts'
import type { MarketEvent } from '../model/marketEvent.ts'
import { BlockApplier } from './applyBlock.ts'
import { ReorgTooDeepError } from './errors.ts'
import type { MarketState } from './marketState.ts'
import type { BlockPairs } from './tables/trade.ts'
import type { UndoRecord } from './tables/undoLog.ts'

/** Data needed to revert one block. */
type RevertibleBlock = {
  ref: BlockRef
  undoRecord: UndoRecord
  pairs: BlockPairs
  before: { head: BlockRef | null; height: number; timeS: number; tokens: number; pairs: number }
  /** Tokens whose record, and tokens whose supply, the block or its late facts changed. */
  tokenIds: number[]
  supplyIds: number[]
  /** Pairs whose creation was reported by late facts of the block. */
  creationIds: number[]
  /** Tokens for which the block opened or closed the creation question. */
  creationQuestionIds: readonly number[]
  /** Tokens whose creation, and pairs whose shares, were reported by late facts of the block. */
  tokenCreationIds: number[]
  shareIds: number[]
  /** Tokens whose pairs the block priced because their decimals had arrived. */
  rescaledIds: readonly number[]
}

/**
 * The chain of applied blocks: grows at the head, shrinks by reverts, and becomes final at the
 * tail.
 */
export class AppliedBlocks {
  revertCount = 0
  readonly #state: MarketState
  readonly #applier: BlockApplier
  /** Revertible blocks, oldest first, linked by parent hash. */
  readonly #revertibleBlocks: RevertibleBlock[] = []

  constructor(state: MarketState) {
    this.#state = state
    this.#applier = new BlockApplier(state)
  }

  get revertibleCount(): number {
    return this.#revertibleBlocks.length
  }

  commit(block: FinishedBlock): MarketEvent[] {
    const state = this.#state
    const revertibleBlocks = this.#revertibleBlocks
    const { head, catalog, undo } = state
    const depthMax = state.profile.reorgDepthMax
    assert(head === null || block.ref.parentHash === head.hash, 'blocks link by parent hash')
    const before = {
      head,
      height: state.height,
      timeS: state.timeS,
      tokens: catalog.tokenCount,
      pairs: catalog.pairCount,
    }
    const rescaledIds = [...catalog.rescaledTokens]
    const undoRecord = depthMax > 0 ? undo.begin() : null
    const { events, pairs, creationIds } = this.#applier.apply(block)
    undo.end()
    state.head = block.ref
    if (undoRecord === null) return events
    const supplyIds = block.supplies.map((supply) => supply.tokenId)
    const late = { tokenIds: [], supplyIds, creationIds: [], tokenCreationIds: [], shareIds: [] }
    revertibleBlocks.push({
      ref: block.ref,
      undoRecord,
      pairs,
      before,
      ...late,
      creationQuestionIds: creationIds,
      rescaledIds,
    })
    if (revertibleBlocks.length > depthMax) this.#discardUndo(revertibleBlocks.shift()!)
    return events
  }

  late(facts: LateFacts): MarketEvent[] {
    const { catalog, questions, head } = this.#state
    const { number, hash } = facts.ref
    const block = this.#revertibleBlocks.find((candidate) => candidate.ref.hash === hash)
    // A block that is neither revertible nor older was reverted, and its late facts are void.
    const oldest = this.#revertibleBlocks[0]?.ref
    const isFinal = oldest === undefined ? number <= (head?.number ?? -1) : number < oldest.number
    if (!block && !isFinal) return []
    const events: MarketEvent[] = []
    for (const token of facts.tokens) {
      catalog.setToken(token, block ? number : null)
      block?.tokenIds.push(token.id)
      events.push({ type: 'token', token: catalog.token(token.id) })
    }
    for (const supply of facts.supplies) {
      const holdersBefore = catalog.supplies.holders(supply.tokenId)
      catalog.supplies.set(supply, block ? number : null)
      questions.refreshToken(supply.tokenId)
      block?.supplyIds.push(supply.tokenId)
      // Never null: the loop has just set a supply of this token.
      const newest = catalog.supplies.get(supply.tokenId)!
      events.push({ type: 'supply', supply: newest, holdersBefore })
    }
    for (const creation of facts.creations ?? []) {
      if (!catalog.setCreation(creation)) continue
      questions.refreshPair(creation.pairId)
      block?.creationIds.push(creation.pairId)
      if (creation.createdAtS !== null)
        events.push({ type: 'pair', pair: catalog.pair(creation.pairId) })
    }
    this.#applyMarketOnlyFacts(facts, block)
    return events
  }

  /**
   * Applies late facts that are not written to tables of the database: creation times of tokens and
   * shares of pools. Only market reads use these.
   */
  #applyMarketOnlyFacts(facts: LateFacts, block: RevertibleBlock | undefined): void {
    const { catalog, questions } = this.#state
    for (const creation of facts.tokenCreations ?? []) {
      if (!catalog.setTokenCreation(creation)) continue
      questions.refreshToken(creation.tokenId)
      block?.tokenCreationIds.push(creation.tokenId)
    }
    for (const shares of facts.shares ?? []) {
      if (shares.pairId >= catalog.pairCount) continue
      catalog.setShares(shares, block ? facts.ref.number : null)
      questions.refreshPair(shares.pairId)
      block?.shareIds.push(shares.pairId)
    }
  }

  revert(ref: BlockRef): MarketEvent[] {
    const state = this.#state
    const revertibleBlocks = this.#revertibleBlocks
    const block = revertibleBlocks.at(-1)
    if (block?.ref.hash !== ref.hash) {
      assert(
        !revertibleBlocks.some((other) => other.ref.hash === ref.hash),
        'the newest block goes first',
      )
      throw new ReorgTooDeepError({
        number: ref.number,
        hash: ref.hash,
        held: revertibleBlocks.length,
        depthMax: state.profile.reorgDepthMax,
      })
    }
    revertibleBlocks.pop()
    this.revertCount += 1
    const { before, pairs } = block
    for (const id of block.tokenIds) state.catalog.revertToken(id, ref.number)
    for (const id of block.supplyIds) state.catalog.supplies.revert(id, ref.number)
    for (const id of block.creationIds) state.catalog.revertCreation(id)
    for (const id of block.tokenCreationIds) state.catalog.revertTokenCreation(id)
    for (const id of block.shareIds) state.catalog.revertShares(id, ref.number)
    state.undo.revert(block.undoRecord)
    state.catalog.truncate(before.tokens, before.pairs)
    state.depths.revert(before.pairs + 1, pairs.touched)
    for (const id of block.rescaledIds)
      if (state.catalog.isScaled(id)) state.catalog.rescaledTokens.add(id)
    state.launches.truncate()
    this.#reopenQuestions(block)
    state.head = before.head
    state.height = before.height
    state.timeS = before.timeS
    const events: MarketEvent[] = [{ type: 'reverted', ref: block.ref }]
    for (const pairId of pairs.traded)
      if (pairId < before.pairs) events.push({ type: 'openKlines', pairId })
    return events
  }

  /**
   * Reopens questions that the reverted block had answered. Must run after the rest of the block
   * was reverted.
   */
  #reopenQuestions(block: RevertibleBlock): void {
    const { questions } = this.#state
    const { before, pairs, supplyIds, tokenCreationIds, creationQuestionIds } = block
    for (const id of [...supplyIds, ...tokenCreationIds, ...creationQuestionIds])
      if (id < before.tokens) questions.refreshToken(id)
    for (const id of [...block.creationIds, ...block.shareIds, ...pairs.touched])
      if (id < before.pairs) questions.refreshPair(id)
  }

  finalize(number: number): void {
    this.#state.finalizedNumber = Math.max(this.#state.finalizedNumber, number)
    while (this.#revertibleBlocks.length > 0 && this.#revertibleBlocks[0]!.ref.number <= number)
      this.#discardUndo(this.#revertibleBlocks.shift()!)
  }

  #discardUndo(block: RevertibleBlock): void {
    const { undo, catalog } = this.#state
    undo.discard(block.undoRecord)
    for (const id of block.tokenIds) catalog.finalizeToken(id, block.ref.number)
    for (const id of block.supplyIds) catalog.supplies.finalize(id, block.ref.number)
    for (const id of block.shareIds) catalog.finalizeShares(id, block.ref.number)
  }
}
