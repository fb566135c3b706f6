import { expect, test } from 'vitest'
import { createRateMeter } from './rateMeter.ts'

test('default', () => {
  const meter = createRateMeter()
  expect(meter.perS(0)).toBe(0)
  for (let ms = 0; ms < 20_000; ms += 100) meter.add(5, ms)
  expect(meter.perS(20_000)).toBeCloseTo(50, -1)
})

test('behavior: falls to nothing when nothing comes', () => {
  const meter = createRateMeter()
  meter.add(1_000, 0)
  expect(meter.perS(1_000)).toBe(1_000)
  expect(meter.perS(60_000)).toBe(0)
})
