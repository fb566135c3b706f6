import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../test/support/memoryStore.ts'
import { createServedChain } from '../../../../../test/support/servedChain.ts'
import type { Scheduler } from './scheduler.ts'
import { type PauseCheck, runInSlices } from './steps.ts'

/** A scheduler whose slots end after every step, with a hook between the slots. */
function createUsedUpScheduler(between: (step: number) => void): Scheduler {
  let step = 0
  return {
    run: (work) => work(),
    runAnonymous: (work) => work(),
    isFree: () => false,
    isSlotOver: () => true,
    newPosition: () => 0,
    async nextSlot() {
      between(step)
      step += 1
    },
  }
}

async function countTo(count: number, pause: PauseCheck): Promise<number | null> {
  for (let at = 0; at < count; at += 1) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
  }
  return count
}

function createChain() {
  const chain = createServedChain({ store: createMemoryStore() })
  for (let left = 5; left > 0; left -= 1) {
    chain.token()
    chain.mine()
  }
  return chain
}

test('default: work continues in the next slot when the time is used up', async () => {
  const chain = createChain()
  let runs = 0
  const result = await runInSlices(
    createUsedUpScheduler(() => undefined),
    [chain.gatewayChain],
    (pause) => {
      runs += 1
      return countTo(4, pause)
    },
  )
  expect([result, runs]).toEqual([4, 1])
})

test.each([1, 2, 10])(
  'behavior: %i blocks between slots do not restart the work',
  async (blocks) => {
    const chain = createChain()
    let runs = 0
    const scheduler = createUsedUpScheduler(() => {
      for (let left = blocks; left > 0; left -= 1) chain.mine()
    })
    await runInSlices(scheduler, [chain.gatewayChain], (pause) => {
      runs += 1
      return countTo(4, pause)
    })
    expect(runs).toBe(1)
  },
)

test.each([
  ['reverted', 0],
  ['reverted and replaced', 1],
  ['reverted and grown over', 2],
])('behavior: work is restarted when a block was %s', async (_name, blocks) => {
  const chain = createChain()
  let runs = 0
  const scheduler = createUsedUpScheduler((step) => {
    if (step !== 1) return
    chain.revert()
    for (let left = blocks; left > 0; left -= 1) chain.mine()
  })
  const result = await runInSlices(scheduler, [chain.gatewayChain], (pause) => {
    runs += 1
    return countTo(4, pause)
  })
  expect([result, runs]).toEqual([4, 2])
})

test('behavior: work runs without pauses after repeated reorgs', async () => {
  const chain = createChain()
  let runs = 0
  const scheduler = createUsedUpScheduler(() => {
    chain.revert()
    chain.mine()
  })
  const result = await runInSlices(scheduler, [chain.gatewayChain], (pause) => {
    runs += 1
    return countTo(4, pause)
  })
  expect([result, runs]).toEqual([4, 4])
})
