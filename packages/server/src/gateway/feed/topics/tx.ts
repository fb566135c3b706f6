import { decimalOfRaw } from '../../../lib/decimal.ts'
import { accountFlag, type FinishedSwap } from '../../../model/finishedBlock.ts'
import type { SwapEvent } from '../../../model/marketEvent.ts'
import type { Clock } from '../../gatewayChain.ts'
import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import { ofPairSwapText, profileText, tokenSwapText, txResultText } from '../../rowTexts.ts'
import { AddressChannels } from '../addressIndex.ts'
import type { ChainMarket } from '../chainMarket.ts'
import type { Channel } from '../channel.ts'
import type { EntryScope } from '../entryScope.ts'
import type { Subscriber } from '../feed.ts'
import type { PairFacts } from '../pairFacts.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { pairParams, tokenParams } from '../params/topicParams.ts'
import { type Push, TextPush } from '../push.ts'
import { ItemReplay } from '../replay/itemReplay.ts'
import type { ReplayParts } from '../replay/replaySource.ts'
import { createTradeReplaySource } from '../replay/tradeReplaySource.ts'
import type { ChainTopic, Topic } from '../topic.ts'
import {
  amountText,
  jsonWord,
  marksOf,
  type PlacedTrade,
  pushedWorth,
  type ResultMark,
  usdE8Text,
} from '../tradeTexts.ts'

/** Swaps: `tx` those of a pair, `multi_tx` those of every pair of a token. */
export const tx: Topic = {
  words: [
    { name: 'tx', params: pairParams },
    { name: 'multi_tx', params: tokenParams },
  ],
  open:
    ({ clock }) =>
    (market) =>
      new SwapTopic(market, clock),
}

type PlacedSwap = PlacedTrade<SwapEvent>

class SwapTopic implements ChainTopic {
  readonly publish = {
    swap: (scope: EntryScope, event: SwapEvent) => this.publishSwap(scope, event),
  }
  readonly retract = {
    swap: (scope: EntryScope, event: SwapEvent, orphan: OrphanBlock) =>
      this.retractSwap(scope, event, orphan),
  }
  readonly indexes: readonly AddressChannels[]
  private readonly ofPair: AddressChannels
  private readonly ofToken: AddressChannels
  private readonly clock: Clock

  constructor(market: ChainMarket, clock: Clock) {
    this.ofPair = new AddressChannels(market)
    this.ofToken = new AddressChannels(market)
    this.indexes = [this.ofPair, this.ofToken]
    this.clock = clock
  }

  isEmpty(): boolean {
    return this.ofPair.size === 0 && this.ofToken.size === 0
  }

  join(target: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    this.indexOf(target).join(target, subscriber, fromSeq)
  }

  leave(target: ItemTarget, subscriber: Subscriber): void {
    this.indexOf(target).leave(target, subscriber)
  }

  channels(): Channel[] {
    return this.indexes.flatMap((index) => index.channels())
  }

  replay(parts: ReplayParts): ItemReplay {
    const { market, target } = parts
    const isOfToken = target.topic === 'multi_tx'
    const source = createTradeReplaySource<SwapEvent>({
      market,
      clock: this.clock,
      kind: 'swap',
      of: isOfToken ? 'token' : 'pair',
      address: target.address,
      push(swap) {
        const pushes = new SwapPushes(swap)
        return isOfToken ? pushes.ofToken() : pushes.ofPair()
      },
    })
    return new ItemReplay(parts, source)
  }

  private indexOf({ topic }: ItemTarget): AddressChannels {
    return topic === 'multi_tx' ? this.ofToken : this.ofPair
  }

