import { blockNumberDistance, encodeBlockColumn } from '../model/block.ts'
import type { FinishedBlock, FinishedEvent } from '../model/finishedBlock.ts'
import type { MainPairEvent, MarketEvent } from '../model/marketEvent.ts'
import { addPair } from './addPair.ts'
import { EndedKlineBuffer } from './klines/klineRows.ts'
import type { MarketState } from './marketState.ts'
import { PairPricer } from './prices/pairPricer.ts'
import { pairsAwaitingPrice } from './prices/pairsAwaitingPrice.ts'
import { pairColumn } from './tables/pairTable.ts'
import { tokenColumn } from './tables/tokenTable.ts'
import { type BlockPairs, createTrade } from './tables/trade.ts'
import { walletHash } from './tables/walletHash.ts'
import { fineBucketS, minuteBucketS } from './windows/windows.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const P = pairColumn
const T = tokenColumn

/** Applies finished blocks to the state; the caller opens and closes the undo record. */
export class BlockApplier {
  readonly #state: MarketState
  readonly #pricer: PairPricer
  readonly #trade = createTrade()
  #outEvents: MarketEvent[] = []
  readonly #endedKlines = new EndedKlineBuffer()
  #mainPairs: MainPairEvent[] = []
  #pairs: BlockPairs = { touched: [], traded: [] }

  constructor(state: MarketState) {
    this.#state = state
    this.#pricer = new PairPricer(state)
  }

  /**
   * Applies a block. `creationIds` are tokens whose creation question may have opened or closed.
   */
  apply(block: FinishedBlock): {
    events: MarketEvent[]
    pairs: BlockPairs
    creationIds: readonly number[]
  } {
    const state = this.#state
    this.#outEvents = []
    this.#mainPairs = []
    this.#pairs = { touched: [], traded: [] }
    const { head, profile } = state
    // Without reorgs a supply is final at once.
    const supplyNumber = profile.reorgDepthMax > 0 ? block.ref.number : null
    state.height += head === null ? 1 : blockNumberDistance(head.number, block.ref.number)
    state.timeS = Math.max(state.timeS, block.ref.timeS)
    this.#trade.block = encodeBlockColumn(block.ref.number)
    this.#trade.timeS = state.timeS
    this.#trade.minuteBucket = Math.floor(state.timeS / minuteBucketS)
    this.#trade.fineBucket = Math.floor(state.timeS / fineBucketS)
    state.klines.startBlock(state.timeS, state.limits.klineClosesPerBlockMax, this.#endedKlines)
    state.windows.startBlock(state.timeS, state.limits.windowExpiriesPerBlockMax)
    for (const token of block.tokens) {
      state.catalog.addToken(token)
      state.tokens.alloc()
      state.questions.refreshToken(token.id)
      this.#outEvents.push({ type: 'token', token })
    }
    state.rates.startBlock()
    if (state.catalog.rescaledTokens.size > 0) this.#priceRescaledPairs()
    for (const pair of block.pairs) {
      addPair(state, pair)
      state.questions.refreshPair(pair.id)
      this.#outEvents.push({ type: 'pair', pair })
    }
    this.#applyEvents(block)
    state.windows.endBlock()
    for (const supply of block.supplies) {
      const holdersBefore = state.catalog.supplies.holders(supply.tokenId)
      state.catalog.supplies.set(supply, supplyNumber)
      state.questions.refreshToken(supply.tokenId)
      this.#outEvents.push({ type: 'supply', supply, holdersBefore })
    }
    state.rates.endBlock(block.nativeUsd)
    if (this.#mayChangeMainPairs(block)) {
      const now = { height: state.height, timeS: block.ref.timeS }
      state.mainPairs.endBlock(now, this.#mainPairs)
      judgeQuoteAssetMainPairs(state, this.#mainPairs)
    }
    state.rates.refreshQuotes()
    this.#emitChanges()
    const creationIds = state.mainPairs.tokensWithFirstMainPair.splice(0)
    for (const event of block.events) if (event.type === 'launch') creationIds.push(event.tokenId)
    for (const id of creationIds) state.questions.refreshToken(id)
    return { events: this.#outEvents, pairs: this.#pairs, creationIds }
  }

  /**
   * True if main pairs may change in this block. Final blocks without relevant events may be
   * missing from the stream, so their times are unknown. Therefore no main pair changes in a block
   * without pool events, whether or not it is in the stream.
   */
  #mayChangeMainPairs({ events, nativeUsd }: FinishedBlock): boolean {
    return events.length > 0 || nativeUsd !== null || this.#pairs.touched.length > 0
  }

  /**
   * Prices pairs whose decimals arrived since the last block. Must run before all events of the
   * block.
   */
  #priceRescaledPairs(): void {
    const state = this.#state
    const pricer = this.#pricer
    const pairs = this.#pairs
    for (const pairId of pairsAwaitingPrice(state)) pricer.rescale(pairId, pairs)
    state.catalog.rescaledTokens.clear()
  }

  #applyEvents(block: FinishedBlock): void {
    for (const event of block.events) this.#applyEvent(event, block)
  }

  #applyEvent(event: FinishedEvent, block: FinishedBlock): void {
    const state = this.#state
    switch (event.type) {
      case 'swap':
        this.#trade.hash = walletHash(event.wallet)
        this.#outEvents.push(
          this.#pricer.swap(event, block.ref.number, this.#trade, this.#endedKlines, this.#pairs),
        )
        return
      case 'liquidity':
        this.#outEvents.push(this.#pricer.liquidity(event, this.#pairs))
        return
      case 'sync':
        this.#pricer.sync(event, this.#pairs)
        return
      case 'launch': {
        const { tokenId, pairId, creator } = event
        // The launch time of a curve discovered later is unknown.
        const createdAtS = creator === '' ? 0 : state.timeS
        if (state.launches.create(tokenId, pairId, creator, createdAtS))
          this.#outEvents.push({ type: 'launch', state: 'created', tokenId, pairId })
        return
      }
      case 'curve': {
        const tokenId = state.pairs.page(event.pairId + 1)[
          state.pairs.at(event.pairId + 1) + P.targetToken
        ]!
        const { pairId, filledPpm } = event
        const stepBefore = state.launches.progressStep(tokenId)
        if (state.launches.setProgress(tokenId, filledPpm))
          this.#outEvents.push({ type: 'launch', state: 'almost', tokenId, pairId })
        if (state.launches.progressStep(tokenId) !== stepBefore)
          this.#outEvents.push({ type: 'curveStep', tokenId, pairId, filledPpm })
        return
      }
      case 'graduation': {
        const { tokenId, pairId } = event
        if (!state.launches.graduate(tokenId, state.timeS)) return
        this.#outEvents.push({ type: 'launch', state: 'graduated', tokenId, pairId })
        state.mainPairs.graduate(tokenId, pairId, state.height, this.#mainPairs)
      }
    }
  }

