import type { PairState } from '../../../engine/marketReads.ts'
import { decimalOfRaw } from '../../../lib/decimal.ts'
import type { PairNews } from '../../../model/pairNews.ts'
import type { Clock } from '../../gatewayChain.ts'
import type { OrphanBlock } from '../../recent/recentBlocks.ts'
import { poolReason } from '../../rows/usdReason.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import { newPairsResultText, newPairText } from '../../rowTexts.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { Channel } from '../channel.ts'
import type { EntryScope } from '../entryScope.ts'
import type { Subscriber } from '../feed.ts'
import type { PairFacts } from '../pairFacts.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { chainParams } from '../params/topicParams.ts'
import { type Push, type PushPlace, TextPush } from '../push.ts'
import { endIndex } from '../replay/cursor.ts'
import type { BlockNews } from '../replay/feedHistory.ts'
import { ItemReplay } from '../replay/itemReplay.ts'
import type {
  ReplayEvent,
  ReplayParts,
  ReplaySource,
  StoredReplayEvent,
} from '../replay/replaySource.ts'
import type { ChainTopic, Topic } from '../topic.ts'
import { marksOf, type ResultMark } from '../tradeTexts.ts'

/** Pairs of a chain that are created or graduated. */
export const newPairs: Topic = {
  words: [{ name: 'new_pairs', params: chainParams }],
  open:
    ({ clock }) =>
    (market) =>
      new NewPairsTopic(market, clock),
}

class NewPairsTopic implements ChainTopic {
  readonly indexes = []
  private readonly channel = new Channel()
  private readonly market: ChainMarket
  private readonly clock: Clock

  constructor(market: ChainMarket, clock: Clock) {
    this.market = market
    this.clock = clock
  }

  isEmpty(): boolean {
    return this.channel.size === 0
  }

  join(_: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    this.channel.add(subscriber, fromSeq, this.market.recent.seq)
  }

  leave(_: ItemTarget, subscriber: Subscriber): void {
    this.channel.delete(subscriber)
  }

  channels(): Channel[] {
    return [this.channel]
  }

  replay(parts: ReplayParts): ItemReplay {
    return new ItemReplay(parts, createNewsSource(this.market, this.clock))
  }

  retracted({ sentMs }: EntryScope, orphan: OrphanBlock): void {
    if (!this.channel.hasRevisions) return
    for (const { event, index, pair } of orphanNewsOf(orphan)) {
      const place = orphan.block.retractedPlace(index)
      this.channel.sendRevision(retractedPush(pair, event, place, sentMs))
    }
  }

  end({ market, sentMs, block }: EntryScope): void {
    if (block === null || this.channel.size === 0) return
    for (const [index, news] of block.news().entries()) {
      const push = newsPush(market, news, { place: block.place(index), mark: '', sentMs })
      this.channel.deliver(push, block.repeatedNews?.get(index))
    }
  }
}

/** A pair that was created or graduated, as it is now. The index of the place is the one among the block's news. */
function newsPush(
  { chain, facts }: ChainMarket,
  { event, pairId }: PairNews,
  { place, mark, sentMs }: { place: PushPlace; mark: ResultMark; sentMs: number },
): Push {
  const result = newPairResult(facts.get(pairId), chain.reads.pairState(pairId), event, mark)
  return new TextPush({ result, place, sentMs, conflateKey: null })
}

function retractedPush(
  pair: PairFacts,
  event: PairNews['event'],
  place: PushPlace,
  sentMs: number,
): Push {
  const result = newPairResult(pair, null, event, 'retracted')
  return new TextPush({ result, place, sentMs, conflateKey: null })
}

/** News of a block that was reverted, each with its pair: newest first, as they are retracted. */
function orphanNewsOf({
  block,
  facts,
}: OrphanBlock): { event: PairNews['event']; index: number; pair: PairFacts }[] {
  return block
    .news()
    .flatMap(({ event, pairId }, index) => {
      const pair = facts.get(pairId)
      return pair === undefined ? [] : [{ event, index, pair }]
    })
    .reverse()
}

function createNewsSource(market: ChainMarket, clock: Clock): ReplaySource {
  const eventOf = (news: PairNews, index: number): ReplayEvent => ({
    index,
    push: (place, mark) => newsPush(market, news, { place, mark, sentMs: clock.nowMs() }),
  })

  const eventsOf = ({ ref, news }: BlockNews): StoredReplayEvent[] =>
    news.map((one, index) => ({
      ...eventOf(one, index),
      number: ref.number,
      timeS: ref.timeS,
      ref,
    }))

  return {
    inBlock: (block) => block.news().map(eventOf),
    inOrphan: (orphan) =>
      orphanNewsOf(orphan).map(({ index, event, pair }) => ({
        index,
        push: (place) => retractedPush(pair, event, place, clock.nowMs()),
      })),
    async load(history, { after, toNumber, limit }) {
      // From the end of a block it goes on with the next, lest a page that holds no more than it leads nowhere.
      const isExclusive = after.index === endIndex
      const { blocks, reached } = await history.loadNews(market.chain, {
        from: after,
        isExclusive,
        toNumber,
        limit,
        order: 'asc',
      })
      // Looked up last: days of the log are dropped oldest first, so nothing behind the place was gone before.
      const canonical = await history.findBlocks(market.chain, [after.number])
      if (canonical.get(after.number)?.hash !== after.hash) return null
      const found = blocks
        .flatMap(eventsOf)
        .filter((event) => event.number > after.number || event.index > after.index)
      if (found.length <= limit)
        return { events: found, next: reached === null ? null : { ...reached, index: endIndex } }
      const events = found.slice(0, limit)
      const { ref, index } = events.at(-1)!
      return { events, next: { ...ref!, index } }
    },
    async loadNewest(history, { toNumber, limit }) {
      const from = { number: -1, timeS: 0 }
      const query = { from, isExclusive: false, toNumber, limit, order: 'desc' as const }
      const { blocks } = await history.loadNews(market.chain, query)
      return blocks.toReversed().flatMap(eventsOf).slice(-limit)
    },
  }
}

/** Null `state`: the block was reverted and the pair with it. */
function newPairResult(
  facts: PairFacts,
  state: PairState | null,
  event: PairNews['event'],
  mark: ResultMark,
): string {
  const { token0, token1 } = facts
  const pair = newPairText({
    amm: facts.ammJson,
    chain: facts.chainJson,
    created_at: `${facts.createdAtS}`,
    is_trusted: `${facts.isTrusted}`,
    pair: facts.addressJson,
    tag: facts.tagJson,
    target_token: facts.target.addressJson,
    token0_address: token0.addressJson,
    token0_decimal: `${token0.decimals}`,
    token0_symbol: token0.symbolJson,
    token1_address: token1.addressJson,
    token1_decimal: `${token1.decimals}`,
    token1_symbol: token1.symbolJson,
    reserve0: state === null ? null : decimalOfRaw(state.reserve0, token0.decimals),
    reserve1: state === null ? null : decimalOfRaw(state.reserve1, token1.decimals),
    tvl: state === null ? null : decimalOrZero(state.tvlUsd),
    usd_reason: poolReason(facts.isTrusted),
  })
  const { snapshot, retracted } = marksOf(mark)
  return newPairsResultText({ snapshot, retracted, event, id: facts.idJson, pair })
}
