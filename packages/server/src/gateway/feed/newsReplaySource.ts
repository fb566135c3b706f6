import type { PairNews } from '../../model/pairNews.ts'
import type { Clock } from '../gatewayChain.ts'
import type { ChainMarket } from './chainMarket.ts'
import { newsPush, orphanNewsOf, retractedNewsPush } from './publishNews.ts'
import { endIndex } from './replay/cursor.ts'
import type { BlockNews } from './replay/feedHistory.ts'
import type { ReplayEvent, ReplaySource, StoredReplayEvent } from './replay/replaySource.ts'

/** Pairs of a chain that are created or graduated. */
export function createNewsReplaySource(market: ChainMarket, clock: Clock): ReplaySource {
  const eventOf = (news: PairNews, index: number): ReplayEvent => ({
    index,
    push: (place, mark) => newsPush(market, news, { place, mark, sentMs: clock.nowMs() }),
  })

  const eventsOf = ({ ref, news }: BlockNews): StoredReplayEvent[] =>
    news.map((one, index) => ({
      ...eventOf(one, index),
      ...{ number: ref.number, timeS: ref.timeS, ref },
    }))

  return {
    inBlock: (block) => block.news().map(eventOf),
    inOrphan: (orphan) =>
      orphanNewsOf(orphan).map(({ index, event, pair }) => ({
        index,
        push: (place) => retractedNewsPush(pair, event, place, clock.nowMs()),
      })),
    async load(history, { after, toNumber, limit }) {
      // From the end of a block it goes on with the next, lest a page that holds no more than it leads nowhere.
      const isExclusive = after.index === endIndex
      const { blocks, reached } = await history.loadNews(market.chain, {
        ...{ from: after, isExclusive, toNumber, limit, order: 'asc' },
      })
      // Looked up last: days of the log are dropped oldest first, so nothing behind the place was gone before.
      const standing = await history.findBlocks(market.chain, [after.number])
      if (standing.get(after.number)?.hash !== after.hash) return null
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
