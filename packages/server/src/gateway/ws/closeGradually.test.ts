import { expect, test } from 'vitest'
import type { Connection } from './connection.ts'
import { createConnectionSet } from './wsServer.ts'

/** Opens connections that end as soon as the server closes them. */
function openMany(count: number) {
  const set = createConnectionSet()
  const closed: unknown[] = []
  for (let left = count; left > 0; left -= 1) {
    const connection = {
      close(code: number, reason: string) {
        closed.push([code, reason])
        set.delete(connection)
      },
    } as unknown as Connection
    set.add(connection)
  }
  return { set, closed }
}

test('default: many connections are all closed, a few at a time', async () => {
  const { set, closed } = openMany(200)
  const ended = set.closeAll(4000, 'bye', 1_000, 10_000)
  expect(closed).toHaveLength(20)
  await ended
  expect(closed).toEqual(Array.from({ length: 200 }, () => [4000, 'bye']))
})

test('behavior: a few connections are closed at once, without a delay', async () => {
  const few = openMany(12)
  const ended = few.set.closeAll(4000, 'bye', 1_000, 10_000)
  expect(few.closed).toHaveLength(12)
  await ended
  await openMany(0).set.closeAll(4000, 'bye', 1_000, 10_000)
})

test('behavior: more connections close in larger groups, so that closing ends in time', async () => {
  const { set, closed } = openMany(10_000)
  const ended = set.closeAll(4000, 'bye', 100, 10_000)
  expect(closed).toHaveLength(2_000)
  await ended
  expect(closed).toHaveLength(10_000)
})
