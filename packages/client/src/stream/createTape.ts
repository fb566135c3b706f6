import type {
  HoldersPush,
  IntervalName,
  KlinePush,
  LaunchesPush,
  Liquidity,
  NewPairsPush,
  PairSwap,
  PushedPrice,
  ScreenerPush,
  TokenSwap,
  TrendingPush,
} from '@chaintape/protocol'
import { ChaintapeError } from '../errors.ts'
import { intervalNamed } from '../intervalNamed.ts'
import { createRest, type Rest } from '../rest/createRest.ts'
import type { Operations } from '../rest/operations.ts'
import type { RestOptions } from '../rest/send.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { firstCursor, type Marks, Stream, type StreamOptions } from './stream.ts'
import type { Result, Subscription } from './subscription.ts'
import type { TapeEvent, TapeListener } from './tapeEvent.ts'

export type TapeOptions = RestOptions & ConnectionOptions & Pick<StreamOptions, 'store'>

type Kline = KlinePush['result'] & Marks
type PriceUpdate = PushedPrice & Marks
type NewPairUpdate = NewPairsPush['result'] & Marks
type Ranks = TrendingPush['result'] & Marks
type LaunchUpdate = LaunchesPush['result'] & Marks
type ScreenerUpdate = ScreenerPush['result'] & Marks
type HoldersUpdate = HoldersPush['result']['holders'] & Marks

/** Trades of a chain, with a minimum value, of one protocol. */
export type TradesFilter = { chain: string; min_usd?: number; venue?: string }

type FilterOf<method extends 'screener' | 'screenerPairs'> = Omit<
  NonNullable<Parameters<Operations[method]>[0]>,
  'chain' | 'cursor' | 'fields'
>

/** Filters and order of tokens or pairs, as in `rest.screener` and `rest.screenerPairs`. */
export type ScreenerSelection =
  | ({ of?: 'tokens' } & FilterOf<'screener'>)
  | ({ of: 'pairs' } & FilterOf<'screenerPairs'>)

export type ScreenerFilter = { chain: string } & ScreenerSelection

/** REST calls, and streams over one socket. Ids are `<address>-<chain>`. */
export type Tape = {
  rest: Rest
  /** Every swap of a pair. */
  swaps(pairId: string, options?: StreamOptions): Stream<PairSwap & Marks>
  /** Every swap of every pair of a token. */
  tokenSwaps(tokenId: string, options?: StreamOptions): Stream<TokenSwap & Marks>
  /** Added and removed liquidity, fees, and the pair's creation. */
  liquidity(pairId: string, options?: StreamOptions): Stream<Liquidity & Marks>
  /** The current kline each time a block changes it. */
  klines(pairId: string, interval: IntervalName, options?: StreamOptions): Stream<Kline>
  /** The same for several pairs. */
  multiKlines(
    items: readonly (readonly [pairId: string, interval: IntervalName])[],
    options?: StreamOptions,
  ): Stream<Kline>
  /** Prices of tokens and pairs: all at first, then those that a block changes. */
  prices(ids: readonly string[], options?: StreamOptions): Stream<PriceUpdate>
  /** All ranks of a chain, whenever they change. */
  trending(chain: string, options?: StreamOptions): Stream<Ranks>
  /** Created pairs, and launches that graduate. */
  newPairs(chain: string, options?: StreamOptions): Stream<NewPairUpdate>
  /** Every swap of wallets in trusted pools; up to 100 wallets of a chain. */
  wallet(walletIds: string | readonly string[], options?: StreamOptions): Stream<TokenSwap & Marks>
  /** Every swap of a chain, or those that match a filter. */
  trades(chain: string | TradesFilter, options?: StreamOptions): Stream<TokenSwap & Marks>
  /** New launches, each tenth of their progress, and graduations. */
  launches(chain: string, options?: StreamOptions): Stream<LaunchUpdate>
  /**
   * Holder count and top holders of a token: all at first, then changes. After a gap the missed
   * counts follow.
   */
  holders(tokenId: string, options?: StreamOptions): Stream<HoldersUpdate>
  /**
   * Rows that match a filter: all at first, with `snapshot`, then those that enter, change and
   * leave. All again after a gap.
   */
  screener(filter: ScreenerFilter, options?: StreamOptions): Stream<ScreenerUpdate>
  /** Reports events of connections and streams; returns the function that ends it. */
  on(listener: TapeListener): () => void
  /** Ends all streams; resolves once their cursors are saved. */
  close(): Promise<void>
}

type Request = { params: readonly unknown[]; items: readonly string[] }

