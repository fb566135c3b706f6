import type { SwapEvent } from '../../model/marketEvent.ts'
import type { TradeEvent } from '../recent/recentBlock.ts'
import type { ResultMark } from './jsonText.ts'
import type { PairFacts } from './pairFacts.ts'
import type { Push } from './push.ts'
import { type PushPlace, TextPush } from './textPush.ts'
import { liquidityResult } from './topics/liq.ts'
import { pairSwapResult, swapFields, tokenSwapResult } from './topics/tx.ts'

/** A trade where it happened. */
export type PlacedTrade = {
  facts: PairFacts
  event: TradeEvent
  blockNumber: number
  timeS: number
  place: PushPlace
  sentMs: number
  mark: ResultMark
}

/** The push of one trade for one topic. */
export function tradePush(topic: 'tx' | 'multi_tx' | 'liq', trade: PlacedTrade): Push {
  const { facts, event, place, sentMs, mark } = trade
  return new TextPush({ result: resultOf(), place, sentMs, conflateKey: null })

  function resultOf(): string {
    if (event.type === 'liquidity') return liquidityResult(facts, event, trade, mark)
    const fields = swapFields(facts, event, trade)
    return topic === 'tx'
      ? pairSwapResult(facts, fields, event.swap, mark)
      : tokenSwapResult(facts, fields, mark)
  }
}

/** Both forms of a swap's push; what they share is made once, and a form only when somebody wants it. */
export class SwapPushes {
  private readonly trade: PlacedTrade & { event: SwapEvent }
  private fieldsText: string | null = null
  private pairPush: Push | null = null
  private tokenPush: Push | null = null

  constructor(trade: PlacedTrade & { event: SwapEvent }) {
    this.trade = trade
  }

  ofPair(): Push {
    const { facts, event, mark } = this.trade
    this.pairPush ??= this.push(pairSwapResult(facts, this.fields(), event.swap, mark))
    return this.pairPush
  }

  ofToken(): Push {
    const { facts, mark } = this.trade
    this.tokenPush ??= this.push(tokenSwapResult(facts, this.fields(), mark))
    return this.tokenPush
  }

  private fields(): string {
    this.fieldsText ??= swapFields(this.trade.facts, this.trade.event, this.trade)
    return this.fieldsText
  }

  private push(result: string): Push {
    const { place, sentMs } = this.trade
    return new TextPush({ result, place, sentMs, conflateKey: null })
  }
}
