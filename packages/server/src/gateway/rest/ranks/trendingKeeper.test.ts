import { expect, onTestFinished, test, vi } from 'vitest'
import { createMemoryStore } from '../../../../../../test/support/memoryStore.ts'
import { createServedChain } from '../../../../../../test/support/servedChain.ts'
import { fillMarket } from '../../../../../../test/support/servedMarket.ts'
import type { GatewayChain } from '../../gatewayChain.ts'
import { createTrendingKeeper } from './trendingKeeper.ts'

function createRig() {
  const chain = createServedChain({ store: createMemoryStore() })
  fillMarket(chain)
  const { engine, gatewayChain } = chain
  const chains = new Map<string, GatewayChain>([['local', gatewayChain]])
  let nowS = engine.head()!.timeS
  let pieces = 0
  const steps: string[] = []
  gatewayChain.reads = {
    ...engine,
    prepareTrending(atS) {
      steps.push('piece')
      pieces += 1
      return engine.prepareTrending(atS)
    },
  }
  const turns = {
    take: (work: () => void) => work(),
    takeLast: (work: () => void) => work(),
    isFree: () => true,
    isOver: () => false,
    place: () => 0,
    async next() {
      steps.push('turn')
    },
  }
  const clock = { nowMs: () => nowS * 1_000 }
  const keeper = createTrendingKeeper({ chains, clock, turns, everyMs: 1 })
  return {
    chain,
    chains,
    engine,
    keeper,
    steps,
    pieces: () => pieces,
    nowS: () => nowS,
    pass(seconds: number) {
      nowS += seconds
    },
  }
}

test('default: an order is there before it is asked for', async () => {
  const { keeper, engine, nowS, pass } = createRig()
  await keeper.keep()
  expect(engine.prepareTrending(nowS())).toBe('fresh')
  pass(5)
  await keeper.keep()
  expect(engine.prepareTrending(nowS())).toBe('fresh')
})

test('behavior: each piece has a turn of its own', async () => {
  const { keeper, engine, steps, chains } = createRig()
  const states = ['none', 'due', 'due', 'fresh'] as const
  let at = 0
  chains.get('local')!.reads = {
    ...engine,
    prepareTrending() {
      steps.push('piece')
      at += 1
      return states[at - 1]!
    },
  }
  // Who asks while it is made waits for the same.
  await Promise.all([keeper.keep(), keeper.keep()])
  expect(steps).toEqual(['piece', 'turn', 'piece', 'turn', 'piece', 'turn', 'piece'])
})

test('behavior: a chain that is no longer served is left', async () => {
  const { keeper, engine, chains } = createRig()
  chains.get('local')!.reads = {
    ...engine,
    prepareTrending() {
      chains.clear()
      return 'none'
    },
  }
  await keeper.keep()
  expect(chains.size).toBe(0)
})

test('behavior: a chain without a block has no order', async () => {
  const { keeper, engine, chains, pieces } = createRig()
  chains.get('local')!.reads = { ...engine, head: () => null }
  await keeper.keep()
  expect(pieces()).toBe(0)
})

test('behavior: looks again and again until it is stopped', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { keeper, pieces } = createRig()
  await keeper.keep()
  const first = pieces()
  keeper.start()
  keeper.start()
  await vi.advanceTimersByTimeAsync(3)
  expect(pieces()).toBe(first + 3)
  keeper.stop()
  keeper.stop()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(pieces()).toBe(first + 3)
})
