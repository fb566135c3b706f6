import { expect, onTestFinished, test, vi } from 'vitest'
import { untilReady } from './startApp.ts'

const { signal } = new AbortController()

/** Returns each value once, in order, and repeats the last value. */
function answers(...values: readonly boolean[]) {
  let at = 0
  return () => values[Math.min(at++, values.length - 1)]!
}

test('default: resolves when every chain is ready', async () => {
  const chains = {
    isComplete: answers(false, false, true),
    isServing: () => true,
    isMining: () => false,
  }
  expect(await untilReady({ chains, signal, patienceMs: 45_000 })).toBe(true)
})

test('behavior: resolves with chains not ready after the time limit', async () => {
  const isServing = answers(false, false, true)
  const chains = { isComplete: () => false, isServing, isMining: () => true }
  expect(await untilReady({ chains, signal, patienceMs: 0 })).toBe(true)
})

test('behavior: resolves with false on abort', async () => {
  const stopping = new AbortController()
  const isServing = () => {
    stopping.abort()
    return false
  }
  const chains = { isComplete: () => false, isServing, isMining: () => true }
  expect(await untilReady({ chains, signal: stopping.signal, patienceMs: 0 })).toBe(false)
})

test('behavior: does not wait longer for chains whose nodes are down', async () => {
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
