import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../../test/support/memoryStore.ts'
import { createServedChain } from '../../../../../../test/support/servedChain.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { encodedText } from '../../ground/encodedJson.ts'
import { bodyIdsOfTexts } from './bodyIds.ts'
import { PriceLineCache } from './priceLineCache.ts'

/**
 * A chain with one token, and price lines whose text names the market version they were made of.
 */
function createLines({ dayMore = '', worthMore = '' } = {}) {
  const made: string[] = []
  const days: number[] = []
  const createChain = () => {
    const served = createServedChain({ store: createMemoryStore() })
    const token = served.token({ symbol: 'T' })
    served.mine()
    return { ...served, address: token.address }
  }
  const first = createChain()
  const chains = new Map([[first.gatewayChain.profile.name, first.gatewayChain]])
  const lines = new PriceLineCache({ nowMs: () => 0 }, 10, {
    day(chain) {
      days.push(chain.version())
      const text = `"day":${days.length},${dayMore}`
      return { value: { text, volumeUsd: 7 }, validUntilS: Number.POSITIVE_INFINITY }
    },
    worth(chain) {
      made.push(chain.profile.name)
      return { text: `"version":${chain.version()}${worthMore}}`, tvlUsd: 5 }
    },
  })
  let current: { gatewayChain: GatewayChain; address: string } = first
  const encoded = (texts: readonly string[], least = {}) =>
    lines.encodeBatch(
      { ids: bodyIdsOfTexts(texts), tvlMinUsd: 0, volumeMinUsd: 0, ...least },
      chains,
      (id) => ({
        chain: current.gatewayChain,
        address: id.startsWith('x') ? current.address : 'none',
      }),
    )
  return {
    first,
    chains,
    made,
    days,
    createChain,
    serve(chain: typeof first) {
      current = chain
      chains.set(chain.gatewayChain.profile.name, chain.gatewayChain)
    },
    encoded,
    ask: (texts: readonly string[], least = {}) => JSON.parse(encodedText(encoded(texts, least))),
  }
}

test('default: a line is made once until the market changes', () => {
  const { ask, made, days, first } = createLines()
  const { version } = first.gatewayChain
  expect(ask(['x'])).toEqual({ x: { token_id: 'x', day: 1, version: version() } })
  ask(['x', 'x', 'none'])
  expect(made).toHaveLength(1)
  first.mine()
  expect(ask(['x'])).toEqual({ x: { token_id: 'x', day: 1, version: version() } })
  expect(made).toHaveLength(2)
  // Without a trade, the day members are not encoded again.
  expect(days).toHaveLength(1)
})

test('behavior: lines may have any length', () => {
  const long = (length: number) => '1'.repeat(length)
  for (const length of [300, 330, 400, 440, 470, 500, 600, 2_000])
    for (const [dayMore, worthMore] of [
      [`"more":"${long(length)}",`, ''],
      ['', `,"more":"${long(length)}"`],
    ] as const) {
      const { ask, first } = createLines({ dayMore, worthMore })
      for (let block = 0; block < 3; block += 1) {
        const { version } = first.gatewayChain
        const line = { day: 1, more: long(length), version: version() }
        expect(ask(['xa', 'xb', 'xc'])).toEqual(
          Object.fromEntries(
            ['xa', 'xb', 'xc'].map((id, at) => [id, { token_id: id, ...line, day: at + 1 }]),
          ),
        )
        first.mine()
      }
    }
})

test('error: writing a batch after the next batch fails', () => {
  const { encoded } = createLines()
  const first = encoded(['x'])
  encoded(['x'])
  expect(() => encodedText(first)).toThrow('before the next')
})

test('args: tokens below a threshold are left out', () => {
  const { ask } = createLines()
  expect(ask(['x'], { tvlMinUsd: 5, volumeMinUsd: 7 })).toHaveProperty('x')
  expect(ask(['x'], { tvlMinUsd: 5.1 })).toEqual({})
  expect(ask(['x'], { volumeMinUsd: 7.1 })).toEqual({})
})

test('behavior: a reopened chain of the same name is a new market', () => {
  const { ask, serve, createChain } = createLines()
  ask(['x'])
  const second = createChain()
  for (let block = 0; block < 5; block += 1) second.mine()
  serve(second)
  expect(ask(['x']).x.version).toBe(second.gatewayChain.version())
})

test('behavior: a reverted block may remove the token', () => {
  const { ask, first } = createLines()
  expect(ask(['x'])).toHaveProperty('x')
  first.revert()
  expect(ask(['x'])).toEqual({})
})

test('behavior: more ids than the cache holds are all answered', () => {
  const { ask } = createLines()
  for (let batch = 0; batch < 12; batch += 1) {
    const ids = Array.from({ length: 199 }, (_, at) => `x${batch}-${at}`)
    expect(Object.keys(ask([...ids, 'x']))).toEqual([...ids, 'x'])
  }
})
