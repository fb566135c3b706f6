import { strict as assert } from 'node:assert'
import type { LogEntry } from '../../model/logEntry.ts'
import type { MarketEvent } from '../../model/marketEvent.ts'
import type { Clock } from '../chain/gatewayChain.ts'
import type { PairFacts, TokenFacts } from '../chain/pairFacts.ts'
import type { RecentBlock } from '../chain/recentBlock.ts'
import type { OrphanBlock } from '../chain/recentBlocks.ts'
import type { ChainMarket } from './chainMarket.ts'
import type { ChainTopics } from './chainTopics.ts'
import type { Subscriber } from './feed.ts'
import { PublishScope } from './publishScope.ts'
import { errorPush } from './push.ts'

/** Publishes a log entry to subscribers, after the engine and the recent blocks have applied it. */
export function publishEntry(
  topics: ChainTopics,
  entry: LogEntry,
  events: readonly MarketEvent[],
  clock: Clock,
): void {
  const { market } = topics
  switch (entry.type) {
    case 'commit': {
      for (const event of events)
        if (event.type === 'token' || event.type === 'pair') topics.bindIds(event)
      const block = market.recent.last
      assert(block?.ref.hash === entry.block.ref.hash, 'the block is the newest in memory')
      keepCreatedFacts(market, block)
      market.revertedEvents.markRepeats(block, market.facts)
      publishBlock(topics, block, clock)
      return
    }
    case 'late':
      for (const event of events) if (event.type === 'token') market.facts.setToken(event.token)
      return
    case 'revert':
      revert(topics, events, clock)
      return
    case 'finalize':
      return
  }
}

/**
 * Keeps the facts of pairs and tokens that a block created. A revert removes them from the engine,
 * but retractions still need them.
 */
export function keepCreatedFacts(
  { facts }: ChainMarket,
  { events, createdPairs, createdTokens }: RecentBlock,
): void {
  for (const event of events)
    if (event.type === 'pair') createdPairs.set(event.pair.id, facts.get(event.pair.id))
    else if (event.type === 'token') createdTokens.set(event.token.id, facts.token(event.token.id))
}

function publishBlock(topics: ChainTopics, block: RecentBlock, clock: Clock): void {
  const { market } = topics
  if (topics.isEmpty) {
    for (const event of block.events) if (event.type === 'mainPair') market.updateMainPair(event)
    return
  }
  const place = block.endPosition()
  const scope = new PublishScope(market, clock.nowMs(), { windowEnd: 'block', place, block })
  for (const event of block.events) {
    if (event.type === 'mainPair') market.updateMainPair(event)
    topics.publish(scope, event)
  }
  for (const topic of topics.all) topic.afterEvents?.(scope, null)
  for (const topic of topics.all) topic.afterAllTopics?.(scope)
}

function revert(topics: ChainTopics, events: readonly MarketEvent[], clock: Clock): void {
  const { market } = topics
  const block = market.recent.lastReverted
  // Retractions need the reverted block in memory; the corrected market is pushed in any case.
  const orphan =
    block === null
      ? null
      : { block, facts: factsOf(market, block), tokens: tokensOf(market, block) }
  topics.clearCaches()
  if (orphan !== null) {
    market.recent.addOrphan(orphan)
    market.revertedEvents.addReverted(orphan, market.recent.seq)
  }
  publishRevert(topics, orphan, events, clock)
}

/**
 * Facts of all pairs in a reverted block. Pairs that the block created are gone from the engine, so
 * their facts come from the block.
 */
function factsOf({ facts, chain }: ChainMarket, block: RecentBlock): Map<number, PairFacts> {
  const found = new Map(block.createdPairs)
  const pairCount = chain.reads.pairCount()
  const keep = (pairId: number) => {
    if (pairId < pairCount) found.set(pairId, facts.get(pairId))
  }
  for (const pairId of block.trades().keys()) keep(pairId)
  for (const { pairId } of block.pairNews()) keep(pairId)
  for (const { pairId } of block.curveSteps()) keep(pairId)
  for (const event of block.events) if (event.type === 'mainPair') keep(event.newPairId)
  return found
}

/** Facts of all tokens whose holder count a reverted block had changed. */
function tokensOf({ facts, chain }: ChainMarket, block: RecentBlock): Map<number, TokenFacts> {
  const found = new Map<number, TokenFacts>()
  const tokenCount = chain.reads.tokenCount()
  for (const tokenId of block.holderChanges().keys()) {
    const token = tokenId < tokenCount ? facts.token(tokenId) : block.createdTokens.get(tokenId)
    if (token !== undefined) found.set(tokenId, token)
  }
  return found
}

/**
 * Retracts a reverted block for subscribers with revisions, and pushes the corrected market to all.
 */
function publishRevert(
  topics: ChainTopics,
  orphan: OrphanBlock | null,
  events: readonly MarketEvent[],
  clock: Clock,
): void {
  const { market } = topics
  if (topics.isEmpty) return
  const place = market.headPosition()
  const scope = new PublishScope(market, clock.nowMs(), {
    windowEnd: 'block',
    place,
    isRevert: true,
  })
  if (orphan !== null) {
    for (const event of orphan.block.events.toReversed()) topics.retract(scope, event, orphan)
    for (const topic of topics.all) topic.afterRetractions?.(scope, orphan)
  }
  for (const event of events) topics.publish(scope, event)
  for (const topic of topics.all) topic.afterEvents?.(scope, orphan)
}

const deepReorgText =
  'A reorg reverted more blocks than are in memory; drop everything after data.cursor and resume there.'

/**
 * Publishes a market that was loaded again at an older block, without knowing the reverted blocks.
 * Subscriptions with revisions end with an error that says where to resume, and are returned. All
 * others get current klines and prices.
 */
export function publishReload(topics: ChainTopics, clock: Clock): Subscriber[] {
  const { market } = topics
  const place = market.headPosition()
  const push = errorPush('cursor_orphaned', deepReorgText, { cursor: place.cursor, param: 'since' })
  const ended = topics.all.flatMap((topic) =>
    Array.from(topic.channels?.() ?? []).flatMap((channel) => channel.removeWithRevisions()),
  )
  for (const subscriber of ended) subscriber.send(push)
  publishMarket(topics, clock)
  return ended
}

/** Pushes current klines and prices to all subscribers. */
export function publishMarket(topics: ChainTopics, clock: Clock): void {
  const { market } = topics
  const place = market.headPosition()
  const scope = new PublishScope(market, clock.nowMs(), { windowEnd: 'block', place })
  for (const topic of topics.all) topic.reloaded?.(scope)
}
