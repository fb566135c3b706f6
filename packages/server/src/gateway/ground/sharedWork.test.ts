import { expect, test } from 'vitest'
import { createSharedWork } from './sharedWork.ts'

function workOf() {
  let nowMs = 1_000
  let count = 0
  let isFailing = false
  const ask = createSharedWork(
    async () => {
      count += 1
      if (isFailing) throw new Error('not now')
      return count
    },
    1_000,
    () => nowMs,
  )
  return {
    ask,
    pass: (ms: number) => {
      nowMs += ms
    },
    fail: (fails: boolean) => {
      isFailing = fails
    },
  }
}

test('default: callers within the cache time share one result', async () => {
  const { ask, pass } = workOf()
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1])
  pass(999)
  expect(await ask()).toBe(1)
  pass(1)
  expect(await ask()).toBe(2)
})

test('behavior: a failure reaches all callers that share it, and is not cached', async () => {
  const { ask, fail } = workOf()
  fail(true)
  const both = await Promise.allSettled([ask(), ask()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fail(false)
  expect(await ask()).toBe(2)
})

test('behavior: setting the clock back does not extend the cache time', async () => {
  const { ask, pass } = workOf()
  await ask()
  pass(-500)
  expect(await ask()).toBe(2)
})
