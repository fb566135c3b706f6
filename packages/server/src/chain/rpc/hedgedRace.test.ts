import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hedgedRace } from './hedgedRace.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Runner = { answer: string; afterMs: number; waitsMs?: number }

function race(runners: readonly Runner[], canHedge: (runner: number) => boolean = () => true) {
  const log: string[] = []
  const answers = hedgedRace(
    runners.map(({ answer, afterMs, waitsMs }, at) => (signal, onGoing) => {
      log.push(`start ${at}`)
      if (waitsMs === undefined) onGoing()
      else setTimeout(onGoing, waitsMs)
      signal.addEventListener('abort', () => log.push(`abort ${at}`))
      return new Promise<string>((resolve) => setTimeout(() => resolve(answer), afterMs))
    }),
    {
      hedgeAfterMs: 100,
      canHedge,
      isGood: (answer) => answer !== 'bad',
      onHedge: (runner) => log.push(`hedge ${runner}`),
      signal: undefined,
    },
  )
  return { answers, log }
}

test('default: a quick answer asks nobody else', async () => {
  const { answers, log } = race([
    { answer: 'a', afterMs: 99 },
    { answer: 'b', afterMs: 1 },
  ])
  await vi.runAllTimersAsync()
  expect(await answers).toEqual(['a'])
  expect(log).toEqual(['start 0', 'abort 0'])
})

test('behavior: a slow one is overtaken, and told to stop', async () => {
  const { answers, log } = race([
    { answer: 'a', afterMs: 1_000 },
    { answer: 'b', afterMs: 50 },
  ])
  await vi.runAllTimersAsync()
  expect(await answers).toEqual(['b'])
  expect(log).toEqual(['start 0', 'hedge 1', 'start 1', 'abort 0', 'abort 1'])
})

test('behavior: what a runner waits for by itself is not held against it', async () => {
  const { answers, log } = race([
    { answer: 'a', afterMs: 599, waitsMs: 500 },
    { answer: 'b', afterMs: 1 },
  ])
  await vi.runAllTimersAsync()
  expect(await answers).toEqual(['a'])
  expect(log).toEqual(['start 0', 'abort 0'])
})

test('behavior: a failure starts the next at once, also beyond the hedges', async () => {
  const { answers, log } = race(
    [
      { answer: 'bad', afterMs: 10 },
      { answer: 'b', afterMs: 500 },
      { answer: 'c', afterMs: 500 },
    ],
    () => false,
  )
  await vi.advanceTimersByTimeAsync(11)
  expect(log).toEqual(['start 0', 'start 1'])
  await vi.runAllTimersAsync()
  expect(await answers).toEqual(['bad', 'b'])
})

test('behavior: one that may not be asked yet is asked once it may, while the first still hangs', async () => {
  const startMs = Date.now()
  const { answers, log } = race(
    [
      { answer: 'a', afterMs: 60_000 },
      { answer: 'b', afterMs: 50 },
    ],
    () => Date.now() - startMs >= 350,
  )
  await vi.advanceTimersByTimeAsync(399)
  expect(log).toEqual(['start 0'])
  await vi.advanceTimersByTimeAsync(51)
  expect(await answers).toEqual(['b'])
})

test('behavior: a good answer after a bad hedge still wins', async () => {
  const { answers } = race([
    { answer: 'a', afterMs: 200 },
    { answer: 'bad', afterMs: 10 },
  ])
  await vi.runAllTimersAsync()
  expect(await answers).toEqual(['bad', 'a'])
})

test('error: all answers are given when none is good', async () => {
  const { answers } = race([
    { answer: 'bad', afterMs: 10 },
    { answer: 'bad', afterMs: 10 },
  ])
  await vi.runAllTimersAsync()
  expect(await answers).toEqual(['bad', 'bad'])
})
