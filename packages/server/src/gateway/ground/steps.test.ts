import { evmIds } from '@chaintape/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runAllSteps } from '../../../../../test/support/runAllSteps.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { parseParams } from '../feed/params/parseParams.ts'
import { Inbox } from '../ws/inbox.ts'
import type { Scheduler } from './scheduler.ts'
import { encodeJsonInSteps, itemsPerStep, runSteps, type Steps } from './steps.ts'

/** A scheduler whose slots are always used up, and whose waiting work the test runs by hand. */
function slowTurns() {
  const waiting: (() => void)[] = []
  const taken: (() => void)[] = []
  const scheduler: Scheduler = {
    isSlotOver: () => true,
    isFree: () => true,
    newPosition: () => 1,
    run: (work) => void taken.push(work),
    runAnonymous: (work) => void taken.push(work),
    nextSlot: () => new Promise((resolve) => void waiting.push(resolve)),
  }
  return { scheduler, waiting, taken }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('default: work continues in later slots, with one step in each slot that is used up', async () => {
  const { scheduler, waiting } = slowTurns()
  let steps = 0
  function* work(): Steps<string> {
    for (; steps < 3; steps += 1) yield
    return 'done'
  }
  const result = runSteps(work(), scheduler, 1, () => true)
  expect(steps).toBe(0)
  for (const count of [1, 2, 3]) {
    waiting.shift()!()
    await settled()
    expect(steps).toBe(count)
  }
  expect(await result).toEqual({ result: 'done' })
})

test('behavior: work that is no longer wanted ends after its current step', async () => {
  const { scheduler, waiting } = slowTurns()
  const seen: string[] = []
  function* work(): Steps<void> {
    try {
      yield
      seen.push('more')
    } finally {
      seen.push('ended')
    }
  }
  const result = runSteps(work(), scheduler, 1, () => false)
  waiting.shift()!()
  expect(await result).toBe(null)
  expect(seen).toEqual(['ended'])
})

test('behavior: a request with thousands of items parses only a few per step', () => {
  let lookups = 0
  const reads = {
    head: () => ({}),
    findPair: () => {
      lookups += 1
      return 1
    },
  } as unknown as GatewayChain['reads']
  const chains = new Map([['bsc', { ids: evmIds, reads } as GatewayChain]])
  const items = Array.from({ length: 5_000 }, (_, at) => [
    ...[`0x${String(at).padStart(40, '0')}`, 'k5', 'bsc'],
  ])
  const perStep: number[] = []
  const request = runAllSteps(
    parseParams(['multi_kline', ...items], {
      chains,
      isCompatible: false,
      itemsMax: 10_000,
      walletsMax: 100,
    }),
    () => {
      perStep.push(lookups)
      lookups = 0
    },
  )
  expect(request.items).toHaveLength(5_000)
  expect(Math.max(...perStep)).toBeLessThanOrEqual(itemsPerStep)
})

test('behavior: encoding in steps gives the same text, with few items per step', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat({ max: 200 }), (value, count) => {
      const result = { status: 'ok', none: undefined, list: Array(count).fill(value), value }
      let steps = 0
      const text = runAllSteps(encodeJsonInSteps(result), () => {
        steps += 1
      })
      expect(text).toBe(JSON.stringify(result))
      expect(steps).toBeGreaterThanOrEqual(Math.ceil(count / itemsPerStep) - 1)
    }),
  )
})

test('behavior: a long message queues with other long work, a short one is answered before it', async () => {
  const { scheduler, waiting, taken } = slowTurns()
  const answered: number[] = []
  const inboxOf = () =>
    new Inbox({
      scheduler,
      pause: () => undefined,
      resume: () => undefined,
      onOverload: () => undefined,
      answer(data) {
        answered.push(data.length)
        return null
      },
    })
  const [flood, good] = [inboxOf(), inboxOf()]
  flood.receive(Buffer.alloc(300_000))
  good.receive(Buffer.alloc(100))
  expect([taken.length, waiting.length]).toEqual([1, 1])
  taken.shift()!()
  expect(answered).toEqual([100])
  waiting.shift()!()
  await settled()
  expect(answered).toEqual([100, 300_000])
})

test('behavior: all work of one message keeps the position of the message', async () => {
  const places: number[] = []
  let last = 0
  const { scheduler } = slowTurns()
  const counted: Scheduler = {
    ...scheduler,
    newPosition: () => {
      last += 1
      return last
    },
    nextSlot: async (place) => void places.push(place),
  }
  const inbox = new Inbox({
    scheduler: counted,
    pause: () => undefined,
    resume: () => undefined,
    onOverload: () => undefined,
    async answer(_data, position) {
      function* work(): Steps<void> {
        for (let left = 3; left > 0; left -= 1) yield
      }
      await runSteps(work(), counted, position, () => true)
    },
  })
  inbox.receive(Buffer.alloc(300_000))
  // Another message arrives meanwhile.
  counted.newPosition()
  await settled()
  expect(places).toEqual([1, 1, 1, 1])
})
