import type { PairMilestone } from '../../model/pairMilestones.ts'
import { blockEndIndex } from '../chain/cursor.ts'
import type { PairFacts } from '../chain/pairFacts.ts'
import type { PushPosition, RecentBlock } from '../chain/recentBlock.ts'
import type { OrphanBlock } from '../chain/recentBlocks.ts'
import type { ChainMarket } from './chainMarket.ts'
import { WholeChainTopic } from './keyedTopic.ts'
import type { PublishScope } from './publishScope.ts'
import { type Push, TextPush } from './push.ts'
import type { ReplayEvent, ReplaySource, StoredReplayEvent } from './replay/replaySource.ts'
import type { BlockPairNews } from './replay/replayStore.ts'
import type { ResultMark } from './tradeTexts.ts'

/**
 * Something that happened to a pair, such as its creation. `index` is the position among the
 * block's pair news.
 */
export type PairNewsItem = { index: number; pair: PairFacts }

/** Finds the facts of a pair; undefined for a pair that the reverted block did not contain. */
export type FindPairFacts = (pairId: number) => PairFacts | undefined

/**
 * A topic of pair news on a whole chain. Each push shows the pair as it is at the time of sending.
 */
export abstract class PairNewsTopic<news extends PairNewsItem> extends WholeChainTopic {
  /** Returns the news of a block that this topic pushes, ordered by index. */
  protected abstract newsOf(block: RecentBlock, factsOf: FindPairFacts): news[]
  /** Converts pair news read from the store; null: news of a kind that this topic does not push. */
  protected abstract storedNewsOf(news: PairMilestone, index: number): news | null
  protected abstract resultOf(news: news, mark: ResultMark): string

  afterRetractions({ sentMs }: PublishScope, { block, facts }: OrphanBlock): void {
    const { channel } = this
    if (!channel?.hasRevisions) return
    for (const news of this.newsOf(block, (pairId) => facts.get(pairId)).reverse()) {
      const place = block.retractedPositionOf(news.index)
      channel.sendWithRevisions(this.#push(news, place, 'retracted', sentMs))
    }
  }

  afterEvents({ sentMs, block }: PublishScope): void {
    const { channel } = this
    if (block === null || channel === undefined) return
    for (const news of this.newsOf(block, this.#factsNow)) {
      const push = this.#push(news, block.positionOf(news.index), '', sentMs)
      channel.sendEvent(push, block.repeatedNews?.get(news.index))
    }
  }

  protected sourceOf(): ReplaySource {
    const eventOf = (news: news): ReplayEvent => ({
      index: news.index,
      push: (place, mark) => this.#push(news, place, mark, this.clock.nowMs()),
    })
    return {
      ...createStoredNewsSource(this.market, (stored, index) => {
        const news = this.storedNewsOf(stored, index)
        return news === null ? null : eventOf(news)
      }),
      eventsIn: (block) => this.newsOf(block, this.#factsNow).map(eventOf),
      revertedEventsIn: ({ block, facts }) =>
        this.newsOf(block, (pairId) => facts.get(pairId))
          .reverse()
          .map(eventOf),
    }
  }

  readonly #factsNow: FindPairFacts = (pairId) => this.market.facts.get(pairId)

  #push(news: news, place: PushPosition, mark: ResultMark, sentMs: number): Push {
    return new TextPush({ result: this.resultOf(news, mark), place, sentMs, conflateKey: null })
  }
}

// Most pair news may be of other kinds, so a snapshot reads at most this many pages of blocks.
const newestReadsMax = 10

/** Reads pair news from the store. `eventOf` returns null for news that the topic does not push. */
function createStoredNewsSource(
  { chain }: ChainMarket,
  eventOf: (news: PairMilestone, index: number) => ReplayEvent | null,
): Pick<ReplaySource, 'load' | 'loadNewest'> {
  const eventsOf = ({ ref, news }: BlockPairNews): StoredReplayEvent[] =>
    news.flatMap((one, index) => {
      const event = eventOf(one, index)
      return event === null ? [] : [{ ...event, number: ref.number, timeS: ref.timeS, ref }]
    })

  return {
    async load(history, { after, toNumber, limit }) {
      // After the end of a block, start with the next one. A page that holds only the finished
      // block would make no progress.
      const isExclusive = after.index === blockEndIndex
      const { blocks, reached } = await history.loadNews(chain, {
        from: after,
        isExclusive,
        toNumber,
        limit,
        order: 'asc',
      })
      // Check last: log days are dropped oldest first. If the cursor's block is still there,
      // nothing after it was missing.
      const canonical = await history.findBlocks(chain, [after.number])
      if (canonical.get(after.number)?.hash !== after.hash) return null
      const found = blocks
        .flatMap(eventsOf)
        .filter((event) => event.number > after.number || event.index > after.index)
      if (found.length <= limit)
        return {
          events: found,
          next: reached === null ? null : { ...reached, index: blockEndIndex },
        }
      const events = found.slice(0, limit)
      const { ref, index } = events.at(-1)!
      return { events, next: { ...ref!, index } }
    },
    async loadNewest(history, query) {
      const { limit } = query
      const from = { number: -1, timeS: 0 }
      let { toNumber } = query
      let events: StoredReplayEvent[] = []
      for (let reads = 0; reads < newestReadsMax && events.length < limit; reads += 1) {
        const page = { from, isExclusive: false, toNumber, limit, order: 'desc' as const }
        const { blocks } = await history.loadNews(chain, page)
        events = [...blocks.toReversed().flatMap(eventsOf), ...events]
        if (blocks.length < limit) break
        toNumber = blocks.at(-1)!.ref.parentNumber
      }
      return events.slice(-limit)
    },
  }
}
