import { strict as assert } from 'node:assert'
import type { LogEntry } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { Clock } from '../gatewayChain.ts'
import type { RecentBlock } from '../recent/recentBlock.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { PairFacts } from './pairFacts.ts'
import { publishBlock, publishRevert } from './publishEntry.ts'

/** Takes an entry that the engine and the newest blocks have just taken to those who listen. */
export function applyEntry(
  market: ChainMarket,
  entry: LogEntry,
  events: readonly MarketEvent[],
  clock: Clock,
): void {
  switch (entry.type) {
    case 'commit': {
      for (const event of events)
        if (event.type === 'token') market.topics.tokenAdded(event.token.id, event.token.address)
        else if (event.type === 'pair') market.topics.pairAdded(event.pair.id, event.pair.address)
      const block = market.recent.last
      assert(block?.ref.hash === entry.block.ref.hash, 'the block is among the newest')
      noteBorn(market, block)
      market.revertedTrades.match(block, market.facts)
      publishBlock(market, block, clock)
      return
    }
    case 'late':
      for (const event of events) if (event.type === 'token') market.facts.setToken(event.token)
      return
    case 'revert':
      revert(market, events, clock)
      return
    case 'finalize':
      return
  }
}

/** Remembers the pairs of a block that would be unknown without it, so that it can be reverted. */
export function noteBorn({ facts }: ChainMarket, { events, born }: RecentBlock): void {
  for (const event of events)
    if (event.type === 'pair') born.set(event.pair.id, facts.get(event.pair.id))
}

function revert(market: ChainMarket, events: readonly MarketEvent[], clock: Clock): void {
  const block = market.recent.gone
  // What the block said is known only if it was seen; the market as it is now goes out in any case.
  const orphan = block === null ? null : { block, facts: factsOf(market, block) }
  market.forget()
  if (orphan !== null) {
    market.recent.addOrphan(orphan)
    market.revertedTrades.take(orphan, market.recent.seq)
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
