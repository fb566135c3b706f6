import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assumedLoad, scaledTo } from './chainLoads.ts'
import { type Demand, type Plan, planFor } from './plan.ts'
import { bounds } from './unitCosts.ts'

const demandOf = (names: readonly string[], given: Partial<Demand> = {}): Demand => ({
  chains: names.map(assumedLoad),
  sockets: 1_000,
  pushesPerSocketS: 0.5,
  subscriptionsPerSocket: 10,
  requestsPerS: 100,
  swapsDays: 30,
  machine: { memoryBytes: 64e9 },
  ...given,
})

const countOf = (groups: Plan['gateways']) => groups.reduce((sum, { count }) => sum + count, 0)

describe('one process', () => {
  test('is enough for a few chains and a thousand sockets', () => {
    const plan = planFor(demandOf(['eth', 'base']))
    expect(plan.indexers).toMatchObject([{ chains: ['base', 'eth'], count: 1 }])
    expect(plan).toMatchObject({ gateways: [], nats: null, databases: { count: 1 } })
    expect(plan.strains.every(({ share }) => share < 1)).toBe(true)
  })

  test('is not where its memory, its sockets or its loop would be too full', () => {
    const machine = { memoryBytes: 4e9 }
    for (const more of [{ machine }, { sockets: 60_001 }, { requestsPerS: 20_000 }])
      expect(countOf(planFor(demandOf(['eth', 'base'], more)).gateways)).toBeGreaterThan(1)
  })
})

describe('many', () => {
  const names = fc.array(fc.constantFrom('eth', 'bsc', 'base', 'solana', 'unheardOf'), {
    minLength: 1,
    maxLength: 40,
  })
  const amount = fc.integer({ min: 1, max: 2_000_000 })

  test('every chain is indexed once and served by one group of gateways', () => {
    fc.assert(
      fc.property(names, amount, (chains, sockets) => {
        const plan = planFor(demandOf(chains, { sockets }))
        const all = (groups: Plan['indexers']) => groups.flatMap((group) => group.chains).sort()
        expect(all(plan.indexers)).toEqual([...chains].sort())
        if (plan.gateways.length > 0) expect(all(plan.gateways)).toEqual([...chains].sort())
      }),
    )
  })

  test('more sockets never need fewer gateways', () => {
    fc.assert(
      fc.property(names, amount, amount, (chains, sockets, more) => {
        const few = planFor(demandOf(chains, { sockets }))
        const many = planFor(demandOf(chains, { sockets: sockets + more }))
        expect(countOf(many.gateways)).toBeGreaterThanOrEqual(countOf(few.gateways))
      }),
    )
  })

  test('a group of several chains is within its bounds', () => {
    fc.assert(
      fc.property(names, amount, (chains, sockets) => {
        const { indexers } = planFor(demandOf(chains, { sockets }))
        for (const { chains: together, loopShare, memoryBytes } of indexers) {
          if (together.length === 1) continue
          expect(loopShare).toBeLessThanOrEqual(bounds.loopShare)
          expect(memoryBytes).toBeLessThanOrEqual(64e9 * bounds.memoryShare)
        }
      }),
    )
  })

  test('a chain that one thread cannot read is named first among what does not work', () => {
    const chains = scaledTo([assumedLoad('bsc')], 100_000)
    const { strains } = planFor({ ...demandOf([]), chains, machine: { memoryBytes: 4e12 } })
    expect(strains[0]).toMatchObject({ what: 'thread that reads bsc' })
    expect(strains[0]!.share).toBeGreaterThan(1)
  })
})
