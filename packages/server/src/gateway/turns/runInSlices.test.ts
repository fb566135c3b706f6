import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../test/support/memoryStore.ts'
import { createServedChain } from '../../../../../test/support/servedChain.ts'
import { type Pause, runInSlices } from './runInSlices.ts'
import type { Turns } from './turns.ts'

/** Every step ends a turn, and something happens in between. */
function createEndingTurns(between: (step: number) => void): Turns {
  let step = 0
  return {
    take: (work) => work(),
    takeLast: (work) => work(),
    isFree: () => false,
    isOver: () => true,
    place: () => 0,
    async next() {
      between(step)
      step += 1
    },
  }
}

async function countTo(count: number, pause: Pause): Promise<number | null> {
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

test('default', async () => {
  const chain = createChain()
  let runs = 0
  const result = await runInSlices(
    createEndingTurns(() => undefined),
    [chain.gatewayChain],
    (pause) => {
      runs += 1
      return countTo(4, pause)
    },
  )
  expect([result, runs]).toEqual([4, 1])
})

test.each([1, 2, 10])('behavior: %i blocks in between do no harm', async (blocks) => {
  const chain = createChain()
  let runs = 0
  const turns = createEndingTurns(() => {
    for (let left = blocks; left > 0; left -= 1) chain.mine()
  })
  await runInSlices(turns, [chain.gatewayChain], (pause) => {
    runs += 1
    return countTo(4, pause)
  })
  expect(runs).toBe(1)
})

test.each([
  ['reverted', 0],
  ['reverted and replaced', 1],
  ['reverted and grown over', 2],
])('behavior: work is done again when a block was %s', async (_name, blocks) => {
  const chain = createChain()
  let runs = 0
  const turns = createEndingTurns((step) => {
    if (step !== 1) return
    chain.revert()
    for (let left = blocks; left > 0; left -= 1) chain.mine()
  })
  const result = await runInSlices(turns, [chain.gatewayChain], (pause) => {
    runs += 1
    return countTo(4, pause)
  })
  expect([result, runs]).toEqual([4, 2])
})

test('behavior: endless reorgs end in work without a pause', async () => {
  const chain = createChain()
  let runs = 0
  const turns = createEndingTurns(() => {
    chain.revert()
    chain.mine()
  })
  const result = await runInSlices(turns, [chain.gatewayChain], (pause) => {
    runs += 1
    return countTo(4, pause)
  })
  expect([result, runs]).toEqual([4, 4])
})
