// A market of recorded log entries, with subscribers of every topic. Their recorded pushes are kept
// beside the entries, so that a code change that alters a push shows as changed bytes.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { FeedOptions } from '../../packages/server/src/gateway/feed/feed.ts'
import { decodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import { klineIntervalNames } from '../../packages/server/src/model/klines/kline.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { createFeedMarket, type FeedMarket, type TestSubscriber } from './feedMarket.ts'
import { joinBytes, splitBytes } from './upgradeFixture.ts'
import { upgradeProfile } from './upgradeMarket.ts'

const folder = resolve(import.meta.dirname, '../fixtures/frames')
const fileOf = (name: string) => resolve(folder, `${name}.gz`)

/** The pushes of one subscription, in order. */
export type RecordedFrames = { name: string; frames: string[] }

export function readRecordedLog(): LogEntry[] {
  return splitBytes(gunzipSync(readFileSync(fileOf('log')))).map((bytes) => decodeEntry(bytes))
}

export function readRecordedFrames(): RecordedFrames[] {
  return JSON.parse(gunzipSync(readFileSync(fileOf('frames'))).toString())
}

export function writeRecordedLog(entries: readonly Uint8Array[]): void {
  writeFileSync(fileOf('log'), gzipSync(joinBytes(entries), { level: 9 }))
}

export function writeRecordedFrames(frames: readonly RecordedFrames[]): void {
  writeFileSync(fileOf('frames'), gzipSync(JSON.stringify(frames), { level: 9 }))
}

// Only the first pairs are watched: later pairs trade in the same way.
const pairsWatched = 12
const tokensWatched = 8

/**
 * Plays the entries to subscribers of every topic, with and without options. Returns each
 * subscriber's pushes.
 */
export async function recordFrames(entries: readonly LogEntry[]): Promise<RecordedFrames[]> {
  return [...(await recordPairFrames(entries)), ...(await recordMarketFrames(entries))]
}

// Blocks between two ticks, which push what is ranked or read at intervals.
const blocksPerTick = 25
const walletsWatched = 2

/** The topics about the whole market, a wallet, or the holders of a token. */
async function recordMarketFrames(entries: readonly LogEntry[]): Promise<RecordedFrames[]> {
  const market = createFeedMarket({ profile: upgradeProfile })
  const watched: { name: string; subscriber: TestSubscriber }[] = []
  const keys = new Set<string>()
  const watch = (key: string, options: Partial<FeedOptions> = {}) => {
    const subscriber = market.subscribe(key, watched.length + 1, options)
    watched.push({ name: `${key} ${JSON.stringify(options)}`, subscriber })
    keys.add(key)
  }
  for (const key of ['launches:local', 'trades:local:min_usd=40000']) {
    watch(key)
    watch(key, { revisions: true })
  }
  for (const key of ['screener:local', 'screener:local:limit=5&of=pairs']) watch(key)
  const seen = { wallets: 0, tokens: 0 }
  let blocks = 0
  for (const entry of entries) {
    if (entry.type === 'commit') market.clock.ms = entry.block.ref.timeS * 1_000 + 123
    const events = market.apply(entry)
    if (entry.type === 'finalize') market.store.persistedNumber = entry.ref.number
    if (entry.type !== 'commit') continue
    for (const event of events) {
      if (event.type !== 'swap' || seen.wallets >= walletsWatched) continue
      const key = `wallet:${event.swap.wallet}-local`
      if (keys.has(key)) continue
      seen.wallets += 1
      watch(key)
      watch(key, { revisions: true })
    }
    for (const { address } of entry.block.tokens) {
      seen.tokens += 1
      if (seen.tokens <= tokensWatched) watch(`holders:${address}-local`)
    }
    blocks += 1
    if (blocks % blocksPerTick !== 0) continue
    market.feed.tick(market.clock.ms)
    await settled(watched)
  }
  await resumeAll(market, watched, watch)
  return watched.map(({ name, subscriber: { texts } }) => ({ name, frames: texts }))
}

async function recordPairFrames(entries: readonly LogEntry[]): Promise<RecordedFrames[]> {
  const market = createFeedMarket({ profile: upgradeProfile })
  const watched: { name: string; subscriber: TestSubscriber }[] = []
  const watch = (key: string, options: Partial<FeedOptions> = {}) => {
    const subscriber = market.subscribe(key, watched.length + 1, options)
    watched.push({ name: `${key} ${JSON.stringify(options)}`, subscriber })
  }
  watch('trending:local')
  watch('new_pairs:local')
  watch('new_pairs:local', { revisions: true })
  const seen = { pairs: 0, tokens: 0 }
  for (const entry of entries) {
    // The clock follows the blocks, as at the head: windows that end now contain the block's
    // trades.
    if (entry.type === 'commit') market.clock.ms = entry.block.ref.timeS * 1_000 + 123
    market.apply(entry)
    if (entry.type === 'commit') watchNew(entry, seen, watch)
    else if (entry.type === 'finalize') market.store.persistedNumber = entry.ref.number
  }
  await resumeAll(market, watched, watch)
  return watched.map(({ name, subscriber: { texts } }) => ({ name, frames: texts }))
}

type Watch = (key: string, options?: Partial<FeedOptions>) => void

function watchNew(
  { block }: Extract<LogEntry, { type: 'commit' }>,
  seen: { pairs: number; tokens: number },
  watch: Watch,
): void {
  for (const { address } of block.pairs) {
    seen.pairs += 1
    if (seen.pairs > pairsWatched) break
    for (const topic of ['tx', 'liq', 'price']) {
      watch(`${topic}:${address}-local`)
      watch(`${topic}:${address}-local`, { revisions: true })
    }
    const interval = klineIntervalNames[seen.pairs % klineIntervalNames.length]!
    watch(`kline:${address}-local:${interval}`)
    watch(`kline:${address}-local:k1`, { revisions: true })
    watch(`multi_kline:${address}-local:k15`)
  }
  for (const { address } of block.tokens) {
    seen.tokens += 1
    if (seen.tokens > tokensWatched) break
    watch(`multi_tx:${address}-local`)
    watch(`price:${address}-local`)
  }
}

/**
 * Adds subscriptions at the end of the log: with a snapshot, and from a cursor in the middle of
 * another subscription's pushes.
 */
async function resumeAll(
  market: FeedMarket,
  watched: readonly { name: string; subscriber: TestSubscriber }[],
  watch: Watch,
): Promise<void> {
  const before = [...watched]
  for (const { subscriber } of before) {
    if (!subscriber.options.revisions) continue
    watch(subscriber.key, { snapshot: true })
    const cursor = subscriber.pushes.at(Math.floor(subscriber.pushes.length / 2))?.cursor
    if (cursor !== undefined) watch(subscriber.key, { since: cursor })
  }
  await settled(watched)
  market.feed.tick(market.clock.ms)
}

/**
 * Waits for replays, whose store answers within one event-loop turn: they are done when several
 * turns brought nothing.
 */
async function settled(watched: readonly { subscriber: TestSubscriber }[]): Promise<void> {
  const count = () => watched.reduce((sum, { subscriber }) => sum + subscriber.texts.length, 0)
  for (let quiet = 0, last = count(); quiet < 20; ) {
    await new Promise((done) => setImmediate(done))
    const now = count()
    quiet = now === last ? quiet + 1 : 0
    last = now
  }
}
