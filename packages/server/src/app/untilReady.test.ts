import { expect, onTestFinished, test, vi } from 'vitest'
import { untilReady } from './untilReady.ts'

const { signal } = new AbortController()

/** What a chain says, one answer after the other; the last one for ever. */
function answers(...values: readonly boolean[]) {
  let at = 0
  return () => values[Math.min(at++, values.length - 1)]!
}

test('default: all of it', async () => {
  const chains = {
    isComplete: answers(false, false, true),
    isServing: () => true,
    isMining: () => false,
  }
  expect(await untilReady({ chains, signal, patienceMs: 45_000 })).toBe(true)
})

test('behavior: some of it, when the rest takes too long', async () => {
  const isServing = answers(false, false, true)
  const chains = { isComplete: () => false, isServing, isMining: () => true }
  expect(await untilReady({ chains, signal, patienceMs: 0 })).toBe(true)
})

test('behavior: nothing before the end', async () => {
  const stopping = new AbortController()
  const isServing = () => {
    stopping.abort()
    return false
  }
  const chains = { isComplete: () => false, isServing, isMining: () => true }
  expect(await untilReady({ chains, signal: stopping.signal, patienceMs: 0 })).toBe(false)
})

test('behavior: nodes that are down do not keep the banner from coming', async () => {
  const seen: string[] = []
  const chains = {
    isComplete: () => false,
    isServing: () => false,
    isMining: () => false,
  }
  let nowMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => clock.mockRestore())
  const onWait = () => {
    seen.push('waits')
    nowMs += 40
  }
  expect(await untilReady({ chains, signal, patienceMs: 60, onWait })).toBe(true)
  expect(seen).toEqual(['waits', 'waits'])
})
