import { MessageChannel } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createScheduler } from './scheduler.ts'

const loopTurn = () => new Promise((done) => setImmediate(done))

// Fake timers: time passes only in the tests' own work, however busy the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }))
afterEach(() => void vi.useRealTimers())

const busy = (ms: number) => void vi.advanceTimersByTime(ms)

test('default: work runs at once while the loop is idle', async () => {
  const scheduler = createScheduler()
  const done: number[] = []
  scheduler.run(() => done.push(1))
  expect(done).toEqual([1])
})

test('behavior: work beyond the slot waits in order, and the loop runs between slots', async () => {
  const scheduler = createScheduler(2, 100)
  const seen: string[] = []
  for (const name of ['a', 'b', 'c', 'd'])
    scheduler.run(() => {
      busy(3)
      seen.push(name)
    })
  expect(seen).toEqual(['a'])
  expect(scheduler.isSlotOver()).toBe(true)
  await loopTurn()
  seen.push('loop')
  while (seen.length < 5) await loopTurn()
  expect(seen).toEqual(['a', 'b', 'loop', 'c', 'd'])
})

test('behavior: a message of another thread waits for one slot at most', async () => {
  const scheduler = createScheduler(1, 100)
  const { port1, port2 } = new MessageChannel()
  const seen: string[] = []
  const heard = new Promise<void>((done) => {
    port2.on('message', () => {
      seen.push('message')
      done()
    })
  })
  const work = (name: string) => () => {
    busy(2)
    seen.push(name)
  }
  // Half of the work is short, half is long work that continues over many slots.
  for (let at = 0; at < 10; at += 1) {
    scheduler.run(work('short'))
    scheduler.run(async () => {
      const place = scheduler.newPosition()
      for (let left = 5; left > 0; left -= 1) {
        await scheduler.nextSlot(place)
        work('long')()
      }
    })
  }
  while (seen.length < 4) await loopTurn()
  const before = seen.length
  port1.postMessage(null)
  await heard
  port1.close()
  // The message waits for the work that was running and for one slot.
  expect(seen.indexOf('message') - before).toBeLessThanOrEqual(2)
  expect(seen.length).toBeLessThan(30)
  // Finish all work, or it would continue in the next test, which has another clock.
  while (seen.length < 61) await loopTurn()
})

test('behavior: long work and short work alternate', async () => {
  const scheduler = createScheduler(1, 100)
  const seen: string[] = []
  const place = scheduler.newPosition()
  scheduler.run(async () => {
    busy(2)
    for (let left = 3; left > 0; left -= 1) {
      await scheduler.nextSlot(place)
      busy(2)
      seen.push('long')
    }
  })
  for (const name of ['a', 'b'])
    scheduler.run(() => {
      busy(2)
      seen.push(name)
    })
  while (seen.length < 5) await loopTurn()
  // Short and long work alternate, whichever is first.
  expect(seen.join(' ')).toMatch(/^(a long b long long|long a long b long)$/)
})

test('behavior: long work that began first ends first', async () => {
  const scheduler = createScheduler(1, 100)
  const seen: string[] = []
  const work = (name: string) => async () => {
    const place = scheduler.newPosition()
    for (let left = 3; left > 0; left -= 1) {
      busy(2)
      await scheduler.nextSlot(place)
      seen.push(name)
    }
  }
  for (const name of ['a', 'b', 'c']) scheduler.run(work(name))
  while (seen.length < 9) await loopTurn()
  const ends = ['a', 'b', 'c'].map((name) => seen.lastIndexOf(name))
  expect(ends).toEqual([...ends].sort((a, b) => a - b))
  // The first long work got every slot that it could get.
  expect(ends[0]).toBeLessThanOrEqual(3)
})

test('behavior: in a flood requests pause after a slot that took far too long', async () => {
  const scheduler = createScheduler(1, 100)
  const seen: string[] = []
  for (let n = 0; n < 30; n += 1)
    scheduler.run(() => {
      busy(n === 25 ? 20 : 1.5)
      seen.push(n === 25 ? 'long' : 'request')
    })
  while (!seen.includes('long')) await loopTurn()
  // Without the pause the next request would run here.
  await loopTurn()
  seen.push('market')
  for (; seen.length < 31; busy(1)) await loopTurn()
  expect(seen.indexOf('market')).toBe(seen.indexOf('long') + 1)
})

test('behavior: in a flood of long work only long work pauses, short requests do not', async () => {
  const scheduler = createScheduler(1, 100)
  const seen: string[] = []
  const work = async () => {
    const place = scheduler.newPosition()
    for (let n = 0; n < 30; n += 1) {
      await scheduler.nextSlot(place)
      // Each of these slots is as long as one with a garbage collection.
      busy(n >= 20 ? 20 : 1.5)
      seen.push('long')
    }
  }
  void work()
  while (seen.length < 21) await loopTurn()
  scheduler.run(() => busy(1.5))
  scheduler.run(() => seen.push('request'))
  await loopTurn()
  await loopTurn()
  seen.push('market')
  expect(seen.slice(21)).toEqual(['request', 'market'])
  for (; seen.filter((one) => one === 'long').length < 30; busy(1)) await loopTurn()
})

test('behavior: requests behind one long slot run without a pause', async () => {
  const scheduler = createScheduler(1, 100)
  const seen: string[] = []
  scheduler.run(() => busy(20))
  scheduler.run(() => seen.push('request'))
  await loopTurn()
  await loopTurn()
  seen.push('market')
  expect(seen).toEqual(['request', 'market'])
})

test('error: too much work waits', () => {
  const scheduler = createScheduler(1, 2)
  scheduler.run(() => busy(2))
  scheduler.run(() => undefined)
  scheduler.run(() => undefined)
  expect(() => scheduler.run(() => undefined)).toThrow('Too many requests wait')
})

test('behavior: anonymous work waits for all other work, but one piece runs in each slot', async () => {
  const scheduler = createScheduler(2, 3)
  const seen: string[] = []
  const work = (name: string) => () => {
    busy(3)
    seen.push(name)
  }
  scheduler.runAnonymous(work('s0'))
  for (const name of ['s1', 's2', 's3']) scheduler.runAnonymous(work(name))
  expect(() => scheduler.runAnonymous(work('s4'))).toThrow('Too many requests wait')
  // Work of anonymous clients has its own limit, so other work is still accepted.
  for (const name of ['a', 'b', 'c']) scheduler.run(work(name))
  while (seen.length < 7) await loopTurn()
  expect(seen).toEqual(['s0', 'a', 's1', 'b', 's2', 'c', 's3'])
})
