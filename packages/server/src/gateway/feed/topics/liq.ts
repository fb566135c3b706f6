import type { LiquidityTx } from '@chaintape/protocol'
import type { LiquidityEvent } from '../../../model/marketEvent.ts'
import type { LiquidityKind } from '../../../model/pool.ts'
import type { Clock } from '../../chain/gatewayChain.ts'
import type { PairFacts } from '../../chain/pairFacts.ts'
import type { OrphanBlock } from '../../chain/recentBlocks.ts'
import { liqResultText, liquidityText } from '../../ground/rowTexts.ts'
import { decimalOrZero, unknownMark } from '../../rows/wireNumber.ts'
import { AddressChannels } from '../addressIndex.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { PushChannel } from '../channel.ts'
import type { Subscriber } from '../feed.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { pairParams } from '../params/topicParams.ts'
import type { PublishScope } from '../publishScope.ts'
import { type Push, TextPush } from '../push.ts'
import type { ReplayParts } from '../replay/replaySource.ts'
import { EventReplay } from '../replay/topicReplay.ts'
import { createTradeReplaySource, tradesOfPair } from '../replay/tradeReplaySource.ts'
import type { ChainTopic, Topic } from '../topic.ts'
import {
  amountText,
  jsonString,
  type LocatedTrade,
  markFields,
  pushedValue,
  type ResultMark,
  type TradeBlock,
  timeMsText,
  usdE8Text,
} from '../tradeTexts.ts'

/** Topic `liq`: changes of a pair's liquidity. */
export const liqTopic: Topic = {
  variants: [{ name: 'liq', params: pairParams }],
  open:
    ({ clock }) =>
    (market) =>
      new LiquidityTopic(market, clock),
}

class LiquidityTopic implements ChainTopic {
  readonly publish = {
    liquidity: (scope: PublishScope, event: LiquidityEvent) => this.#publishChange(scope, event),
  }
  readonly retract = {
    liquidity: (scope: PublishScope, event: LiquidityEvent, orphan: OrphanBlock) =>
      this.#retractChange(scope, event, orphan),
  }
  readonly indexes: readonly AddressChannels[]
  readonly #index: AddressChannels
  readonly #clock: Clock

  constructor(market: ChainMarket, clock: Clock) {
    this.#index = new AddressChannels(market)
    this.indexes = [this.#index]
    this.#clock = clock
  }

  isEmpty(): boolean {
    return this.#index.size === 0
  }

  join(target: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    this.#index.join(target, subscriber, fromSeq)
  }

  leave(target: ItemTarget, subscriber: Subscriber): void {
    this.#index.leave(target, subscriber)
  }

  channels(): PushChannel[] {
    return this.#index.channels()
  }

  replay(parts: ReplayParts): EventReplay {
    const source = createTradeReplaySource<LiquidityEvent>({
      market: parts.market,
      clock: this.#clock,
      kind: 'liquidity',
      selection: tradesOfPair(parts.market, parts.target.address),
      push: liquidityPush,
    })
    return new EventReplay(parts, source)
  }

  #publishChange({ market, sentMs, block }: PublishScope, event: LiquidityEvent): void {
    const { pairId, index } = event.liquidity
    const channel = this.#index.findByPair(pairId)?.value
    if (block === null || channel === undefined) return
    const { number: blockNumber, timeS, timeMs } = block.ref
    const facts = market.facts.get(pairId)
    const place = block.positionOf(index)
    const push = liquidityPush({
      facts,
      event,
      blockNumber,
      timeS,
      timeMs,
      place,
      sentMs,
      mark: '',
    })
    channel.sendEvent(push, block.repeats?.get(event))
  }

  #retractChange(
    { sentMs }: PublishScope,
    event: LiquidityEvent,
    { block, facts: known }: OrphanBlock,
  ): void {
    const { pairId, index } = event.liquidity
    const facts = known.get(pairId)
    const channel = facts === undefined ? undefined : this.#index.find(facts.address)?.value
    if (facts === undefined || !channel?.hasRevisions) return
    const { number: blockNumber, timeS, timeMs } = block.ref
    const place = block.retractedPositionOf(index)
    const mark = 'retracted'
    channel.sendWithRevisions(
      liquidityPush({ facts, event, blockNumber, timeS, timeMs, place, sentMs, mark }),
    )
  }
}

function liquidityPush(change: LocatedTrade<LiquidityEvent>): Push {
  const { facts, event, place, sentMs, mark } = change
  const result = liquidityResult(facts, event, change, mark)
  return new TextPush({ result, place, sentMs, conflateKey: null })
}

const typeWords: Record<LiquidityKind, LiquidityTx['type']> = {
  add: 'addLiquidity',
  remove: 'removeLiquidity',
  create: 'createPair',
  collect: 'collectFee',
}

export function liquidityResult(
  facts: PairFacts,
  event: LiquidityEvent,
  place: TradeBlock,
  mark: ResultMark,
): string {
  const { liquidity, quote } = event
  const { token0, token1 } = facts
  const worth = pushedValue(facts, event)
  const wallet = jsonString(liquidity.wallet)
  const known = unknownMark(quote.liquidityUsd !== null)
  const tx = liquidityText({
    amm: facts.ammJson,
    block_number: `${place.blockNumber}`,
    chain: facts.chainJson,
    id: `"${place.blockNumber}-${liquidity.index}"`,
    pair_address: facts.addressJson,
    sender: liquidity.sender === '' ? wallet : jsonString(liquidity.sender),
    time: `${place.timeS}`,
    time_ms: timeMsText(place.timeMs),
    transaction: jsonString(liquidity.txHash),
    type: typeWords[liquidity.kind],
    wallet_address: wallet,
    amount0: amountText(liquidity.amount0, token0.decimals),
    reserve0: amountText(liquidity.reserve0, token0.decimals),
    reserve0_known: known,
    token0_address: token0.addressJson,
    token0_price_eth: decimalOrZero(quote.price0Native),
    token0_price_usd: decimalOrZero(quote.price0Usd),
    token0_symbol: token0.symbolJson,
    amount1: amountText(liquidity.amount1, token1.decimals),
    reserve1: amountText(liquidity.reserve1, token1.decimals),
    reserve1_known: known,
    token1_address: token1.addressJson,
    token1_price_eth: decimalOrZero(quote.price1Native),
    token1_price_usd: decimalOrZero(quote.price1Usd),
    token1_symbol: token1.symbolJson,
    amount_eth: amountText(worth.nativeRaw, facts.nativeDecimals),
    amount_usd: usdE8Text(worth.usdE8),
    pair_liquidity_eth: decimalOrZero(quote.liquidityNative),
    pair_liquidity_usd: decimalOrZero(quote.liquidityUsd),
    pair_liquidity_usd_known: known,
    pair_liquidity_eth_known: known,
    usd_reason: worth.reason,
  })
  const { snapshot, retracted } = markFields(mark)
  return liqResultText({ snapshot, retracted, id: facts.addressJson, tx })
}
