// Compares searches of an engine with a sort of all matches: deepest main pair first, then oldest.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../../test/support/memoryStore.ts'
import { createServedChain } from '../../../../../test/support/servedChain.ts'

const tokenSpec = fc.record({
  symbol: fc.constantFrom('AB', 'ABC', 'XABC', 'ZZ'),
  name: fc.constantFrom('Ab', 'None', 'Crabs'),
  /** Depth of the token's pair; 0 without a pair. Few values, so that many are equal. */
  depth: fc.nat({ max: 4 }),
})
type TokenSpec = typeof tokenSpec extends fc.Arbitrary<infer spec> ? spec : never

function createMarket(specs: readonly TokenSpec[]) {
  const chain = createServedChain({ store: createMemoryStore() })
  const weth = chain.token({ symbol: 'WETH', name: 'Wrapped' })
  const usdc = chain.token({ symbol: 'USDC', name: 'Dollar', decimals: 6 })
  chain.pool(weth, usdc, [1_000, 2_000_000])
  const tokens = specs.map(({ symbol, name, depth }) => {
    const token = chain.token({ symbol, name })
    if (depth > 0) chain.pool(token, weth, [10_000, depth])
    return { id: token.id, depth, words: [symbol.toLowerCase(), name.toLowerCase()] }
  })
  chain.mine()
  return { engine: chain.engine, tokens }
}

test('behavior: a search returns the best matches of each kind, in order, up to the limit', () => {
  fc.assert(
    fc.property(
      fc.array(tokenSpec, { maxLength: 40 }),
      fc.constantFrom('ab', 'abc'),
      fc.integer({ min: 1, max: 30 }),
      (specs, keyword, limit) => {
        const { engine, tokens } = createMarket(specs)
        const kindOf = (words: readonly string[]) =>
          words.includes(keyword)
            ? 'exact'
            : words.some((word) => word.startsWith(keyword))
              ? 'prefix'
              : // Two letters are looked for at the beginning only.
                keyword.length > 2 && words.some((word) => word.includes(keyword))
                ? 'inside'
                : null
        let left = limit
        const best = (kind: string) => {
          const kept = tokens
            .filter(({ words }) => kindOf(words) === kind)
            .sort((a, b) => b.depth - a.depth || a.id - b.id)
            .slice(0, left)
          left -= kept.length
          return kept.map(({ id }) => id)
        }
        expect(engine.search(keyword, limit)).toEqual({
          exact: best('exact'),
          prefix: best('prefix'),
          inside: best('inside'),
        })
      },
    ),
  )
})
