// If one side of a trade is the native coin or a stablecoin, that side's amount is the value of the
// trade, whatever the rates are.
import { describe, expect, test } from 'vitest'
import {
  createChain,
  eventsOfType,
  genesis,
  pair,
  profile,
  swap,
  sync,
  token,
} from '../../../../../test/support/marketChain.ts'
import { klineIntervalsS } from '../../model/klines/kline.ts'

// The native coin is token 0 and costs 2,000 USD after genesis; the pool trades at 1,800 USD.
const lag = { amounts: [-10, 18_300] as const, reserves: [990, 1_782_000] as const }
const preferences = [
  { name: 'stablecoins first', quotes: profile.quotes },
  { name: 'native first', quotes: ['token-0', 'token-1', 'token-2', 'token-3'] },
]

describe.each(preferences)('with $name', ({ quotes }) => {
  function trade(
    pairId: number,
    ...[amounts, reserves]: Parameters<typeof swap> extends [number, infer A, infer R, ...unknown[]]
      ? [A, R]
      : never
  ) {
    const chain = createChain({ profile: { ...profile, quotes } })
    chain.commit(genesis)
    const events = chain.commit({
      pairs: [pair(2, 3, 0), pair(3, 3, 1)],
      events: [sync(2, 1_000, 100), sync(3, 1_000, 200_000)],
    })
    expect(events.length).toBeGreaterThan(0)
    const [event] = eventsOfType(
      chain.commit({ events: [swap(pairId, amounts, reserves)] }),
      'swap',
    )
    return { ...chain, event: event! }
  }

  test('default: a trade of native for a stablecoin has the value of both amounts', () => {
    const { engine, event } = trade(0, lag.amounts, lag.reserves)
    expect(event).toMatchObject({ amountUsdE8: 18_300e8, amountNativeRaw: 10n })
    expect(event.quote.price0Native).toBe(1)
    expect(engine.pairState(0).price0Native).toBe(1)
    const targetsNative = engine.targetTokenOf(0) === 0
    for (const interval of klineIntervalsS.keys()) {
      const kline = engine.openKline(0, interval)!
      expect(kline).toMatchObject({ volumeNativeRaw: 10n, volumeUsdE8: 18_300n * 10n ** 8n })
      if (targetsNative) expect(kline.native).toEqual({ open: 1, high: 1, low: 1, close: 1 })
    }
  })

  test('behavior: the TVL of a native pool counts native at 1', () => {
    const { event } = trade(0, lag.amounts, lag.reserves)
    const { price1Native, liquidityNative } = event.quote
    expect(liquidityNative).toBeCloseTo(990 + 1_782_000 * price1Native!, 6)
  })

  test('behavior: a trade of another quote asset has the value of the native or stablecoin amount', () => {
    const forNative = trade(2, [-50, 7], [950, 107]).event
    expect(forNative).toMatchObject({ amountNativeRaw: 7n })
    expect(forNative.quote.price1Native).toBe(1)
    expect(trade(3, [-50, 9_900], [950, 209_900]).event).toMatchObject({ amountUsdE8: 9_900e8 })
  })

  test('behavior: an untrusted pool has native at 1, and its trades have no value', () => {
    const chain = createChain({ profile: { ...profile, quotes } })
    chain.commit(genesis)
    chain.commit({ pairs: [pair(2, 0, 1, false)] })
    const [event] = eventsOfType(
      chain.commit({ events: [swap(2, [-10, 5_000], [100, 50_000])] }),
      'swap',
    )
    expect(event).toMatchObject({ amountUsdE8: 0, amountNativeRaw: 0n })
    expect(event!.quote.price0Native).toBe(1)
  })

  test('behavior: a native amount beyond double precision is exact', () => {
    const wei = 9_344_600_419_164_502_017n
    const chain = createChain({
      profile: { ...profile, quotes, native: { ...profile.native, decimals: 18 } },
    })
    const reserves = { reserve0: 1_000n * 10n ** 18n, reserve1: 2_000_000n, priceRaw: 2e-15 }
    chain.commit({
      tokens: [token(0, { decimals: 18 }), ...genesis.tokens.slice(1)],
      pairs: [pair(0, 0, 1)],
      events: [{ ...sync(0, 1, 1), ...reserves }],
    })
    const traded = { ...swap(0, [1, 1], [1, 1]), ...reserves, amount0: -wei, amount1: 18_690n }
    const sold = { ...traded, amount0: wei, amount1: -18_600n }
    const events = eventsOfType(chain.commit({ events: [traded, sold] }), 'swap')
    expect(events.map(({ amountNativeRaw }) => amountNativeRaw)).toEqual([wei, wei])
    expect(chain.engine.openKline(0, 0)).toMatchObject({ volumeNativeRaw: 2n * wei })
  })
})