/** How a topic is streamed. */
type Topic<item> = {
  name: string
  requests: readonly Request[]
  /** Can it resume from a cursor? */
  isResumable: boolean
  /** Null if each item is an event. */
  keyOf: ((item: item) => string) | null
  itemsOf(result: Result): readonly item[]
}

export function createTape(options: TapeOptions = {}): Tape {
  const { heartbeatS = 10 } = options
  const listeners = new Set<TapeListener>()
  const connections: Connection[] = []
  // biome-ignore lint/suspicious/noExplicitAny: of every kind
  const streams = new Set<Stream<any>>()
  const emit = (event: TapeEvent) => {
    for (const listener of listeners) listener(event)
  }

  function add(subscription: Subscription): Connection {
    let connection = connections.find((one) => one.hasRoomFor(subscription))
    if (connection === undefined) {
      connection = new Connection({ ...options, heartbeatS }, emit)
      connections.push(connection)
    }
    connection.add(subscription)
    return connection
  }

  function open<item extends Marks>(topic: Topic<item>, given: StreamOptions = {}): Stream<item> {
    const { name, keyOf } = topic
    // Streams of states do not resume from a stored cursor: only the current state matters.
    const { store = keyOf === null ? options.store : undefined, ...rest } = given
    const streamOptions = store === undefined ? rest : { ...rest, store }
    const stream = new Stream<item>({ name, keyOf, emit, options: streamOptions })
    const subscriptions = topic.requests.map((request) =>
      subscriptionOf({ ...topic, ...request }, stream, { given, heartbeatS, emit }),
    )
    const placed = new Map<Subscription, Connection>()
    streams.add(stream)
    firstCursor(name, streamOptions).then(
      (cursor) => {
        for (const subscription of subscriptions) subscription.cursor = cursor
        stream.feedFrom({
          start() {
            for (const one of subscriptions) placed.set(one, add(one))
          },
          stop() {
            for (const [one, connection] of placed) connection.remove(one)
            placed.clear()
            if (stream.isEnded) streams.delete(stream)
          },
        })
      },
      (error: unknown) => stream.fail(error),
    )
    return stream
  }

  return {
    rest: createRest(options),
    swaps: (pairId, of) => open(eventTopic('tx', pairId), of),
    tokenSwaps: (tokenId, of) => open(eventTopic('multi_tx', tokenId), of),
    liquidity: (pairId, of) => open(eventTopic('liq', pairId), of),
    klines: (pairId, interval, of) => open(klineTopic([[pairId, interval]]), of),
    multiKlines: (items, of) => open(klineTopic(items), of),
    prices: (ids, of) => open(priceTopic(ids), of),
    trending: (chain, of) =>
      open(
        chainTopic<Ranks>('trending', chain, ({ chain: of }) => of),
        of,
      ),
    newPairs: (chain, of) => open(chainTopic<NewPairUpdate>('new_pairs', chain, null), of),
    wallet: (ids, of) => open(walletTopic(typeof ids === 'string' ? [ids] : ids), of),
    trades: (filter, of) => open(tradesTopic(filter), of),
    launches: (chain, of) => open(chainTopic<LaunchUpdate>('launches', chain, null), of),
    holders: (tokenId, of) => open(holdersTopic(tokenId), of),
    screener: (filter, of) => open(screenerTopic(filter), of),
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      await Promise.all([...streams].map((stream) => stream.close()))
      for (const connection of connections.splice(0)) connection.close()
    },
  }
}

type SubscriptionContext = { given: StreamOptions; heartbeatS: number; emit: TapeListener }

function subscriptionOf<item extends Marks>(
  { name, params, items, isResumable, itemsOf }: Topic<item> & Request,
  stream: Stream<item>,
  { given, heartbeatS, emit }: SubscriptionContext,
): Subscription {
  const { snapshot = false, revisions = false } = given
  return {
    name,
    params,
    items,
    isResumable,
    cursor: null,
    wasTaken: false,
    options: { snapshot, revisions, heartbeat: heartbeatS },
    taken: () => stream.taken(),
    push(result, cursor) {
      // Set first: the item may pause the stream, which resumes from this cursor.
      if (cursor !== null) this.cursor = cursor
      const { retracted, snapshot: isOld } = result
      for (const item of itemsOf(result)) {
        item.cursor = cursor
        if (retracted) {
          item.retracted = true
          emit({ type: 'retracted', stream: name, item })
        }
        if (isOld) item.snapshot = true
        stream.push(item)
      }
    },
    quiet(cursor) {
      this.cursor = cursor
      stream.quiet(cursor)
    },
    fail: (error) => stream.fail(error),
  }
}

