// Readers with revisions must end with the klines of the canonical chain, whatever was reverted
// meanwhile.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator } from '../../../../../../test/support/blockGenerator.ts'
import {
  createFeedMarket,
  createFeedStore,
  type FeedMarket,
  refWithRealHashes,
  type TestSubscriber,
  withRealHashes,
} from '../../../../../../test/support/feedMarket.ts'
import { propertyRuns } from '../../../../../../test/support/propertyRuns.ts'
import { decimalOfDouble } from '../../../lib/decimal.ts'
import { currentKline } from '../../../model/klines/currentKline.ts'
import { endedKlinesOf } from '../../../model/klines/endedKlines.ts'
import {
  type KlineIntervalName,
  klineIntervalNames,
  klineIntervalsS,
  klineStartS,
} from '../../../model/klines/kline.ts'
import type { LogEntry } from '../../../model/logEntry.ts'
import { parseCursor } from '../../chain/cursor.ts'

const intervals: readonly KlineIntervalName[] = ['s1', 'k1', 'k5', 'k60']
const pairs = ['pair-0-1', 'pair-1-1', 'pair-2-1']

type Step = 'commit' | 'revert' | 'restart'

class Reader {
  readonly pair: string
  readonly interval: KlineIntervalName
  /** Closes by start of all klines that were pushed and not retracted. */
  readonly pushed = new Map<number, string>()
  readonly #revisions = new Map<number, number>()
  #subscriber: TestSubscriber | null = null
  #market: FeedMarket | null = null
  #cursor: string | null = null

  constructor(pair: string, interval: KlineIntervalName) {
    this.pair = pair
    this.interval = interval
  }

  connect(market: FeedMarket): void {
    this.#market = market
    const key = `kline:${this.pair}-local:${this.interval}`
    this.#subscriber = market.subscribe(key, 1, { revisions: true, since: this.#cursor })
  }

  read(): void {
    for (const { result, cursor, error } of this.#subscriber?.messages.splice(0) ?? []) {
      if (error !== undefined) {
        this.#fall(error.data)
        return
      }
      this.#cursor = cursor
      if (result.topic !== 'kline') continue
      const { time, close } = result.kline.usd
      expect(result.revision).toBeGreaterThanOrEqual(this.#revisions.get(time) ?? 0)
      this.#revisions.set(time, result.revision)
      if (result.retracted === true) this.pushed.delete(time)
      else this.pushed.set(time, close)
    }
  }

  /**
   * The server has reverted the reader's block: drops everything after the server's cursor and
   * resumes there.
   */
  #fall({ code, cursor }: { code: string; cursor: string }): void {
    expect(code).toBe('cursor_orphaned')
    this.#cursor = cursor
    const { number } = parseCursor(cursor)!
    const { timeS } = this.#market!.store.blocks.find(({ ref }) => ref.number === number)!.ref
    const fromS = klineStartS(timeS, klineIntervalsS[klineIntervalNames.indexOf(this.interval)]!)
    for (const startS of this.pushed.keys()) if (startS >= fromS) this.pushed.delete(startS)
    this.connect(this.#market!)
  }

  /** A restarted server counts revisions from 0. */
  restarted(): void {
    this.#revisions.clear()
  }
}

const breathe = () => new Promise<void>((resolve) => setImmediate(resolve))

async function rest(): Promise<void> {
  for (let left = 5; left > 0; left -= 1) await breathe()
}

/** Lets the wait for a missing block time out, so that the server answers with an older cursor. */
async function settle({ feed }: FeedMarket, readers: readonly Reader[]): Promise<void> {
  await rest()
  feed.tick(Number.MAX_SAFE_INTEGER)
  await rest()
  for (const reader of readers) reader.read()
  await rest()
}

async function run(seed: number, steps: readonly Step[]): Promise<void> {
  const generator = new BlockGenerator({ seed })
  const store = createFeedStore()
  const log: LogEntry[] = []
  let market = createFeedMarket({ store })
  const apply = (entry: LogEntry) => {
    log.push(entry)
    market.apply(entry)
  }
  const commit = () => apply({ type: 'commit', block: withRealHashes(generator.next()) })
  commit()
  const first = market.engine.head()!
  const readers = pairs.flatMap((pair) => intervals.map((interval) => new Reader(pair, interval)))
  for (const reader of readers) reader.connect(market)
  for (const step of steps)
    if (step === 'commit') commit()
    else if (step === 'revert' && market.engine.head()!.number > first.number)
      apply({ type: 'revert', ref: refWithRealHashes(generator.revert()) })
    else if (step === 'restart') {
      for (const reader of readers) reader.read()
      store.persistedNumber = market.engine.head()!.number
      market = createFeedMarket({ store, log })
      for (const reader of readers) {
        reader.restarted()
        reader.connect(market)
      }
      // All readers are live before the next block arrives.
      await settle(market, readers)
    }
  for (const reader of readers) {
    reader.read()
    expectStanding(market, reader, first.timeS)
  }
}

function expectStanding({ engine, store }: FeedMarket, reader: Reader, firstS: number): void {
  const { pair, interval, pushed } = reader
  const pairId = engine.findPair(pair)
  const at = klineIntervalNames.indexOf(interval)
  if (pairId === undefined) return
  const ended = store.blocks.flatMap(({ events }) =>
    events.flatMap((event) =>
      event.type === 'endedKlines' ? endedKlinesOf(event, pairId, at) : [],
    ),
  )
  const traded = engine.openKline(pairId, at)
  const startS = klineStartS(engine.head()!.timeS, klineIntervalsS[at]!)
  const prices = { lastClose: engine.lastClose(pairId), current: engine.pairPrice(pairId) }
  const now = currentKline({ startS, traded, ...prices }) ?? traded
  // A kline without trades is sent only when the price moves.
  const open = now?.count === 0 && !pushed.has(now.startS) ? null : now
  // Klines that ended before the reader subscribed are not sent.
  const wanted = [...ended, ...(open === null ? [] : [open])]
    .filter(({ startS }) => pushed.has(startS) || startS > firstS)
    .map(({ startS, usd }) => [startS, decimalOfDouble(usd.close)])
  const got = [...pushed].sort(([left], [right]) => left - right)
  expect({ pair, interval, got }).toEqual({ pair, interval, got: wanted })
}

test('behavior: after retractions and corrections readers have the canonical klines, also after restarts', async () => {
  const step = fc.oneof(
    { arbitrary: fc.constant<Step>('commit'), weight: 6 },
    { arbitrary: fc.constant<Step>('revert'), weight: 4 },
    { arbitrary: fc.constant<Step>('restart'), weight: 1 },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.array(step, { minLength: 5, maxLength: 60 }),
      run,
    ),
    { numRuns: propertyRuns(100) },
  )
})
