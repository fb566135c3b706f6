import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../test/support/memoryStore.ts'
import { createServedChain, servedStartS } from '../../../../../test/support/servedChain.ts'
import { createRowCache } from './rowCache.ts'

function createCache({ countMax = 10, validUntilS = Number.POSITIVE_INFINITY } = {}) {
  const chain = createServedChain({ store: createMemoryStore() })
  const now = { s: servedStartS + 100_000 }
  const made: number[] = []
  const cache = createRowCache({
    clock: { nowMs: () => now.s * 1_000 },
    countMax,
    make: (_, id) => ({ value: made.push(id), validUntilS }),
  })
  return { chain, now, made, of: (id: number) => cache.of(chain.gatewayChain, id) }
}

test('default: made once while the market stands', () => {
  const { of, made, chain } = createCache()
  expect([of(1), of(1), of(2)]).toEqual([1, 1, 2])
  chain.mine()
  expect(of(1)).toBe(3)
  expect(made).toEqual([1, 2, 1])
})

test('args: countMax', () => {
  const { of, made } = createCache({ countMax: 2 })
  for (const id of [1, 2, 3, 3, 2, 1]) of(id)
  expect(made).toEqual([1, 2, 3, 1])
})

test('behavior: made again when time has changed it', () => {
  const validUntilS = servedStartS + 100_060
  const { of, now } = createCache({ validUntilS })
  expect(of(1)).toBe(1)
  now.s = validUntilS - 1
  expect(of(1)).toBe(1)
  now.s = validUntilS
  expect(of(1)).toBe(2)
})
