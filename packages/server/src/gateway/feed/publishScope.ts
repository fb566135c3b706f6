import { type PairState, type WindowTrading, windowsS } from '../../engine/marketReads.ts'
import type { SwapEvent } from '../../model/marketEvent.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import type { PairFacts } from '../chain/pairFacts.ts'
import type { PushPosition, RecentBlock } from '../chain/recentBlock.ts'
import { changePercent } from '../rows/wireNumber.ts'
import type { ChainMarket } from './chainMarket.ts'
import { SwapPushes } from './swapPushes.ts'

export const dayWindowIndex = windowsS.length - 1

/** State of a pair and its trading in the last 24 hours. */
export type PairDay = {
  state: PairState
  window: WindowTrading
  /** USD price of the pair's target token; null: unknown. */
  priceUsd: number | null
  /** Change of the target token's price in percent since 00:00 UTC. */
  changeToday: number
}

type ScopeOptions = {
  /**
   * Where time windows end. `block`: at the head block's time, so that all servers push equal
   * values.
   */
  windowEnd: 'block' | 'now'
  /** Cursor and times of pushes about the log entry as a whole. */
  place: PushPosition
  /** The block being published; null: the pushes are not about a new block. */
  block?: RecentBlock | null
  isRevert?: boolean
}

type PairText = (facts: PairFacts, day: PairDay) => string

/**
 * Data that the pushes of one log entry share: each pair is read once and each text is built once.
 */
export class PublishScope {
  readonly market: ChainMarket
  readonly sentMs: number
  readonly nowS: number
  readonly place: PushPosition
  readonly block: RecentBlock | null
  readonly isRevert: boolean
  readonly #days = new Map<number, PairDay>()
  readonly #texts = new Map<PairText, Map<number, string>>()
  #pushes: SwapPushes | null = null

  constructor(market: ChainMarket, nowMs: number, options: ScopeOptions) {
    const headS = market.chain.reads.head()?.timeS ?? 0
    this.market = market
    this.sentMs = nowMs
    this.nowS = options.windowEnd === 'block' ? headS : Math.max(Math.floor(nowMs / 1_000), headS)
    this.place = options.place
    this.block = options.block ?? null
    this.isRevert = options.isRevert ?? false
  }

  /** JSON text about a pair that several pushes share, built on first use. */
  pairText(make: PairText, pairId: number): string {
    let byPair = this.#texts.get(make)
    if (byPair === undefined) {
      byPair = new Map()
      this.#texts.set(make, byPair)
    }
    let text = byPair.get(pairId)
    if (text === undefined) {
      text = make(this.market.facts.get(pairId), this.day(pairId))
      byPair.set(pairId, text)
    }
    return text
  }

  /**
   * Pushes of a swap in the published or reverted block. Caches one swap: all topics send it before
   * the next swap.
   */
  swapPushes(event: SwapEvent, facts: PairFacts, block: RecentBlock): SwapPushes {
    if (this.#pushes?.swap.event === event) return this.#pushes
    const { sentMs, isRevert } = this
    const { number: blockNumber, timeS, timeMs } = block.ref
    const { index } = event.swap
    const place = isRevert ? block.retractedPositionOf(index) : block.positionOf(index)
    const mark = isRevert ? 'retracted' : ''
    this.#pushes = new SwapPushes({ facts, event, blockNumber, timeS, timeMs, place, sentMs, mark })
    return this.#pushes
  }

  day(pairId: number): PairDay {
    let day = this.#days.get(pairId)
    if (day === undefined) {
      day = readPairDay(this.market.chain, pairId, this.nowS)
      this.#days.set(pairId, day)
    }
    return day
  }
}

function readPairDay({ reads }: GatewayChain, pairId: number, nowS: number): PairDay {
  const state = reads.pairState(pairId)
  const window = reads.pairTrading(pairId, dayWindowIndex, nowS)
  const is0Target = state.targetTokenId === state.record.token0Id
  const priceUsd = is0Target ? state.price0Usd : state.price1Usd
  const changeToday = changePercent(reads.pairDayOpenUsd(pairId, nowS), priceUsd)
  return { state, window, priceUsd, changeToday }
}
