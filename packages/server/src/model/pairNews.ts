import type { MarketEvent } from './marketEvent.ts'
import type { PairRecord } from './pair.ts'

/** A pair that is new, or one that a launch graduated to. */
export type PairNews = { event: 'created' | 'graduated'; pairId: number }

/** One that was discovered late is new to us alone. */
export function isNewPair({ createdAtS }: PairRecord): boolean {
  return createdAtS !== 0
}

/** What a block's events tell of such pairs, in order: readers resume by the place among them. */
export function pairNewsOf(events: readonly MarketEvent[]): PairNews[] {
  const news: PairNews[] = []
  for (const event of events)
    if (event.type === 'pair') {
      if (isNewPair(event.pair)) news.push({ event: 'created', pairId: event.pair.id })
    } else if (event.type === 'launch' && event.state === 'graduated')
      news.push({ event: 'graduated', pairId: event.pairId })
  return news
}
