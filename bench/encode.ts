// Encoding pushes against JSON.stringify of an equal object, and the memory of a subscription, in
// one run.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { evmIds } from '@chaintape/protocol'
import type { PairState } from '../packages/server/src/engine/marketReads.ts'
import type { GatewayChain } from '../packages/server/src/gateway/chain/gatewayChain.ts'
import type { PairFacts, TokenFacts } from '../packages/server/src/gateway/chain/pairFacts.ts'
import { RecentBlocks } from '../packages/server/src/gateway/chain/recentBlocks.ts'
import { createFeed } from '../packages/server/src/gateway/feed/createFeed.ts'
import type { Subscriber } from '../packages/server/src/gateway/feed/feed.ts'
import { noFeedOptions } from '../packages/server/src/gateway/feed/params/feedOptions.ts'
import type { PairDay } from '../packages/server/src/gateway/feed/publishScope.ts'
import { TextPush } from '../packages/server/src/gateway/feed/push.ts'
import { pairSwapResult, swapFields } from '../packages/server/src/gateway/feed/swapPushes.ts'
import {
  klineDayFields,
  klineResult,
} from '../packages/server/src/gateway/feed/topics/klineChannel.ts'
import {
  priceEntryText,
  priceResult,
} from '../packages/server/src/gateway/feed/topics/priceTexts.ts'
import { createLogger } from '../packages/server/src/lib/logger.ts'
import type { SwapEvent } from '../packages/server/src/model/marketEvent.ts'
import { createRandom } from '../test/support/random.ts'
import { type BenchTable, countText } from './benchTable.ts'

// Short rounds, alternating, and the best of each counts: other work on the machine can only slow a
// round down.
const rounds = 300
const perRound = 500
const pairCount = 50_000
const subscriberCount = 1_000_000

const random = createRandom(3)
const hex = (bytes: number) =>
  `0x${Array.from({ length: bytes }, () =>
    Math.floor(random() * 256)
      .toString(16)
      .padStart(2, '0'),
  ).join('')}`
const amount = (digits: number) =>
  BigInt(Array.from({ length: digits }, () => 1 + Math.floor(random() * 9)).join(''))

function token(symbol: string, decimals: number): TokenFacts {
  const address = hex(20)
  const texts = { addressJson: JSON.stringify(address), symbolJson: JSON.stringify(symbol) }
  return { id: 0, address, decimals, nameJson: '""', ...texts }
}

function createFacts(): PairFacts {
  const address = hex(20)
  const token0 = token('PEPE', 18)
  return {
    pairId: 0,
    address,
    token0,
    token1: token('WETH', 18),
    is0Target: true,
    target: token0,
    addressJson: JSON.stringify(address),
    idJson: JSON.stringify(`${address}-eth`),
    chainJson: '"eth"',
    ammJson: '"uniswapv2"',
    tagJson: '""',
    nativeDecimals: 18,
    createdAtS: 0,
    isTrusted: true,
  }
}

function createSwap(): SwapEvent {
  const prices = { price0Usd: random() / 1e5, price1Usd: 2_500 * random() }
  const natives = { price0Native: random() / 1e9, price1Native: 1 }
  const reserves = { reserve0: amount(29), reserve1: amount(21), priceRaw: random() }
  const holdings = { holding0: amount(25), holding1: 0n, native: amount(19), accountFlags: 1 }
  const parties = { txHash: hex(32), wallet: hex(20), sender: hex(20), to: hex(20), pairId: 0 }
  return {
    type: 'swap',
    swap: {
      type: 'swap',
      index: 117,
      amount0: -amount(24),
      amount1: amount(18),
      ...parties,
      ...reserves,
      ...holdings,
    },
    quote: { ...prices, ...natives, liquidityUsd: 1e6 * random(), liquidityNative: 400 * random() },
    amountUsdE8: Math.floor(random() * 1e12),
    amountNativeRaw: BigInt(Math.floor(random() * 1e18)),
    isBuy: true,
  }
}

const place = { cursor: '1-00000000-1', cursorBefore: '1-00000000-0', blockTimeS: 1, receivedMs: 1 }
const day = {
  state: {
    reserve0: amount(29),
    reserve1: amount(21),
    tvlUsd: 1e6 * random(),
    updatedAtS: 1_700_000_000,
  } as PairState,
  window: {
    buyVolumeUsdE8: amount(14),
    sellVolumeUsdE8: amount(14),
    organicVolumeUsdE8: 0n,
    buyCount: 512,
    sellCount: 488,
    amountRaw: amount(27),
    highUsd: random(),
    lowUsd: random(),
    changePercent: random() * 10,
    changesAtS: Number.POSITIVE_INFINITY,
  },
  priceUsd: random(),
  changeToday: random(),
} satisfies PairDay
const ohlc = () => ({ open: random(), high: random(), low: random(), close: random() })
const kline = {
  startS: 1_700_000_000,
  usd: ohlc(),
  native: ohlc(),
  count: 9,
  volumeUsdE8: amount(13),
  volumeNativeRaw: amount(20),
}

