import { expect, onTestFinished, test } from 'vitest'
import { generatorProfile as profile } from '../../../../../test/support/blockGenerator.ts'
import { createLogger } from '../../lib/logger.ts'
import { createMetrics } from '../../lib/metrics.ts'
import type { ChainRuntime } from '../chain/chainRuntime.ts'
import type { SnapshotRound } from './snapshotter.ts'
import { startSnapshots } from './startSnapshots.ts'

/** Rounds of two chains, and what they ask of a thread. */
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
      async ask(_, input) {
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

const taken = (restMs = 0): SnapshotRound => ({ saved: { number: 7, restMs }, isLetGo: false })

test('default: each round takes a snapshot of every chain', async () => {
  const { rounds, asked } = open(() => taken())
  await rounds.next()
  expect(asked).toEqual([[1, 2], 1, 2])
})

test('behavior: a chain that rests is kept all the same, until its rest is over', async () => {
  const { rounds, asked, clock } = open((chainId) => taken(chainId === 2 ? 100 : 0))
  await rounds.next()
  asked.length = 0
  clock.nowMs = 99
  await rounds.next()
  clock.nowMs = 100
  await rounds.next()
  expect(asked).toEqual([[1, 2], 1, [1, 2], 1, 2])
})

test('behavior: a thread that released a large market is ended after the round', async () => {
  const { rounds, asked } = open((chainId) => ({ saved: null, isLetGo: chainId === 1 }))
  await rounds.next()
  expect(asked).toEqual([[1, 2], 1, 2, 'end'])
})

test('error: a snapshot that fails is counted, and keeps none of the others from being taken', async () => {
  const { rounds, asked, failures } = open((chainId) =>
    chainId === 1 ? new Error('no room') : taken(),
  )
  await rounds.next()
  expect(asked).toEqual([[1, 2], 1, 2])
  expect(await failures()).toBe(1)
})

test('edge: an interval that ends during a round is left out, and nothing is taken after the end', async () => {
  const { rounds, asked, failures } = open(() => {
    void rounds.stop()
    return new Error('the thread was stopped')
  })
  await Promise.all([rounds.next(), rounds.next()])
  expect(asked).toEqual([[1, 2], 1])
  expect(await failures()).toBe(0)
})
