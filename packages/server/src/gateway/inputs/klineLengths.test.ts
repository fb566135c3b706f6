import { intervals } from '@chaintape/protocol'
import { Compile } from 'typebox/schema'
import { expect, test } from 'vitest'
import { klineIntervalNames, klineIntervalsS } from '../../model/klines/kline.ts'
import type { InputContext } from './inputs.ts'
import { klineLengthInput } from './klineLengths.ts'

test('behavior: the wire and the engine have the same intervals', () => {
  expect(Object.entries(intervals)).toEqual(
    klineIntervalNames.map((name, i) => [name, klineIntervalsS[i]]),
  )
})

test('default: interval is a number of minutes or a name, as in the schema', () => {
  const { schema, parse } = klineLengthInput
  const parsed = (given: unknown) => parse(`${given}`, {} as InputContext).name
  for (const minutes of [1, 3, 5, 15, 30, 60, 120, 180, 240, 360, 720, 1_440, 10_080, 43_200])
    for (const given of [minutes, `${minutes}`, `k${minutes}`]) {
      expect([given, Compile(schema).Check(given)]).toEqual([given, true])
      expect(parsed(given)).toBe(minutes)
    }
  for (const given of ['s1', '1M']) {
    expect([given, Compile(schema).Check(given)]).toEqual([given, true])
    expect(parsed(given)).toBe(given)
  }
  for (const given of [7, '7', 'k7', 's5', true]) {
    expect([given, Compile(schema).Check(given)]).toEqual([given, false])
    expect(() => parsed(given)).toThrow('interval is one of')
  }
})
