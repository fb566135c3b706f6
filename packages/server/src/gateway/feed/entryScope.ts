import { type PairState, type WindowTrading, windowsS } from '../../engine/marketReads.ts'
import type { SwapEvent } from '../../model/marketEvent.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import type { RecentBlock } from '../recent/recentBlock.ts'
import { changePercent } from '../rows/wireNumber.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { PairFacts } from './pairFacts.ts'
import type { PushPlace } from './push.ts'
import { SwapPushes } from './swapPushes.ts'

export const dayWindow = windowsS.length - 1

/** A pair and its last 24 hours. */
export type PairDay = {
  state: PairState
  window: WindowTrading
  /** Of the target token. */
  priceUsd: number | null
  /** Percent since 00:00 UTC. */
  changeToday: number
}

type ScopeOptions = {
  /** `block`: where a block's time ends windows, so that every server says the same of it. */
  windowEnd: 'block' | 'now'
  /** Of pushes about the entry as a whole. */
  place: PushPlace
  /** The block that is published; null: none is. */
  block?: RecentBlock | null
  isRevert?: boolean
}

type PairText = (facts: PairFacts, day: PairDay) => string

/** What pushes of one moment share: each pair is read once, each text is made once. */
export class EntryScope {
  readonly market: ChainMarket
  readonly sentMs: number
  readonly nowS: number
  readonly place: PushPlace
  readonly block: RecentBlock | null
  readonly isRevert: boolean
  private readonly days = new Map<number, PairDay>()
  private readonly texts = new Map<PairText, Map<number, string>>()
  private pushes: SwapPushes | null = null

  constructor(market: ChainMarket, nowMs: number, options: ScopeOptions) {
    const headS = market.chain.reads.head()?.timeS ?? 0
    this.market = market
    this.sentMs = nowMs
    this.nowS = options.windowEnd === 'block' ? headS : Math.max(Math.floor(nowMs / 1_000), headS)
    this.place = options.place
    this.block = options.block ?? null
    this.isRevert = options.isRevert ?? false
  }

  /** What several pushes say of a pair in the same words. */
  pairText(make: PairText, pairId: number): string {
    let byPair = this.texts.get(make)
    if (byPair === undefined) {
      byPair = new Map()
      this.texts.set(make, byPair)
    }
    let text = byPair.get(pairId)
    if (text === undefined) {
      text = make(this.market.facts.get(pairId), this.day(pairId))
      byPair.set(pairId, text)
    }
    return text
  }

  /** Of a swap of the block that is published, or of one that was reverted. Every topic sends one before the next comes. */
  swapPushes(event: SwapEvent, facts: PairFacts, block: RecentBlock): SwapPushes {
    if (this.pushes?.swap.event === event) return this.pushes
    const { sentMs, isRevert } = this
    const { number: blockNumber, timeS, timeMs } = block.ref
    const { index } = event.swap
    const place = isRevert ? block.retractedPlace(index) : block.place(index)
    const mark = isRevert ? 'retracted' : ''
    this.pushes = new SwapPushes({ facts, event, blockNumber, timeS, timeMs, place, sentMs, mark })
    return this.pushes
  }

  day(pairId: number): PairDay {
    let day = this.days.get(pairId)
    if (day === undefined) {
      day = readPairDay(this.market.chain, pairId, this.nowS)
      this.days.set(pairId, day)
    }
    return day
  }
}

function readPairDay({ reads }: GatewayChain, pairId: number, nowS: number): PairDay {
  const state = reads.pairState(pairId)
  const window = reads.pairTrading(pairId, dayWindow, nowS)
  const is0Target = state.targetTokenId === state.record.token0Id
  const priceUsd = is0Target ? state.price0Usd : state.price1Usd
  const changeToday = changePercent(reads.pairDayOpenUsd(pairId, nowS), priceUsd)
  return { state, window, priceUsd, changeToday }
}
