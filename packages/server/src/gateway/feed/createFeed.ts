import { strict as assert } from 'node:assert'
import type { Logger } from '../../lib/logger.ts'
import type { AppliedEntry } from '../../model/logEntry.ts'
import type { Clock, GatewayChains } from '../chain/gatewayChain.ts'
import { createScheduler, type Scheduler } from '../ground/scheduler.ts'
import { createScreenerBoards, type ScreenerBoards } from '../lists/screenerBoards.ts'
import { ChainMarket } from './chainMarket.ts'
import { ChainTopics } from './chainTopics.ts'
import {
  defaultFeedLimits,
  type Feed,
  type FeedItem,
  type FeedLimits,
  type Subscriber,
} from './feed.ts'
import { needsReplay } from './params/feedOptions.ts'
import { parseItemKey } from './params/itemKey.ts'
import { parseParams } from './params/parseParams.ts'
import { keepCreatedFacts, publishEntry, publishMarket, publishReload } from './publishEntry.ts'
import type { ReplayStore } from './replay/replayStore.ts'
import { Replays } from './replay/replays.ts'
import type { TopicContext } from './topic.ts'
import { Heartbeats } from './topics/heartbeat.ts'
import { topics } from './topics.ts'

type FeedCreateOptions = {
  /** Chains may be added and replaced later; the feed notices a replaced chain. */
  chains: GatewayChains
  /** Stored history for resuming. Null: subscriptions resume only from blocks in memory. */
  history: ReplayStore | null
  clock: Clock
  logger: Logger
  limits?: Partial<FeedLimits>
  /** Accepts ids in the forms that clients of the public service send. @default false */
  isCompatible?: boolean
  /** Screener and scheduler shared with the rest of the service. @default new ones for this feed */
  screener?: ScreenerBoards
  scheduler?: Scheduler
}

export type ChainFeed = Feed & {
  /** Call before a chain's first entry is applied, and again when another chain takes its name. */
  openChain(chain: string): void
  /** Call when a chain was loaded again after a reorg deeper than the blocks in memory. */
  chainReloaded(chain: string): void
  /** Call when a market was replaced by one of the same block with more or corrected history. */
  marketReplaced(chain: string): void
}

/** Creates the feed: it keeps all subscriptions and encodes each push once for all subscribers. */
export function createFeed(options: FeedCreateOptions): ChainFeed {
  const { chains, history, clock, logger, isCompatible = false } = options
  const limits = { ...defaultFeedLimits, ...options.limits }
  const ofChains = new Map<string, ChainTopics>()
  const heartbeats = new Heartbeats()
  const replays = new Replays({ history, limits, clock, logger })
  const create = createTopicsOf({ ...createDefaults(clock), ...options, limits })

  function topicsOf(name: string): ChainTopics {
    const chain = chains.get(name)
    assert(chain !== undefined, 'the chain is served')
    const known = ofChains.get(name)
    if (known === undefined) ofChains.set(name, create(new ChainMarket(name, chain, limits)))
    else if (known.market.chain !== chain) known.replace(chain)
    return ofChains.get(name)!
  }

  function add(item: Pick<FeedItem, 'key'>, subscriber: Subscriber): void {
    const target = parseItemKey(item.key)
    const ofChain = topicsOf(target.chain)
    const { market } = ofChain
    const topic = ofChain.find(target.topic)
    assert(topic !== undefined, 'the topic of an item exists')
    heartbeats.add(market, subscriber)
    if (!needsReplay(subscriber.options) || topic.replay === undefined) {
      topic.join(target, subscriber, market.recent.seq)
      return
    }
    const replay = topic.replay.bind(topic)
    const join = (fromSeq: number) => topic.join(target, subscriber, fromSeq)
    const end = () => heartbeats.remove(market, subscriber)
    replays.start({ market, target, replay, subscriber, join, end })
  }

  function remove(item: Pick<FeedItem, 'key'>, subscriber: Subscriber): void {
    const target = parseItemKey(item.key)
    const ofChain = ofChains.get(target.chain)
    if (ofChain === undefined) return
    heartbeats.remove(ofChain.market, subscriber)
    replays.stop(subscriber)
    ofChain.find(target.topic)?.leave(target, subscriber)
  }

  function onApplied({ chain: name, entry, events }: AppliedEntry): void {
    try {
      const ofChain = topicsOf(name)
      publishEntry(ofChain, entry, events, clock)
      if (entry.type === 'commit') replays.applied(ofChain.market)
    } catch (error) {
      // Only log the error: a push that cannot be encoded must not stop the chain.
      logger.error({ msg: 'Failed to publish an entry', chain: name, type: entry.type, err: error })
    }
  }

  function openChain(name: string): void {
    const { market } = topicsOf(name)
    for (const block of market.recent.newestFirst()) keepCreatedFacts(market, block)
  }

  function reopen(name: string): ChainTopics {
    const known = ofChains.get(name)
    if (known !== undefined) replays.interrupt(known.market)
    openChain(name)
    return topicsOf(name)
  }

  function chainReloaded(name: string): void {
    const ofChain = reopen(name)
    for (const subscriber of publishReload(ofChain, clock))
      heartbeats.remove(ofChain.market, subscriber)
  }

  const marketReplaced = (name: string) => publishMarket(reopen(name), clock)

  function tick(nowMs: number): void {
    heartbeats.tick(nowMs, replays.running)
    replays.tick(nowMs)
    for (const { all } of ofChains.values()) for (const topic of all) topic.tick?.()
  }

  const parse: Feed['parse'] = (params) => parseParams(params, { chains, isCompatible, ...limits })
  return {
    name: 'feed',
    parse,
    add,
    remove,
    onApplied,
    tick,
    openChain,
    chainReloaded,
    marketReplaced,
  }
}

/** Screener and scheduler of a feed that is created outside of a whole service. */
function createDefaults(clock: Clock) {
  return { screener: createScreenerBoards(clock), scheduler: createScheduler() }
}

/** Opens every topic once, and returns a function that creates the topics of one chain. */
function createTopicsOf(context: TopicContext): (market: ChainMarket) => ChainTopics {
  const opened = topics.map(({ variants, open }) => ({
    names: variants.map(({ name }) => name),
    create: open(context),
  }))
  return (market) =>
    new ChainTopics(
      market,
      opened.map(({ names, create }) => ({ names, topic: create(market) })),
    )
}
