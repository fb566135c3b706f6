import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../test/support/memoryStore.ts'
import { createServedChain, servedStartS } from '../../../../../test/support/servedChain.ts'
import { createRowCache } from './rowCache.ts'

function createCache({ countMax = 10, lastTradeAtS = 0 } = {}) {
  const chain = createServedChain({ store: createMemoryStore() })
  const now = { s: servedStartS + 100_000 }
  const made: number[] = []
  const cache = createRowCache({
    clock: { nowMs: () => now.s * 1_000 },
    countMax,
    make: (_, id) => made.push(id),
    lastTradeAtS: () => lastTradeAtS,
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

test.each([
  // Nothing is in any window, so nothing leaves one.
  { agoS: 90_000, sameForS: 1_000_000 },
  // In the windows of minutes.
  { agoS: 400, sameForS: 59, changesAfterS: 60 },
  // In the windows of 5 seconds.
  { agoS: 10, sameForS: 4, changesAfterS: 5 },
])('behavior: last traded $agoS s ago', ({ agoS, sameForS, changesAfterS }) => {
  const startS = Math.ceil((servedStartS + 100_000) / 60) * 60
  const { of, now } = createCache({ lastTradeAtS: startS - agoS })
  now.s = startS
  expect(of(1)).toBe(1)
  now.s = startS + sameForS
  expect(of(1)).toBe(1)
  if (changesAfterS === undefined) return
  now.s = startS + changesAfterS
  expect(of(1)).toBe(2)
})
