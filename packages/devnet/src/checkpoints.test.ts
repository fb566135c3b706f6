import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createCheckpoints } from './checkpoints.ts'

const limits = {
  keptBlocks: 10,
  everyBlocks: 100,
  quietBlocks: 0,
  lateBlocks: 20,
  largeEveryBlocks: 5,
  largeBytes: 1_000,
}

/** With a process that saves when it is told to, and then has nothing to show. */
function setup() {
  const saves: (() => void)[] = []
  const held = { bytes: 0 }
  const checkpoints = createCheckpoints({
    limits,
    journalPath: 'none/journal',
    base: undefined,
    chainId: 1,
    privateKeys: [],
    archive: undefined as never,
    lane: undefined as never,
    provider: undefined as never,
    make: () => new Promise((resolve) => saves.push(() => resolve(undefined))),
    heldBytes: () => held.bytes,
    collectGarbage: () => {},
    onLog: () => {},
  })
  return { checkpoints, saves, held }
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, setImmediate(pending)])) === pending
}

test('default: a state is saved after so many blocks', async () => {
  const { checkpoints, saves } = setup()
  await checkpoints.mined(109)
  expect(saves).toHaveLength(0)
  const mined = checkpoints.mined(110)
  expect(saves).toHaveLength(1)
  saves[0]!()
  await mined
})

test('behavior: sooner where the process holds much', async () => {
  const { checkpoints, saves, held } = setup()
  held.bytes = 1_001
  await checkpoints.mined(14)
  expect(saves).toHaveLength(0)
  const mined = checkpoints.mined(15)
  expect(saves).toHaveLength(1)
  saves[0]!()
  await mined
})

test('behavior: the chain waits for a save that takes too long, until it ends', async () => {
  const { checkpoints, saves } = setup()
  const { signal } = new AbortController()
  await checkpoints.pace(100_000, signal)
  const mined = checkpoints.mined(200)
  await checkpoints.pace(220, signal)
  const paced = checkpoints.pace(100_000, signal)
  expect(await isPending(paced)).toBe(true)
  saves[0]!()
  await paced
  await mined
  await checkpoints.pace(100_000, signal)
})

test('behavior: or until it is stopped', async () => {
  const { checkpoints, saves } = setup()
  const abort = new AbortController()
  const mined = checkpoints.mined(200)
  const paced = checkpoints.pace(100_000, abort.signal)
  expect(await isPending(paced)).toBe(true)
  abort.abort()
  await paced
  saves[0]!()
  await mined
})
