import { expect, test, vi } from 'vitest'
import type { Logger } from '../../lib/logger.ts'
import { createHeadWatch } from './chainStatus.ts'

const nowS = 1_760_000_000
const headAt = (aheadS: number) => ({ head: { number: 7, timeS: nowS + aheadS } })

function open() {
  const logger = { warn: vi.fn(), info: vi.fn() }
  const watch = createHeadWatch(
    'local',
    { aheadSMax: 30, growthSMax: 60 },
    logger as unknown as Logger,
  )
  /** Feeds the watch one measurement per second with the lag that `lagAt` returns. */
  function play(seconds: number, lagAt: (second: number) => number): string[] {
    for (let second = 0; second <= seconds; second += 1)
      watch.note({ ...headAt(0), tipNumber: 7 + lagAt(second), nowMs: (nowS + second) * 1_000 })
    return watch.warnings()
  }
  return { watch, logger, play }
}

test('default: accepts a head slightly ahead and a constant lag', () => {
  const { watch, logger, play } = open()
  watch.note({ ...headAt(30), tipNumber: -1, nowMs: nowS * 1_000 })
  expect(watch.warnings()).toEqual([])
  watch.note({ head: null, tipNumber: 9, nowMs: nowS * 1_000 })
  expect(play(300, (second) => 1_000 + (second % 7))).toEqual([])
  expect(logger.warn).not.toHaveBeenCalled()
})

test('behavior: warns of a head ahead of the clock, and logs it once', () => {
  const { watch, logger } = open()
  for (let note = 0; note < 3; note += 1)
    watch.note({ ...headAt(315_360_000), tipNumber: 7, nowMs: nowS * 1_000 })
  expect(watch.warnings()).toEqual(['the newest block is 315360000 s ahead of the clock'])
  expect(logger.warn).toHaveBeenCalledTimes(1)
  watch.note({ ...headAt(0), tipNumber: 7, nowMs: nowS * 1_000 })
  expect(watch.warnings()).toEqual([])
  expect(logger.info).toHaveBeenCalledTimes(1)
})

test('behavior: warns of a lag while it keeps growing', () => {
  const { logger, play } = open()
  expect(play(59, (second) => second)).toEqual([])
  expect(play(90, (second) => second)).toEqual([
    expect.stringMatching(/^it falls behind the nodes: \d+ blocks 6\d s ago, 90 now$/),
  ])
  expect(logger.warn).toHaveBeenCalledTimes(1)
  const { play: catchUp } = open()
  // The chain catches up after an outage.
  expect(catchUp(100, (second) => (second < 20 ? 0 : 5_000 - second))).toEqual([])
})
