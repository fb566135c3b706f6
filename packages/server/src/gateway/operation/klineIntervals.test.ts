import { intervals } from '@chaintape/protocol'
import { expect, test } from 'vitest'
import { klineIntervalNames, klineIntervalsS } from '../../model/klines/kline.ts'

test('behavior: the wire and the engine have the same intervals', () => {
  expect(Object.entries(intervals)).toEqual(
    klineIntervalNames.map((name, i) => [name, klineIntervalsS[i]]),
  )
})
