// A market of one chain with a feed, subscribers that keep their pushes, and a store of plain
// arrays.

import { createHash } from 'node:crypto'
import { evmIds } from '@chaintape/protocol'
import { createEngine, type Engine } from '../../packages/server/src/engine/engine.ts'
import type { Clock, GatewayChain } from '../../packages/server/src/gateway/chain/gatewayChain.ts'
import { tradeDataOf } from '../../packages/server/src/gateway/chain/recentBlock.ts'
import {
  RecentBlocks,
  type RecentLimits,
} from '../../packages/server/src/gateway/chain/recentBlocks.ts'
import { type ChainFeed, createFeed } from '../../packages/server/src/gateway/feed/createFeed.ts'
import type {
  FeedLimits,
  FeedOptions,
  Subscriber,
} from '../../packages/server/src/gateway/feed/feed.ts'
import { noFeedOptions } from '../../packages/server/src/gateway/feed/params/feedOptions.ts'
import type {
  ReplayStore,
  RevertedBlock,
  StoredTrade,
} from '../../packages/server/src/gateway/feed/replay/replayStore.ts'
import { createScheduler } from '../../packages/server/src/gateway/ground/scheduler.ts'
import {
  createScreenerBoards,
  type ScreenerBoards,
} from '../../packages/server/src/gateway/lists/screenerBoards.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { type BlockRef, blockTimeOf } from '../../packages/server/src/model/block.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { FinishedBlock } from '../../packages/server/src/model/finishedBlock.ts'
import { endedKlinesOf } from '../../packages/server/src/model/klines/endedKlines.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import type { MarketEvent } from '../../packages/server/src/model/marketEvent.ts'
import { pairMilestonesOf } from '../../packages/server/src/model/pairMilestones.ts'
import { generatorProfile } from './blockGenerator.ts'
import { liveStatus } from './liveStatus.ts'

/** A message as a client parses it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export type Message = any

export type TestSubscriber = Subscriber & {
  key: string
  messages: Message[]
  texts: string[]
  /** Conflation keys and cursors of the received pushes. */
  pushes: { conflateKey: string | null; cursor: string }[]
}

export const sentMs = 1_800_000_000_123

/** Replaces the generator's hash names by real hashes. */
export function withRealHashes(block: FinishedBlock): FinishedBlock {
  const { hash, parentHash } = block.ref
  return { ...block, ref: { ...block.ref, hash: hashOf(hash), parentHash: hashOf(parentHash) } }
}

export function refWithRealHashes(ref: BlockRef): BlockRef {
  return { ...ref, hash: hashOf(ref.hash), parentHash: hashOf(ref.parentHash) }
}

export function entryWithRealHashes(entry: LogEntry): LogEntry {
  if (entry.type === 'commit') return { ...entry, block: withRealHashes(entry.block) }
  if (entry.type === 'revert') return { ...entry, ref: refWithRealHashes(entry.ref) }
  const { number, hash } = entry.type === 'late' ? entry.facts.ref : entry.ref
  const ref = { number, hash: hashOf(hash) }
  return entry.type === 'late' ? { ...entry, facts: { ...entry.facts, ref } } : { ...entry, ref }
}

function hashOf(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}

type StoredBlock = { ref: BlockRef; events: readonly MarketEvent[] }

/** An in-memory store: blocks of the canonical chain up to the persisted one. */
export type FeedStore = {
  blocks: StoredBlock[]
  persistedNumber: number
  reads: number
  /** Reverted blocks. */
  reverted: RevertedBlock[]
  /** Holders by token id, largest first. */
  topHolders: Map<number, { wallet: string; balance: bigint }[]>
}

export type FeedMarketOptions = {
  profile?: ChainProfile
  limits?: Partial<FeedLimits>
  /** @default a separate screener */
  screener?: (clock: Clock) => ScreenerBoards
  recentLimits?: Partial<RecentLimits>
  /** Share it between two markets that represent one service before and after a restart. */
  store?: FeedStore
  hasHistory?: boolean
  /** Entries applied before the feed opens, as at a restart. */
  log?: readonly LogEntry[]
}

export type FeedMarket = ReturnType<typeof createFeedMarket>

export function createFeedStore(): FeedStore {
  return { blocks: [], persistedNumber: -1, reads: 0, reverted: [], topHolders: new Map() }
}

