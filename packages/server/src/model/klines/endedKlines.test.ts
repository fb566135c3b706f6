import { expect, test } from 'vitest'
import {
  type EndedKline,
  encodeEndedKlines,
  endedKlineColumn,
  endedKlinesOf,
  readEndedKlines,
  readKlineVolume,
} from './endedKlines.ts'

const ended = (pairId: number, interval: number, volume: bigint): EndedKline => ({
  pairId,
  interval,
  kline: {
    startS: 60 * pairId,
    usd: { open: 1, high: 2.5, low: 0.1, close: 1 / 3 },
    native: { open: 1e-9, high: 1e-8, low: 1e-10, close: 5e-324 },
    volumeUsdE8: volume,
    volumeNativeRaw: volume * 2n ** 20n,
    count: 4,
  },
})
const klines = [0n, 1n, 2n ** 48n - 1n, 2n ** 48n, 2n ** 90n + 1n].map((volume, index) =>
  ended(index >> 1, index % 2, volume),
)

test('default: decoded klines equal the encoded ones', () => {
  expect([...readEndedKlines(encodeEndedKlines(klines))]).toEqual(klines)
  expect([...readEndedKlines(encodeEndedKlines([]))]).toEqual([])
})

test('behavior: those of one pair at one interval', () => {
  const rows = encodeEndedKlines(klines)
  expect(endedKlinesOf(rows, 1, 1)).toEqual([klines[3]!.kline])
  expect(endedKlinesOf(rows, 2, 1)).toEqual([])
})

test('behavior: the text of a volume is that of the integer', () => {
  for (const item of klines) {
    const { rows } = encodeEndedKlines([item])
    expect(BigInt(readKlineVolume(rows, endedKlineColumn.volumeUsd, 2))).toBe(
      item.kline.volumeUsdE8,
    )
    expect(BigInt(readKlineVolume(rows, endedKlineColumn.volumeNative, 3))).toBe(
      item.kline.volumeNativeRaw,
    )
  }
})
