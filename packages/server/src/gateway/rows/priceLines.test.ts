import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../test/support/memoryStore.ts'
import { createServedChain } from '../../../../../test/support/servedChain.ts'
import { textOf } from '../encoded.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { idsOfTexts } from '../idsInBody.ts'
import { PriceLines } from './priceLines.ts'

/** A chain with one token, and lines that say which market they were made of. */
function createLines() {
  const made: string[] = []
  const createChain = () => {
    const served = createServedChain({ store: createMemoryStore() })
    const token = served.token({ symbol: 'T' })
    served.mine()
    return { ...served, address: token.address }
  }
  const first = createChain()
  const chains = new Map([[first.gatewayChain.profile.name, first.gatewayChain]])
  const lines = new PriceLines({
    ...{ clock: { nowMs: () => 0 }, countMax: 10 },
    make(chain) {
      made.push(chain.profile.name)
      const members = `"version":${chain.version()}`
      const value = { tvlUsd: 5, volume24hUsd: 7, members }
      return { value, validUntilS: Number.POSITIVE_INFINITY }
    },
  })
  let current: { gatewayChain: GatewayChain; address: string } = first
  return {
    ...{ first, chains, made, createChain },
    serve(chain: typeof first) {
      current = chain
      chains.set(chain.gatewayChain.profile.name, chain.gatewayChain)
    },
    ask: (texts: readonly string[], least = {}) =>
      JSON.parse(
        textOf(
          lines.batch({
            ...{ ids: idsOfTexts(texts), chains, tvlMinUsd: 0, volumeMinUsd: 0, ...least },
            find: (id) => ({
              chain: current.gatewayChain,
              address: id.startsWith('x') ? current.address : 'none',
            }),
          }),
        ),
      ),
  }
}

test('default: made once, until the market changes', () => {
  const { ask, made, first } = createLines()
  const { version } = first.gatewayChain
  expect(ask(['x'])).toEqual({ x: { token_id: 'x', version: version() } })
  ask(['x', 'x', 'none'])
  expect(made).toHaveLength(1)
  first.mine()
  expect(ask(['x'])).toEqual({ x: { token_id: 'x', version: version() } })
  expect(made).toHaveLength(2)
})

test('args: thresholds', () => {
  const { ask } = createLines()
  expect(ask(['x'], { tvlMinUsd: 5, volumeMinUsd: 7 })).toHaveProperty('x')
  expect(ask(['x'], { tvlMinUsd: 5.1 })).toEqual({})
  expect(ask(['x'], { volumeMinUsd: 7.1 })).toEqual({})
})

test('behavior: another chain by the same name is another market', () => {
  const { ask, serve, createChain } = createLines()
  ask(['x'])
  const second = createChain()
  for (let block = 0; block < 5; block += 1) second.mine()
  serve(second)
  expect(ask(['x']).x.version).toBe(second.gatewayChain.version())
})

test('behavior: a block that is taken back may take the token with it', () => {
  const { ask, first } = createLines()
  expect(ask(['x'])).toHaveProperty('x')
  first.revert()
  expect(ask(['x'])).toEqual({})
})

test('behavior: more ids than are kept are all answered', () => {
  const { ask } = createLines()
  for (let batch = 0; batch < 12; batch += 1) {
    const ids = Array.from({ length: 199 }, (_, at) => `x${batch}-${at}`)
    expect(Object.keys(ask([...ids, 'x']))).toEqual([...ids, 'x'])
  }
})
