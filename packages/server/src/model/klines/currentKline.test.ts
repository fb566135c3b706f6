import { expect, test } from 'vitest'
import { currentKline } from './currentKline.ts'
import type { Kline } from './kline.ts'

const traded: Kline = {
  startS: 60,
  usd: { open: 10, high: 12, low: 9, close: 11 },
  native: { open: 1, high: 1.2, low: 0.9, close: 1.1 },
  volumeUsdE8: 5n,
  volumeNativeRaw: 6n,
  count: 7,
}
const lastClose = { usd: 11, native: 1.1 }

test('default: it closes at the current price, which has no volume', () => {
  const now = currentKline({ startS: 60, traded, lastClose, current: { usd: 13, native: 0.8 } })
  expect(now).toEqual({
    ...traded,
    usd: { open: 10, high: 13, low: 9, close: 13 },
    native: { open: 1, high: 1.2, low: 0.8, close: 0.8 },
  })
})

test('behavior: a price that has not moved leaves the kline as it is', () => {
  expect(currentKline({ startS: 60, traded, lastClose, current: lastClose })).toBe(traded)
})

test('behavior: a bucket nobody traded in goes from the last trade to the current price', () => {
  const now = currentKline({ startS: 120, traded, lastClose, current: { usd: 10, native: 1.1 } })
  expect(now).toEqual({
    startS: 120,
    usd: { open: 11, high: 11, low: 10, close: 10 },
    native: { open: 1.1, high: 1.1, low: 1.1, close: 1.1 },
    volumeUsdE8: 0n,
    volumeNativeRaw: 0n,
    count: 0,
  })
})

test('behavior: without a trade or a move there is no kline', () => {
  const none = { usd: 0, native: 0 }
  expect(currentKline({ startS: 120, traded, lastClose, current: lastClose })).toBeNull()
  expect(
    currentKline({ startS: 120, traded: null, lastClose: none, current: lastClose }),
  ).toBeNull()
})

test('behavior: an unknown price moves nothing, and one that is known late begins the kline', () => {
  const none = { usd: 0, native: 0 }
  expect(currentKline({ startS: 60, traded, lastClose, current: none })).toBe(traded)
  const unpriced = { ...traded, usd: { open: 0, high: 0, low: 0, close: 0 } }
  const close = { usd: 0, native: 1.1 }
  const now = currentKline({ startS: 60, traded: unpriced, lastClose: close, current: lastClose })
  expect(now!.usd).toEqual({ open: 11, high: 11, low: 11, close: 11 })
})
