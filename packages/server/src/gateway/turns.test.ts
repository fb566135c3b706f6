import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

const turnOf = () => new Promise((done) => setImmediate(done))

function busy(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

test('default', async () => {
  const turns = createTurns()
  const done: number[] = []
  turns.take(() => done.push(1))
  expect(done).toEqual([1])
})

test('behavior: what comes after the time is used up waits, in order, and the loop goes round between turns', async () => {
  const turns = createTurns({ turnMs: 2, waitingMax: 100 })
  const seen: string[] = []
  for (const name of ['a', 'b', 'c', 'd'])
    turns.take(() => {
      busy(3)
      seen.push(name)
    })
  expect(seen).toEqual(['a'])
  expect(turns.isOver()).toBe(true)
  await turnOf()
  seen.push('loop')
  while (seen.length < 5) await turnOf()
  expect(seen).toEqual(['a', 'b', 'loop', 'c', 'd'])
})

test('behavior: long work gives its turn to others', async () => {
  const turns = createTurns({ turnMs: 1, waitingMax: 100 })
  const seen: string[] = []
  turns.take(async () => {
    busy(2)
    await turns.next()
    seen.push('long')
  })
  turns.take(() => seen.push('other'))
  while (seen.length < 2) await turnOf()
  expect(seen).toEqual(['long', 'other'])
})

test('error: too many wait', () => {
  const turns = createTurns({ turnMs: 1, waitingMax: 2 })
  turns.take(() => busy(2))
  turns.take(() => undefined)
  turns.take(() => undefined)
  expect(() => turns.take(() => undefined)).toThrow('Too many requests wait')
})
