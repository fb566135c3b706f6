import { expect, test } from 'vitest'
import { createRandom } from '../../../../../../test/support/random.ts'
import { creditPeriodAt } from '../plan.ts'
import { Account, type PeerProcesses } from './account.ts'
import { requestRateOf } from './tokenBucket.ts'

const stepMs = 10
const flushMs = 500
const startMs = Date.UTC(2026, 0, 15)
const period = creditPeriodAt(startMs).number

/** Creates one account in several processes, which write and read sums at different times. */
function createFleet(count: number, isUsageKnown: () => boolean = () => true) {
  const peers: PeerProcesses = { count: () => count, isUsageKnown }
  const options = { storedCost: 0, nowMs: startMs, peers }
  const processes = Array.from({ length: count }, () => {
    return { account: new Account(1, options), unwritten: 0, isRead: false }
  })
  const stored = { cost: 0, requestCount: 0 }
  let nowMs = startMs

  function flush(process: (typeof processes)[number]): void {
    const { account, unwritten } = process
    process.isRead = unwritten > 0 || (process.isRead && !account.isBucketFull(nowMs))
    if (!process.isRead) account.ignorePeerRequests()
    stored.requestCount += unwritten
    account.markWritten({ cost: 0, requestCount: unwritten }, period)
    process.unwritten = 0
    if (process.isRead) account.setSums(stored, period, nowMs)
  }

  /**
   * Returns the number of requests admitted in a minute. `demand` is the number of requests to one
   * process in one step.
   */
  function admitIn(
    requestsPerS: number,
    demand: (index: number, stepNumber: number) => number,
  ): number {
    const rate = requestRateOf(requestsPerS)
    let admitted = 0
    for (let step = 0; step < 60_000 / stepMs; step += 1) {
      nowMs += stepMs
      for (const [index, process] of processes.entries()) {
        if (isUsageKnown() && (step + index * 7) % (flushMs / stepMs) === 0) flush(process)
        for (let wanted = demand(index, step); wanted > 0; wanted -= 1) {
          if (process.account.waitMs(rate, nowMs) > 0) break
          process.account.take(rate, nowMs)
          process.unwritten += 1
          admitted += 1
        }
      }
    }
    return admitted
  }

  return { admitIn }
}

const counts = [1, 2, 5, 20]
const rates = [0.5, 5, 100]

test.each(counts.flatMap((count) => rates.map((rate) => [count, rate] as const)))(
  'behavior: %s processes together admit %s requests per second, plus one bucket each',
  (count, requestsPerS) => {
    const { burst } = requestRateOf(requestsPerS)
    const random = createRandom(count * 1_000 + requestsPerS)
    const flood = Math.ceil(requestsPerS / 20)
    const demands = {
      everywhere: () => flood,
      atOne: (index: number) => (index === 0 ? flood : 0),
      movingOn: (index: number, step: number) =>
        index === Math.floor(step / 70) % count ? flood : 0,
      atRandom: () => (random() < 0.3 ? flood : 0),
      inBursts: (_: number, step: number) => (step % 600 < 30 ? flood : 0),
    }
    const admitted = Object.fromEntries(
      Object.entries(demands).map(([name, demand]) => [
        name,
        createFleet(count).admitIn(requestsPerS, demand),
      ]),
    )
    const limit = requestsPerS * 60 + count * (burst + (requestsPerS * flushMs) / 1_000)
    for (const [name, total] of Object.entries(admitted))
      expect(total, `${name} of ${JSON.stringify(admitted)}`).toBeLessThanOrEqual(limit)
    for (const name of ['everywhere', 'atOne', 'atRandom'])
      expect(admitted[name], `${name} of ${JSON.stringify(admitted)}`).toBeGreaterThanOrEqual(
        requestsPerS * 60 * 0.9,
      )
  },
)

test('behavior: demand within the plan is never refused by any process', () => {
  // Nine tenths of the plan's rate, spread evenly over three processes.
  const wanted = (index: number, step: number) => (step % 10 === index * 3 ? 3 : 0)
  expect(createFleet(3).admitIn(100, wanted)).toBe(3 * 3 * 600)
})

test('behavior: a process that cannot read the others’ usage admits an even share', () => {
  const admitted = createFleet(4, () => false).admitIn(100, () => 5)
  expect(admitted).toBeLessThanOrEqual(100 * 60 * 1.1 + 4)
  expect(admitted).toBeGreaterThan(100 * 60 * 0.9)
})
