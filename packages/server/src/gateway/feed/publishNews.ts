import type { PairNews } from '../../model/pairNews.ts'
import type { RecentBlock } from '../recent/recentBlock.ts'
import type { OrphanBlock } from '../recent/recentBlocks.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { EntryScope } from './entryScope.ts'
import type { ResultMark } from './jsonText.ts'
import type { PairFacts } from './pairFacts.ts'
import type { Push } from './push.ts'
import { type PushPlace, TextPush } from './textPush.ts'
import { newPairResult } from './topics/newPairs.ts'

/** A pair that was created or graduated, as it is now. The index of the place is the one among the block's news. */
export function newsPush(
  { chain, facts }: ChainMarket,
  { event, pairId }: PairNews,
  { place, mark, sentMs }: { place: PushPlace; mark: ResultMark; sentMs: number },
): Push {
  const result = newPairResult(facts.get(pairId), chain.reads.pairState(pairId), event, mark)
  return new TextPush({ result, place, sentMs, conflateKey: null })
}

export function retractedNewsPush(
  pair: PairFacts,
  event: PairNews['event'],
  place: PushPlace,
  sentMs: number,
): Push {
  const result = newPairResult(pair, null, event, 'retracted')
  return new TextPush({ result, place, sentMs, conflateKey: null })
}

/** News of a block that was reverted, each with its pair: newest first, as they are retracted. */
export function orphanNewsOf({
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

export function publishNews({ market, sentMs }: EntryScope, block: RecentBlock): void {
  const { newPairs } = market.topics
  if (newPairs.size === 0) return
  block.news().forEach((news, index) => {
    const push = newsPush(market, news, { place: block.place(index), mark: '', sentMs })
    newPairs.deliver(push, block.repeatedNews?.get(index))
  })
}

export function retractNews({ market, sentMs }: EntryScope, orphan: OrphanBlock): void {
  const { newPairs } = market.topics
  if (!newPairs.hasRevisions) return
  for (const { event, index, pair } of orphanNewsOf(orphan))
    newPairs.sendRevision(
      retractedNewsPush(pair, event, orphan.block.retractedPlace(index), sentMs),
    )
}
