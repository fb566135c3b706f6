import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createAtOnce } from './atOnce.ts'

test('default: so many at a time, in their order', async () => {
  const atOnce = createAtOnce(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const results = Array.from({ length: 5 }, (_, index) =>
    atOnce(async () => {
      begun.push(index)
      await new Promise<void>((resolve) => ends.push(resolve))
      return index
    }),
  )
  await setImmediate()
  expect(begun).toEqual([0, 1])
  ends[1]!()
  await setImmediate()
  expect(begun).toEqual([0, 1, 2])
  ends[0]!()
  ends[2]!()
  await setImmediate()
  expect(begun).toEqual([0, 1, 2, 3, 4])
  ends[3]!()
  ends[4]!()
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4])
})

test('behavior: what fails makes room, too', async () => {
  const atOnce = createAtOnce(1)
  const failed = atOnce(async () => {
    throw new Error('no')
  })
  const next = atOnce(async () => 'yes')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('yes')
})
