import { strict as assert } from 'node:assert'
import type { Logger } from '../../lib/logger.ts'
import type { AppliedEntry } from '../../model/logEntry.ts'
import type { Clock, GatewayChains } from '../gatewayChain.ts'
import { applyEntry, noteBorn } from './applyEntry.ts'
import { ChainMarket } from './chainMarket.ts'
import type { Feed, FeedItem, Subscriber } from './feed.ts'
import { defaultFeedLimits, type FeedLimits } from './feedLimits.ts'
import { channelOf, existingChannel, wholeChannel } from './itemChannel.ts'
import { type ItemTarget, parseItemKey } from './params/itemKey.ts'
import { parseParams } from './params/parseParams.ts'
import { PriceItems } from './priceItems.ts'
import { sendTrending } from './publishEntry.ts'
import { publishRewind } from './publishRewind.ts'
import type { FeedHistory } from './replay/feedHistory.ts'
import { Replays } from './replay/replays.ts'
import { Heartbeats } from './topics/heartbeat.ts'

export type FeedCreateOptions = {
  /** May be filled and changed later: a chain that is replaced is noticed. */
  chains: GatewayChains
  /** Null: resuming works as far back as memory goes. */
  history: FeedHistory | null
  clock: Clock
  logger: Logger
  limits?: Partial<FeedLimits>
}

export type OpenFeed = Feed & {
  /** Call before the first entry of a chain is applied, and again when another chain takes its name. */
  open(chain: string): void
  /** The same, of a chain that a reorg took back further than memory holds. */
  rewound(chain: string): void
}

/** The live market as topics: who listens to what, what is due to whom, encoded once. */
export function createFeed(options: FeedCreateOptions): OpenFeed {
  const { chains, history, clock, logger } = options
  const limits = { ...defaultFeedLimits, ...options.limits }
  const markets = new Map<string, ChainMarket>()
  const prices = new PriceItems(clock)
  const heartbeats = new Heartbeats()
  const replays = new Replays({ history, limits, clock, logger })

  function marketOf(name: string): ChainMarket {
    const chain = chains.get(name)
    assert(chain !== undefined, 'the chain is served')
    const known = markets.get(name)
    if (known !== undefined) {
      if (known.chain !== chain) known.replace(chain)
      return known
    }
    const made = new ChainMarket(name, chain, limits)
    markets.set(name, made)
    return made
  }

  function add(item: FeedItem, subscriber: Subscriber): void {
    const target = parseItemKey(item.key)
    const market = marketOf(target.chain)
    heartbeats.add(market, subscriber)
    if (target.topic === 'price') {
      prices.add(market, target.address, subscriber)
      return
    }
    const join = (fromSeq: number) =>
      channelOf(market, target)?.add(subscriber, fromSeq, market.recent.seq)
    const end = () => heartbeats.remove(market, subscriber)
    if (target.topic === 'trending') {
      sendTrending(market, subscriber, clock)
      join(market.recent.seq)
    } else if (subscriber.options.since !== null || subscriber.options.snapshot)
      replays.start({ market, target, subscriber, join, end })
    else join(market.recent.seq)
  }

  function remove(item: FeedItem, subscriber: Subscriber): void {
    const target = parseItemKey(item.key)
    const market = markets.get(target.chain)
    if (market === undefined) return
    heartbeats.remove(market, subscriber)
    replays.stop(subscriber)
    leave(market, target, subscriber, prices)
  }

  function applied({ chain: name, entry, events }: AppliedEntry): void {
    try {
      const market = marketOf(name)
      applyEntry(market, entry, events, clock)
      if (entry.type === 'commit') replays.applied(market)
    } catch (error) {
      // The market goes on: a push that cannot be made must not stop the chain.
      logger.error({ msg: 'Failed to publish an entry', chain: name, type: entry.type, err: error })
    }
  }

  function open(name: string): void {
    const market = marketOf(name)
    for (const block of market.recent.newestFirst()) noteBorn(market, block)
  }

  function rewound(name: string): void {
    const known = markets.get(name)
    if (known !== undefined) replays.interrupt(known)
    open(name)
    const market = marketOf(name)
    for (const subscriber of publishRewind(market, clock)) heartbeats.remove(market, subscriber)
  }

  return {
    parse: (params) => parseParams(params, { chains, itemsMax: limits.itemsMax }),
    ...{ name: 'feed', add, remove, applied },
    tick(nowMs) {
      heartbeats.tick(nowMs, replays.running)
      replays.tick(nowMs)
    },
    ...{ open, rewound },
  }
}

function leave(
  { topics }: ChainMarket,
  target: ItemTarget,
  subscriber: Subscriber,
  prices: PriceItems,
): void {
  if (target.address === '') {
    wholeChannel(topics, target).delete(subscriber)
    return
  }
  const found = topics.find(target.address)
  if (found === undefined) return
  if (target.topic === 'price') prices.remove(found, subscriber)
  else existingChannel(found, target)?.delete(subscriber)
  topics.prune(found)
}
