// Who asked for revisions must end with the klines of the chain as it stands, whatever was taken back on the way.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator } from '../../../../../test/support/blockGenerator.ts'
import {
  createFeedMarket,
  refWithRealHashes,
  type TestSubscriber,
  withRealHashes,
} from '../../../../../test/support/feedMarket.ts'
import { decimalOfDouble } from '../../lib/decimal.ts'
import { endedKlinesOf } from '../../model/endedKlines.ts'
import { type KlineIntervalName, klineIntervalNames } from '../../model/kline.ts'

const intervals: readonly KlineIntervalName[] = ['s1', 'k1', 'k5', 'k60']
const pairs = ['pair-0-1', 'pair-1-1', 'pair-2-1']

/** Start and close of the klines a reader was told and not told to forget, with their revisions never going back. */
function toldOf({ messages }: TestSubscriber): Map<number, string> {
  const told = new Map<number, string>()
  const revisions = new Map<number, number>()
  for (const { result } of messages) {
    if (result.topic !== 'kline') continue
    const { time, close } = result.kline.usd
    expect(result.revision).toBeGreaterThanOrEqual(revisions.get(time) ?? 0)
    revisions.set(time, result.revision)
    if (result.retracted === true) told.delete(time)
    else told.set(time, close)
  }
  return told
}

function run(seed: number, steps: readonly ('commit' | 'revert')[]): void {
  const generator = new BlockGenerator({ seed })
  const market = createFeedMarket({ hasHistory: false })
  const commit = () => market.apply({ type: 'commit', block: withRealHashes(generator.next()) })
  commit()
  const first = market.engine.head()!
  const readers = pairs.flatMap((pair) =>
    intervals.map((interval) => ({
      ...{ pair, interval },
      subscriber: market.subscribe(`kline:${pair}-local:${interval}`, 1, { revisions: true }),
    })),
  )
  for (const step of steps)
    if (step === 'commit') commit()
    else if (market.engine.head()!.number > first.number)
      market.apply({ type: 'revert', ref: refWithRealHashes(generator.revert()) })
  for (const { pair, interval, subscriber } of readers) {
    const pairId = market.engine.findPair(pair)
    const at = klineIntervalNames.indexOf(interval)
    if (pairId === undefined) continue
    const ended = market.store.blocks.flatMap(({ events }) =>
      events.flatMap((event) =>
        event.type === 'endedKlines' ? endedKlinesOf(event, pairId, at) : [],
      ),
    )
    const open = market.engine.openKline(pairId, at)
    const standing = open === null ? ended : [...ended, open]
    // Those that ended before the reader came are not told.
    const told = toldOf(subscriber)
    const wanted = standing
      .filter(({ startS }) => told.has(startS) || startS > first.timeS)
      .map(({ startS, usd }) => [startS, decimalOfDouble(usd.close)])
    const got = [...told].sort(([left], [right]) => left - right)
    expect({ pair, interval, got }).toEqual({ pair, interval, got: wanted })
  }
}

test('behavior: retractions and corrections leave the klines that stand', () => {
  const step = fc.oneof(
    { arbitrary: fc.constant('commit' as const), weight: 3 },
    { arbitrary: fc.constant('revert' as const), weight: 2 },
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.array(step, { minLength: 5, maxLength: 60 }),
      run,
    ),
    { numRuns: 150 },
  )
})
