import { setImmediate as macrotask } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createEntrySender, type EncodedEntry } from './entrySender.ts'

function entryOf(number: number): EncodedEntry {
  const ref = { number, hash: `h${number}`, parentNumber: number - 1, parentHash: '', timeS: 0 }
  const bytes = new Uint8Array([number & 0xff, 7])
  return { type: 'commit', ref, bytes, changes: new Uint8Array([1]), isFinal: false }
}

function createReceiver(aheadMax: number) {
  const posts: number[][] = []
  const handOver = createEntrySender(aheadMax, (entries) =>
    posts.push(entries.map(({ ref }) => ref.number)),
  )
  return { handOver, posts }
}

test('default: posts entries of one event loop turn together, in order', async () => {
  const { handOver, posts } = createReceiver(10)
  for (const number of [0, 1, 2]) expect(handOver.put(entryOf(number))).toBe(undefined)
  expect(posts).toEqual([])
  await macrotask()
  void handOver.put(entryOf(3))
  await macrotask()
  expect(posts).toEqual([[0, 1, 2], [3]])
})

test('behavior: never exceeds the limit, loses nothing, posts nothing twice', async () => {
  const { handOver, posts } = createReceiver(3)
  let putCount = 0
  const sending = (async () => {
    for (let number = 0; number < 50; number += 1) {
      putCount += 1
      await handOver.put(entryOf(number))
    }
  })()
  let appliedCount = 0
  // Acknowledge in uneven steps, as a reader that stores in batches does.
  for (let step = 0; appliedCount < 50; step += 1) {
    await macrotask()
    await macrotask()
    const sentCount = posts.flat().length
    expect(sentCount - appliedCount).toBeLessThanOrEqual(3)
    expect(putCount - appliedCount).toBeLessThanOrEqual(3)
    const count = Math.min(1 + (step % 3), sentCount - appliedCount)
    appliedCount += count
    handOver.applied(count)
  }
  await sending
  expect(posts.flat()).toEqual(Array.from({ length: 50 }, (_, number) => number))
})

test('behavior: waits until there is room, not for just any acknowledgement', async () => {
  const { handOver } = createReceiver(2)
  void handOver.put(entryOf(0))
  let isRoom = false
  const waiting = Promise.resolve(handOver.put(entryOf(1))).then(() => {
    isRoom = true
  })
  await macrotask()
  handOver.applied(0)
  await macrotask()
  expect(isRoom).toBe(false)
  handOver.applied(1)
  await waiting
})

test('behavior: release lets callers that wait for room continue', async () => {
  const { handOver } = createReceiver(1)
  const waiting = handOver.put(entryOf(0))
  await macrotask()
  handOver.release()
  await waiting
})

test("behavior: transfers one buffer per batch and leaves the sender's bytes intact", async () => {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const receiving = new Promise<EncodedEntry[]>((resolve) => port2.once('message', resolve))
  const handOver = createEntrySender(10, (entries, buffer) => port1.postMessage(entries, [buffer]))
  const late: EncodedEntry = { ...entryOf(6), type: 'late', changes: null }
  const entries = [entryOf(5), late, entryOf(7)]
  for (const entry of entries) void handOver.put(entry)
  const received = await receiving
  expect(received).toEqual([entryOf(5), late, entryOf(7)])
  const buffers = received.flatMap(({ bytes, changes }) => [bytes, changes ?? bytes])
  expect(new Set(buffers.map(({ buffer }) => buffer)).size).toBe(1)
  // The sender's changes are intact: the pipeline needs them to revert the block.
  expect(entries[0]).toEqual(entryOf(5))
})

test('behavior: flush posts the unfinished batch once', async () => {
  const { handOver, posts } = createReceiver(10)
  void handOver.put(entryOf(0))
  handOver.flush()
  expect(posts).toEqual([[0]])
  await macrotask()
  expect(posts).toEqual([[0]])
})