export function createFeedMarket(options: FeedMarketOptions = {}) {
  const { profile = generatorProfile, store = createFeedStore(), hasHistory = true } = options
  const engine: Engine = createEngine({
    profile,
    mainPairLeadS: 0,
    mainPairLeadBlocksMin: 3,
  })
  const { reorgDepthMax } = profile
  const recent = new RecentBlocks({
    seq: 0,
    number: -1,
    reorgDepthMax,
    limits: options.recentLimits,
  })
  for (const [at, entry] of (options.log ?? []).entries()) {
    recent.applied({ seq: at + 1, entry, events: engine.apply(entry) })
    recent.persisted(at + 1)
  }
  recent.keepNewest(reorgDepthMax)
  const chain = {
    ids: evmIds,
    profile,
    storeId: 1,
    reads: engine,
    recent,
    risk: { known: () => null },
    version: () => 0,
    status: () =>
      liveStatus({
        tipNumber: engine.head()?.number ?? null,
        persistedNumber: store.persistedNumber,
      }),
    // The feed uses no other part of a chain.
  } as unknown as GatewayChain
  const clock = { ms: sentMs, nowMs: () => clock.ms }
  const chains = new Map([[profile.name, chain]])
  const history = hasHistory ? createHistory(store, engine) : null
  const feed: ChainFeed = createFeed({
    chains,
    history,
    clock,
    logger: createLogger('silent'),
    limits: options.limits ?? {},
    screener: (options.screener ?? createScreenerBoards)(clock),
    // An endless time slice: the number of slices does not depend on the machine.
    scheduler: createScheduler(Number.POSITIVE_INFINITY, 1_000),
  })

  let seq = options.log?.length ?? 0

  function apply(entry: LogEntry): readonly MarketEvent[] {
    seq += 1
    const events = engine.apply(entry)
    if (entry.type === 'commit') store.blocks.push({ ref: entry.block.ref, events })
    if (entry.type === 'revert') {
      store.blocks.pop()
      store.reverted.push(entry.ref)
      store.persistedNumber = Math.min(store.persistedNumber, entry.ref.number - 1)
    }
    const applied = { chain: profile.name, seq, entry, events }
    recent.persisted(recent.findUpTo(store.persistedNumber)?.seq ?? 0)
    recent.applied(applied)
    feed.onApplied(applied)
    return events
  }

  function subscribe(
    key: string,
    id = 1,
    more: Partial<FeedOptions> = {},
    socket: object = {},
  ): TestSubscriber {
    const subscriber = createSubscriber(key, id, { ...noFeedOptions, ...more }, socket)
    feed.add({ key }, subscriber)
    return subscriber
  }

  feed.openChain(profile.name)

  return {
    engine,
    feed,
    chain,
    chains,
    clock,
    store,
    apply,
    subscribe,
    unsubscribe: (subscriber: TestSubscriber) => feed.remove({ key: subscriber.key }, subscriber),
  }
}

export function createSubscriber(
  key: string,
  id: number,
  options: FeedOptions,
  socket: object,
): TestSubscriber {
  const isDetailed = JSON.stringify(options) !== JSON.stringify(noFeedOptions)
  const messages: Message[] = []
  const texts: string[] = []
  const pushes: TestSubscriber['pushes'] = []
  return {
    key,
    id,
    isDetailed,
    options,
    socket,
    messages,
    texts,
    pushes,
    send(push) {
      const bytes = isDetailed ? push.detailed() : push.plain
      const text = `{"id":${id}${bytes.toString()}`
      texts.push(text)
      messages.push(JSON.parse(text))
      pushes.push({ conflateKey: push.conflateKey, cursor: push.cursor })
    },
  }
}

function createHistory(store: FeedStore, engine: Engine): ReplayStore {
  const stored = () => {
    store.reads += 1
    return store.blocks.filter(({ ref }) => ref.number <= store.persistedNumber)
  }
  const tradesIn = (blocks: readonly StoredBlock[]): StoredTrade[] =>
    blocks.flatMap(({ ref, events }) =>
      events.flatMap((event) =>
        event.type === 'swap' || event.type === 'liquidity'
          ? [{ blockNumber: ref.number, ...blockTimeOf(ref), event }]
          : [],
      ),
    )
  return {
    async findBlocks(_chain, numbers) {
      const found = stored().filter(({ ref }) => numbers.includes(ref.number))
      return new Map(found.map(({ ref }) => [ref.number, ref]))
    },
    async loadBlocksUpTo(_chain, toNumber, limit) {
      const refs = stored().map(({ ref }) => ref)
      const found = refs.filter(({ number }) => number <= toNumber)
      return found.reverse().slice(0, limit)
    },
    async loadReverted(_chain, toNumber, limit) {
      const found = store.reverted.filter(({ number }) => number <= toNumber)
      return found.sort((a, b) => b.number - a.number).slice(0, limit)
    },
    async loadTrades(_chain, { kind, pairIds, filter = {}, after, toNumber, limit, order }) {
      const trades = tradesIn(stored()).filter(({ blockNumber, timeS, event }) => {
        const { index, pairId } = tradeDataOf(event)
        const isAfter =
          blockNumber > after.number || (blockNumber === after.number && index > after.index)
        const isOf = event.type === kind && (pairIds === null || pairIds.includes(pairId))
        const { amm, isTrusted } = engine.pairRecord(pairId)
        const isLetThrough =
          (filter.wallet === undefined || tradeDataOf(event).wallet === filter.wallet) &&
          (filter.isTrusted === undefined || isTrusted) &&
          (filter.venue === undefined || amm === filter.venue) &&
          event.amountUsdE8 >= (filter.usdE8Min ?? 0)
        return isAfter && isOf && isLetThrough && timeS >= after.timeS && blockNumber <= toNumber
      })
      return (order === 'asc' ? trades : trades.reverse()).slice(0, limit)
    },
    async loadNews(_chain, { from, isExclusive, toNumber, limit, order }) {
      const found = stored().flatMap(({ ref, events }) => {
        const isBehind = isExclusive ? ref.number > from.number : ref.number >= from.number
        const isIn = isBehind && ref.timeS >= from.timeS && ref.number <= toNumber
        const news = isIn ? pairMilestonesOf(events) : []
        return news.length === 0 ? [] : [{ ref, news }]
      })
      const blocks = (order === 'asc' ? found : found.reverse()).slice(0, limit)
      return { blocks, reached: blocks.length < limit ? null : blocks.at(-1)!.ref }
    },
    loadTopHolders: async (_chain, tokenId, limit) => {
      store.reads += 1
      return (store.topHolders.get(tokenId) ?? []).slice(0, limit)
    },
    async loadKlines(_chain, { pairId, interval, fromS, limit }) {
      return stored()
        .flatMap(({ events }) =>
          events.flatMap((event) =>
            event.type === 'endedKlines' ? endedKlinesOf(event, pairId, interval) : [],
          ),
        )
        .filter(({ startS }) => startS >= fromS && engine.head() !== null)
        .slice(-limit)
    },
  }
}
