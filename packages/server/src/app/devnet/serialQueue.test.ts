import { expect, test } from 'vitest'
import { createSerialQueue } from './serialQueue.ts'

test('default: runs tasks in order, and continues after a failure', async () => {
  const seen: unknown[] = []
  const line = createSerialQueue((error) => seen.push(error))
  expect(line.isIdle()).toBe(true)
  line.add(async () => {
    await Promise.resolve()
    seen.push('first')
  })
  line.add(() => Promise.reject('failed'))
  line.add(async () => void seen.push('last'))
  expect(line.isIdle()).toBe(false)
  expect(seen).toEqual([])
  await line.idle()
  expect(seen).toEqual(['first', 'failed', 'last'])
  expect(line.isIdle()).toBe(true)
})
