import type { EntryScope } from './entryScope.ts'
import { newPairResult } from './newPairPush.ts'
import type { Push } from './push.ts'
import type { RecentBlock } from './recentBlock.ts'
import type { OrphanBlock } from './recentBlocks.ts'
import type { ResultMark } from './swapPush.ts'
import { TextPush } from './textPush.ts'

/** Pairs that were created or graduated in the block, in order. The place is the one among them. */
export function newsPushes(
  { market, sentMs }: EntryScope,
  block: RecentBlock,
  mark: ResultMark,
): Push[] {
  return block.news().map(({ event, pairId }, at) => {
    const state = market.chain.reads.pairState(pairId)
    const result = newPairResult(market.facts.get(pairId), state, event, mark)
    return new TextPush({ result, place: block.place(at), sentMs, conflateKey: null })
  })
}

export function publishNews(scope: EntryScope, block: RecentBlock): void {
  const { newPairs } = scope.market.topics
  if (newPairs.size === 0) return
  for (const push of newsPushes(scope, block, '')) newPairs.send(push)
}

export function retractNews(scope: EntryScope, { block, facts }: OrphanBlock): void {
  const { newPairs } = scope.market.topics
  if (!newPairs.hasRevisions) return
  block
    .news()
    .map((news, at) => ({ ...news, at }))
    .reverse()
    .forEach(({ event, pairId, at }) => {
      const pair = facts.get(pairId)
      if (pair === undefined) return
      const result = newPairResult(pair, null, event, '"retracted":true,')
      const place = block.retractedPlace(at)
      newPairs.sendRevision(
        new TextPush({ result, place, sentMs: scope.sentMs, conflateKey: null }),
      )
    })
}