function pushOf(result: string): Buffer {
  return new TextPush({ result, place, sentMs: 1_700_000_000_000, conflateKey: null }).plain
}

function roundMs(encode: (at: number) => Buffer): number {
  const startMs = performance.now()
  for (let at = 0; at < perRound; at += 1) encode(at)
  return performance.now() - startMs
}

/** Best rounds of each, in microseconds per push. */
function bestUs(encoders: readonly ((at: number) => Buffer)[]): number[] {
  const best = encoders.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < rounds; round += 1)
    for (const [which, encode] of encoders.entries())
      best[which] = Math.min(best[which]!, roundMs(encode))
  return best.map((ms) => (ms / perRound) * 1_000)
}

/** The baseline has its numbers as text already; our encoder also converts them from integers. */
function compare(metric: string, encode: (at: number) => Buffer) {
  const { result } = JSON.parse(`{"id":1${encode(0)}`)
  const objects = Array.from({ length: 64 }, () => ({
    jsonrpc: '2.0',
    result,
    sent_time: 1_700_000_000_000,
  }))
  const stringify = (at: number) => Buffer.from(JSON.stringify(objects[at & 63]))
  const [oursUs, jsonUs] = bestUs([encode, stringify]) as [number, number]
  const bytes = encode(0).length
  const value = `${oursUs.toFixed(2)} µs, JSON.stringify of the finished object ${jsonUs.toFixed(2)} µs (${(oursUs / jsonUs).toFixed(2)}x), ${bytes} bytes`
  return { metric, value }
}

/**
 * Bytes of each of a million subscriptions over 50,000 pairs in the feed, including the
 * subscription object.
 */
function measureSubscriptions() {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const reads = { head: () => null, pairCount: () => 0, tokenCount: () => 0 }
  const finds = { findPair: () => undefined, findToken: () => undefined }
  const chain = {
    ids: evmIds,
    profile: { name: 'eth', reorgDepthMax: 64 },
    reads: { ...reads, ...finds },
    recent: new RecentBlocks({ seq: 0, number: -1, reorgDepthMax: 64 }),
  }
  const feed = createFeed({
    chains: new Map([['eth', chain as unknown as GatewayChain]]),
    history: null,
    clock: { nowMs: Date.now },
    logger: createLogger('silent'),
  })
  const items = Array.from({ length: pairCount }, () => ({ key: `tx:${hex(20)}-eth`, param: null }))
  const subscribers = Array.from(
    { length: subscriberCount },
    (_, id): Subscriber => ({
      id,
      isDetailed: false,
      options: noFeedOptions,
      socket: items,
      send: () => undefined,
    }),
  )
  gc()
  const before = process.memoryUsage().heapUsed
  const startMs = performance.now()
  for (const [at, subscriber] of subscribers.entries()) feed.add(items[at % pairCount]!, subscriber)
  const addedMs = performance.now() - startMs
  gc()
  const bytes = (process.memoryUsage().heapUsed - before) / subscriberCount
  const removeMs = performance.now()
  for (const [at, subscriber] of subscribers.entries())
    feed.remove(items[at % pairCount]!, subscriber)
  const removedMs = performance.now() - removeMs
  return [
    {
      metric: 'memory of a subscription in the feed, 1,000,000 over 50,000 pairs',
      value: `${countText(bytes)} bytes`,
    },
    {
      metric: 'subscribe, unsubscribe',
      value: `${((addedMs / subscriberCount) * 1_000).toFixed(2)} µs, ${((removedMs / subscriberCount) * 1_000).toFixed(2)} µs`,
    },
  ]
}

export async function runEncodeBench(): Promise<BenchTable> {
  const facts = createFacts()
  const swaps = Array.from({ length: 64 }, createSwap)
  const where = { blockNumber: 20_000_000, timeS: 1_700_000_000 }
  const dayFields = klineDayFields(facts, day)
  const subject = {
    ...facts.target,
    step: { now: 1.5, before: 1.25 },
    changeToday: day.changeToday,
    window: day.window,
    makers: 321,
    tvl: { usd: day.state.tvlUsd, isKnown: true },
    isMainPair: true,
  }
  const rows = [
    compare('tx push to bytes', (at) => {
      const event = swaps[at & 63]!
      return pushOf(pairSwapResult(facts, swapFields(facts, event, where), event.swap, ''))
    }),
    compare('kline push to bytes', () =>
      pushOf(klineResult({ facts, interval: '15', kline, dayFields, mark: null })),
    ),
    compare('price push to bytes', () =>
      pushOf(priceResult([priceEntryText(facts, day.state, subject)])),
    ),
  ]
  return { name: 'Encoders and subscriptions', rows: [...rows, ...measureSubscriptions()] }
}