  private publishSwap({ market, sentMs, block }: EntryScope, event: SwapEvent): void {
    const { pairId, index } = event.swap
    const ofPair = this.ofPair.pair(pairId)?.value
    const ofTokens = this.ofToken.hasTokens ? this.tokenChannels(market.facts.get(pairId)) : none
    if (block === null || (ofPair === undefined && ofTokens.length === 0)) return
    const { number: blockNumber, timeS } = block.ref
    const facts = market.facts.get(pairId)
    const place = block.place(index)
    const pushes = new SwapPushes({ facts, event, blockNumber, timeS, place, sentMs, mark: '' })
    const repeat = block.repeats?.get(event)
    ofPair?.deliver(pushes.ofPair(), repeat)
    for (const channel of ofTokens) channel.deliver(pushes.ofToken(), repeat)
  }

  /** To those who asked for it. Found by address: the pair may be gone with its block. */
  private retractSwap(
    { sentMs }: EntryScope,
    event: SwapEvent,
    { block, facts: known }: OrphanBlock,
  ): void {
    const { pairId, index } = event.swap
    const facts = known.get(pairId)
    if (facts === undefined) return
    const { number: blockNumber, timeS } = block.ref
    const place = block.retractedPlace(index)
    const mark = 'retracted'
    const pushes = new SwapPushes({ facts, event, blockNumber, timeS, place, sentMs, mark })
    const ofPair = this.ofPair.find(facts.address)?.value
    if (ofPair?.hasRevisions) ofPair.sendRevision(pushes.ofPair())
    for (const { address } of [facts.token0, facts.token1]) {
      const ofToken = this.ofToken.find(address)?.value
      if (ofToken?.hasRevisions) ofToken.sendRevision(pushes.ofToken())
    }
  }

  private tokenChannels({ token0, token1 }: PairFacts): readonly Channel[] {
    const of0 = this.ofToken.token(token0.id)?.value
    const of1 = this.ofToken.token(token1.id)?.value
    if (of0 === undefined) return of1 === undefined ? none : [of1]
    return of1 === undefined ? [of0] : [of0, of1]
  }
}

const none: readonly Channel[] = []

/** Both forms of a swap's push; what they share is made once, and a form only when somebody wants it. */
class SwapPushes {
  private readonly swap: PlacedSwap
  private fieldsText: string | null = null
  private pairPush: Push | null = null
  private tokenPush: Push | null = null

  constructor(swap: PlacedSwap) {
    this.swap = swap
  }

  ofPair(): Push {
    const { facts, event, mark } = this.swap
    this.pairPush ??= this.push(pairSwapResult(facts, this.fields(), event.swap, mark))
    return this.pairPush
  }

  ofToken(): Push {
    const { facts, mark } = this.swap
    this.tokenPush ??= this.push(tokenSwapResult(facts, this.fields(), mark))
    return this.tokenPush
  }

  private fields(): string {
    this.fieldsText ??= swapFields(this.swap.facts, this.swap.event, this.swap)
    return this.fieldsText
  }

  private push(result: string): Push {
    const { place, sentMs } = this.swap
    return new TextPush({ result, place, sentMs, conflateKey: null })
  }
}