  #emitChanges(): void {
    const outEvents = this.#outEvents
    const state = this.#state
    const ended = this.#endedKlines.takeAll()
    if (ended !== null) outEvents.push({ type: 'endedKlines', ...ended })
    for (const pairId of this.#pairs.traded) outEvents.push({ type: 'openKlines', pairId })
    for (const pairId of this.#pairs.touched) state.depths.updatePair(pairId)
    state.questions.pairsTouched(this.#pairs.touched)
    for (const event of this.#mainPairs) outEvents.push(event)
  }
}

/**
 * Chooses main pairs for stablecoins, and for the native coin where it is always the quote. Their
 * price needs no pair, but their charts do: the deepest trusted pool of native coin and stablecoin.
 * Pools are weighed by their own price, so that an empty block changes nothing.
 */
function judgeQuoteAssetMainPairs(state: MarketState, out: MainPairEvent[]): void {
  const { catalog, pairs, tokens, mainPairs, rates, limits, series, height } = state
  for (const pairId of catalog.nativePools) {
    const row = pairId + 1
    const tokenId = pairs.page(row)[pairs.at(row) + P.quoteToken]!
    if (tokens.page(tokenId + 1)[tokens.at(tokenId + 1) + T.mainPair] !== 0) continue
    const shown = series.mainPairOf(tokenId)
    if (shown === row) continue
    const neededUsd = shown === 0 ? 0 : rates.nativePoolUsd(shown - 1) * limits.mainPairLeadRatio
    const usd = rates.nativePoolUsd(pairId)
    if (usd === 0 || usd < neededUsd) continue
    const old = series.setQuotePair(tokenId + 1, row, height)
    if (old === 0) mainPairs.tokensWithFirstMainPair.push(tokenId)
    else
      out.push({
        type: 'mainPair',
        tokenId,
        oldPairId: old - 1,
        newPairId: pairId,
        isGraduation: false,
      })
  }
}
