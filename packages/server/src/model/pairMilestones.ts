import type { MarketEvent } from './marketEvent.ts'
import type { PairRecord } from './pair.ts'

/** A new pair, or one that a launch graduated to. */
export type PairMilestone = { event: 'created' | 'graduated'; pairId: number }

/** A pair that was discovered after its creation is not new. */
function isNewPair({ createdAtS }: PairRecord): boolean {
  return createdAtS !== 0
}

/** The news in a block's events, in order: readers resume by their position. */
export function pairMilestonesOf(events: readonly MarketEvent[]): PairMilestone[] {
  const news: PairMilestone[] = []
  for (const event of events)
    if (event.type === 'pair') {
      if (isNewPair(event.pair)) news.push({ event: 'created', pairId: event.pair.id })
    } else if (event.type === 'launch' && event.state === 'graduated')
      news.push({ event: 'graduated', pairId: event.pairId })
  return news
}
