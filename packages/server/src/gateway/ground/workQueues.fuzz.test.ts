import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collectGarbage } from '../../../../../test/support/collectGarbage.ts'
import { createWorkQueue } from './scheduler.ts'

test('behavior: work leaves in the order it came', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 100 }), (steps) => {
      const queue = createWorkQueue()
      const left: number[] = []
      let pushed = 0
      let taken = 0
      for (const isPush of steps) {
        if (isPush) {
          const number = pushed++
          queue.push(() => left.push(number))
        } else if (taken < pushed) {
          queue.shift()()
          taken += 1
        }
        expect(queue.count()).toBe(pushed - taken)
      }
      expect(left).toEqual(Array.from({ length: taken }, (_, at) => at))
    }),
  )
})

test('behavior: removed work is not kept in memory, even if the queue never empties', async () => {
  const queue = createWorkQueue()
  const pushOne = () => {
    const body = Buffer.alloc(16)
    queue.push(() => void body.length)
    return new WeakRef(body)
  }
  pushOne()
  const bodies = Array.from({ length: 100 }, () => {
    const body = pushOne()
    queue.shift()()
    return body
  })
  await collectGarbage()
  expect(queue.count()).toBe(1)
  expect(bodies.filter((body) => body.deref() !== undefined)).toHaveLength(1)
})
