import { expect, test } from 'vitest'
import { doubled, doubledGcNeutral } from './growArray.ts'

test('default: a copy that is twice as long', () => {
  const full = new Int32Array([1, 2, 3])
  const longer = doubled(full)
  expect(longer).toEqual(new Int32Array([1, 2, 3, 0, 0, 0]))
  longer[0] = 9
  expect(full[0]).toBe(1)
})

test('args: a length that is needed', () => {
  expect(doubled(new Uint32Array([7]), 5)).toEqual(new Uint32Array([7, 0, 0, 0, 0]))
  expect(doubled(new BigUint64Array(4), 5).length).toBe(8)
})

test('behavior: an array that stays grows outside of what V8 counts', () => {
  const longer = doubledGcNeutral(new Uint8Array([1, 2]))
  expect([...longer]).toEqual([1, 2, 0, 0])
  expect(longer.buffer).toBeInstanceOf(SharedArrayBuffer)
})