/** The fields that pair-based and token-based pushes share, without the closing brace of `tx`. */
export function swapFields(
  facts: PairFacts,
  event: SwapEvent,
  place: Pick<PlacedSwap, 'blockNumber' | 'timeS'>,
): string {
  const { swap, quote, isBuy } = event
  const { token0, token1 } = facts
  const worth = pushedWorth(facts, event)
  // Bought is the target token of a buy, sold that of a sell.
  const isFrom0 = facts.is0Target !== isBuy
  const from = isFrom0 ? token0 : token1
  const to = isFrom0 ? token1 : token0
  const wallet = jsonWord(swap.wallet)
  const amount0 = amountText(swap.amount0, token0.decimals)
  const amount1 = amountText(swap.amount1, token1.decimals)
  const reserve0 = amountText(swap.reserve0, token0.decimals)
  const reserve1 = amountText(swap.reserve1, token1.decimals)
  const usd0 = decimalOrZero(quote.price0Usd)
  const usd1 = decimalOrZero(quote.price1Usd)
  const native0 = decimalOrZero(quote.price0Native)
  const native1 = decimalOrZero(quote.price1Native)
  return tokenSwapText({
    amm: facts.ammJson,
    amount_eth: amountText(worth.nativeRaw, facts.nativeDecimals),
    amount_usd: usdE8Text(worth.usdE8),
    block_number: `${place.blockNumber}`,
    chain: facts.chainJson,
    direction: isBuy ? 'buy' : 'sell',
    from_address: from.addressJson,
    from_amount: isFrom0 ? amount0 : amount1,
    from_price_eth: isFrom0 ? native0 : native1,
    from_price_usd: isFrom0 ? usd0 : usd1,
    from_reserve: isFrom0 ? reserve0 : reserve1,
    from_symbol: from.symbolJson,
    id: `"${place.blockNumber}-${swap.index}"`,
    pair_address: facts.addressJson,
    pair_liquidity_eth: decimalOrZero(quote.liquidityNative),
    pair_liquidity_usd: decimalOrZero(quote.liquidityUsd),
    sender: swap.sender === '' ? wallet : jsonWord(swap.sender),
    target_token: facts.target.addressJson,
    time: `${place.timeS}`,
    to: swap.to === '' ? wallet : jsonWord(swap.to),
    to_address: to.addressJson,
    to_amount: isFrom0 ? amount1 : amount0,
    to_price_eth: isFrom0 ? native1 : native0,
    to_price_usd: isFrom0 ? usd1 : usd0,
    to_reserve: isFrom0 ? reserve1 : reserve0,
    to_symbol: to.symbolJson,
    transaction: jsonWord(swap.txHash),
    tx_swap_type: isBuy ? '0' : '1',
    wallet_address: wallet,
    wallet_tag: 'null',
    usd_reason: worth.reason,
  })
}

/** Of a `tx` subscription: with what the trader holds after the swap. */
export function pairSwapResult(
  facts: PairFacts,
  fields: string,
  swap: FinishedSwap,
  mark: ResultMark,
): string {
  const ofPair = ofPairSwapText({ profile: profileOf(facts, swap), tx_seq: `${swap.index}` })
  return resultOf(facts, mark, fields + ofPair)
}

/** Of a `multi_tx` subscription. */
export function tokenSwapResult(facts: PairFacts, fields: string, mark: ResultMark): string {
  return resultOf(facts, mark, `${fields}}`)
}

function resultOf({ addressJson }: PairFacts, mark: ResultMark, tx: string): string {
  const { snapshot, retracted } = marksOf(mark)
  return txResultText({ snapshot, retracted, id: addressJson, tx })
}

/** JSON inside a JSON string. A holding that is not known is left out: a number would be made up. */
function profileOf({ token0, token1, nativeDecimals }: PairFacts, swap: FinishedSwap): string {
  const flags = swap.accountFlags
  const has = (flag: number) => ((flags & flag) === 0 ? 'false' : 'true')
  return profileText({
    solTotalHolding: holding(swap.native, nativeDecimals),
    token0Address: inner(token0.addressJson),
    token0HasClearedAccount: has(accountFlag.token0Cleared),
    token0HasClosedAccount: has(accountFlag.token0Closed),
    token0HasNewAccount: has(accountFlag.token0New),
    token0TotalHolding: holding(swap.holding0, token0.decimals),
    token1Address: inner(token1.addressJson),
    token1HasClearedAccount: has(accountFlag.token1Cleared),
    token1HasClosedAccount: has(accountFlag.token1Closed),
    token1TotalHolding: holding(swap.holding1, token1.decimals),
    token1HasNewAccount: has(accountFlag.token1New),
  })
}

function holding(raw: bigint | null, decimals: number): string | null {
  return raw === null ? null : decimalOfRaw(raw, decimals)
}

/** A JSON text as it is written inside a JSON string. */
function inner(json: string): string {
  return JSON.stringify(json).slice(1, -1)
}