/** Address and chain of an id. */
function partsOf(id: string): [address: string, chain: string] {
  const at = id.lastIndexOf('-')
  if (at > 0 && at < id.length - 1) return [id.slice(0, at), id.slice(at + 1)]
  throw new ChaintapeError(`${JSON.stringify(id)} is not <address>-<chain>.`, {
    code: 'malformed_id',
    param: 'id',
  })
}

function eventTopic(topic: 'tx' | 'multi_tx' | 'liq', id: string): Topic<Result> {
  const name = `${topic}:${id}`
  return {
    name,
    isResumable: true,
    keyOf: null,
    requests: [{ params: [topic, ...partsOf(id)], items: [name.toLowerCase()] }],
    itemsOf: ({ tx }) => [tx],
  }
}

/** Groups items by chain, since a cursor belongs to one chain. */
function byChain<item>(
  items: readonly item[],
  idOf: (item: item) => string,
): Map<string, { address: string; item: item }[]> {
  const found = new Map<string, { address: string; item: item }[]>()
  for (const item of items) {
    const [address, chain] = partsOf(idOf(item))
    found.set(chain, [...(found.get(chain) ?? []), { address, item }])
  }
  return found
}

function walletTopic(ids: readonly string[]): Topic<Result> {
  return {
    name: `wallet:${ids.join(',')}`,
    isResumable: true,
    keyOf: null,
    requests: [...byChain(ids, (id) => id).values()].map((ofChain) => ({
      params: ['wallet', ofChain.map(({ item }) => item)],
      items: ofChain.map(({ item }) => `wallet:${item}`.toLowerCase()),
    })),
    itemsOf: ({ tx }) => [tx],
  }
}

function tradesTopic(filter: string | TradesFilter): Topic<Result> {
  const name = `trades:${typeof filter === 'string' ? filter : JSON.stringify(filter)}`
  return {
    name,
    isResumable: true,
    keyOf: null,
    requests: [{ params: ['trades', filter], items: [name] }],
    itemsOf: ({ tx }) => [tx],
  }
}

function holdersTopic(id: string): Topic<HoldersUpdate> {
  const name = `holders:${id}`
  return {
    name,
    isResumable: true,
    keyOf: null,
    requests: [{ params: ['holders', ...partsOf(id)], items: [name.toLowerCase()] }],
    itemsOf: ({ holders }) => [holders],
  }
}

function screenerTopic(filter: ScreenerFilter): Topic<ScreenerUpdate> {
  const name = `screener:${JSON.stringify(filter)}`
  return {
    // A new subscription receives all of it.
    name,
    isResumable: false,
    keyOf: null,
    requests: [{ params: ['screener', filter], items: [name] }],
    itemsOf: (result) => [result],
  }
}

function klineTopic(
  given: readonly (readonly [pairId: string, interval: IntervalName])[],
): Topic<Kline> {
  // One name for each interval: a socket accepts each item once.
  const items = given.map(([pairId, name]) => [pairId, intervalNamed(name)] as const)
  const chains = byChain(items, ([pairId]) => pairId)
  return {
    name: `kline:${items.map((item) => item.join(':')).join(',')}`,
    requests: Array.from(chains, ([chain, ofChain]) => {
      const params = ofChain.map(({ address, item }) => [address, item[1], chain])
      const keys = params.map((item) => `kline:${item.join(':')}`.toLowerCase())
      return { params: ['multi_kline', ...params], items: keys }
    }),
    isResumable: true,
    keyOf: ({ id, interval, kline }) => `${id} ${interval} ${kline.usd.time}`,
    itemsOf: (result) => [result],
  }
}

function priceTopic(ids: readonly string[]): Topic<PriceUpdate> {
  return {
    name: `price:${ids.join(',')}`,
    requests: [{ params: ['price', ids], items: ids.map((id) => `price:${id}`.toLowerCase()) }],
    // A new subscription receives all prices.
    isResumable: false,
    keyOf: ({ chain, pair, token }) => `${chain} ${pair} ${token}`,
    itemsOf: ({ prices }) => prices,
  }
}

function chainTopic<item>(
  topic: 'trending' | 'new_pairs' | 'launches',
  chain: string,
  keyOf: ((item: item) => string) | null,
): Topic<item> {
  const name = `${topic}:${chain}`
  return {
    name,
    keyOf,
    isResumable: keyOf === null,
    requests: [{ params: [topic, chain], items: [name] }],
    itemsOf: (result) => [result],
  }
}
