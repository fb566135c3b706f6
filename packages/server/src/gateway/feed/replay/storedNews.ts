import type { PairNews } from '../../../model/pairNews.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { endIndex } from './cursor.ts'
import type { BlockNews } from './feedHistory.ts'
import type { ReplayEvent, ReplaySource, StoredReplayEvent } from './replaySource.ts'

// Most pair news may be of other kinds, so a snapshot reads at most this many pages of blocks.
const newestReadsMax = 10

/** Reads pair news from the store. `eventOf` returns null for news that the topic does not push. */
export function storedNews(
  { chain }: ChainMarket,
  eventOf: (news: PairNews, index: number) => ReplayEvent | null,
): Pick<ReplaySource, 'load' | 'loadNewest'> {
  const eventsOf = ({ ref, news }: BlockNews): StoredReplayEvent[] =>
    news.flatMap((one, index) => {
      const event = eventOf(one, index)
      return event === null ? [] : [{ ...event, number: ref.number, timeS: ref.timeS, ref }]
    })

  return {
    async load(history, { after, toNumber, limit }) {
      // After the end of a block, start with the next one. A page that holds only the finished
      // block would make no progress.
      const isExclusive = after.index === endIndex
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
        return { events: found, next: reached === null ? null : { ...reached, index: endIndex } }
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
