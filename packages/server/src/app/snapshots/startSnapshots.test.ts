import { expect, onTestFinished, test } from 'vitest'
import { generatorProfile as profile } from '../../../../../test/support/blockGenerator.ts'
import { createLogger } from '../../lib/logger.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import type { SnapshotRound } from './snapshotter.ts'
import { startSnapshots } from './startSnapshots.ts'

/** Snapshot rounds of two chains, with a fake worker that records its calls. */
function open(take: (chainId: number) => SnapshotRound | Error) {
  const asked: unknown[] = []
  const metrics = createMetrics()
  const clock = { nowMs: 0 }
  const rounds = startSnapshots({
    config: { fixed: { snapshot_every_ms: 2_000_000_000 } },
    connection: { databaseUrl: 'postgres://unused' },
    chains: {
      list: () => [1, 2].map((chainId) => ({ chainId, gatewayChain: { profile } }) as ChainRuntime),
      readers: () => [],
    },
    thread: {
      async call(_, input) {
        const { chainId } = input as { chainId: number }
        asked.push(chainId)
        const taken = take(chainId)
        if (taken instanceof Error) throw taken
        return taken as never
      },
      send: (_, chainIds) => void asked.push(chainIds),
      end: async () => void asked.push('end'),
      close: async () => undefined,
    },
    metrics,
    logger: createLogger('silent'),
    nowMs: () => clock.nowMs,
  })
  onTestFinished(rounds.stop)
  const failures = async () => (await metrics.snapshotFailuresTotal.get()).values[0]?.value
  return { rounds, asked, clock, failures }
}

const taken = (restMs = 0): SnapshotRound => ({ saved: { number: 7, restMs }, isReleased: false })

test('default: snapshots every chain in each round', async () => {
  const { rounds, asked } = open(() => taken())
  await rounds.next()
  expect(asked).toEqual([[1, 2], 1, 2])
})

test('behavior: keeps the engine of a resting chain', async () => {
  const { rounds, asked, clock } = open((chainId) => taken(chainId === 2 ? 100 : 0))
  await rounds.next()
  asked.length = 0
  clock.nowMs = 99
  await rounds.next()
  clock.nowMs = 100
  await rounds.next()
  expect(asked).toEqual([[1, 2], 1, [1, 2], 1, 2])
})

test('behavior: ends the thread after a round that released a large market', async () => {
  const { rounds, asked } = open((chainId) => ({ saved: null, isReleased: chainId === 1 }))
  await rounds.next()
  expect(asked).toEqual([[1, 2], 1, 2, 'end'])
})

test('error: counts a failed snapshot and continues with the other chains', async () => {
  const { rounds, asked, failures } = open((chainId) =>
    chainId === 1 ? new Error('no room') : taken(),
  )
  await rounds.next()
  expect(asked).toEqual([[1, 2], 1, 2])
  expect(await failures()).toBe(1)
})

test('edge: skips a round while one runs, and takes nothing after stop', async () => {
  const { rounds, asked, failures } = open(() => {
    void rounds.stop()
    return new Error('the thread was stopped')
  })
  await Promise.all([rounds.next(), rounds.next()])
  expect(asked).toEqual([[1, 2], 1])
  expect(await failures()).toBe(0)
})
