import type { BlockRef } from '../../model/block.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { Clock } from '../gatewayChain.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { PairFacts } from './pairFacts.ts'
import { publishBlock, publishRevert } from './publishEntry.ts'
import type { RecentBlock } from './recentBlock.ts'
import type { StandingBlock } from './standingBlocks.ts'

/** Takes an entry that the engine has just applied to memory and to those who listen. */
export function applyEntry(
  market: ChainMarket,
  entry: LogEntry,
  events: readonly MarketEvent[],
  clock: Clock,
): void {
  switch (entry.type) {
    case 'commit': {
      const { ref, receivedMs } = entry.block
      for (const event of events)
        if (event.type === 'token') market.topics.tokenAdded(event.token.id, event.token.address)
        else if (event.type === 'pair') market.topics.pairAdded(event.pair.id, event.pair.address)
      const block = takeBlock(market, { ref, receivedMs, events })
      market.takenBack.match(block, market.facts)
      publishBlock(market, block, clock)
      market.trim()
      return
    }
    case 'late':
      for (const event of events) if (event.type === 'token') market.facts.setToken(event.token)
      return
    case 'revert':
      revert(market, entry.ref, events, clock)
      return
    case 'finalize':
      return
  }
}

/** Remembers a block, so that it can be resumed from and taken back. */
export function takeBlock(market: ChainMarket, parts: StandingBlock): RecentBlock {
  const block = market.recent.commit(parts)
  for (const event of parts.events)
    if (event.type === 'pair') block.born.set(event.pair.id, market.facts.get(event.pair.id))
  return block
}

function revert(
  market: ChainMarket,
  ref: BlockRef,
  events: readonly MarketEvent[],
  clock: Clock,
): void {
  const block = market.recent.revert(ref)
  // What the block said is known only if it was seen; the market as it is now goes out in any case.
  const orphan = block === null ? null : { block, facts: factsOf(market, block) }
  market.forget()
  if (orphan !== null) {
    market.recent.addOrphan(orphan)
    market.takenBack.take(orphan, market.recent.seq)
  }
  publishRevert(market, orphan, events, clock)
}

/** Of every pair the block spoke of: those it made are gone, the others can be read. */
function factsOf({ facts, chain }: ChainMarket, block: RecentBlock): Map<number, PairFacts> {
  const found = new Map(block.born)
  const pairCount = chain.reads.pairCount()
  const keep = (pairId: number) => {
    if (pairId < pairCount) found.set(pairId, facts.get(pairId))
  }
  for (const pairId of block.trades().keys()) keep(pairId)
  for (const { pairId } of block.news()) keep(pairId)
  for (const event of block.events) if (event.type === 'mainPair') keep(event.newPairId)
  return found
}
