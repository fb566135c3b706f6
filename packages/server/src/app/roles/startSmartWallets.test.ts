import { expect, test } from 'vitest'
import { until } from '../../../../../test/support/until.ts'
import { createLogger } from '../../lib/logger.ts'
import type { SmartWalletsRun } from '../../store/read/smartWallets.ts'
import { startSmartWallets } from './startSmartWallets.ts'

const headS = 10_000_000

function start(refresh: (run: SmartWalletsRun, count: number) => number) {
  const runs: SmartWalletsRun[] = []
  let nowMs = 5_000
  const job = startSmartWallets({
    chains: () => [{ chainId: 1, chain: 'local', headS, quoteIds: [1] }],
    logger: createLogger('silent'),
    clock: { nowMs: () => nowMs },
    limits: { everyMs: 1, timeMsMax: 1_000, windowSMax: 8_000, windowSMin: 3_000, countMax: 1_000 },
    store: {
      async refreshSmartWallets(run) {
        runs.push(run)
        nowMs += refresh(run, runs.length)
      },
    },
  })
  return { runs, job, windows: () => runs.map(({ sinceS }) => headS - sinceS) }
}

test('default: ranks immediately and periodically, over the whole window', async () => {
  const { runs, job, windows } = start(() => 10)
  await until('it ran twice', () => runs.length >= 2)
  await job.stop()
  expect(runs[0]).toEqual({
    chainId: 1,
    quoteIds: [1],
    sinceS: headS - 8_000,
    madeAtS: 5,
    timeMsMax: 1_000,
    countMax: 1_000,
  })
  expect(windows().slice(0, 2)).toEqual([8_000, 8_000])
  const count = runs.length
  await new Promise((resolve) => setImmediate(resolve))
  expect(runs).toHaveLength(count)
})

test('behavior: halves a window that takes too long, down to the minimum, and grows it again', async () => {
  const { runs, job, windows } = start((_, count) => {
    if (count <= 3) throw new RangeError('canceling statement due to statement timeout')
    return count === 4 ? 900 : 10
  })
  await until('it ran seven times', () => runs.length >= 7)
  await job.stop()
  expect(windows().slice(0, 7)).toEqual([8_000, 4_000, 3_000, 3_000, 3_000, 6_000, 8_000])
})
