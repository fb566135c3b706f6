// Compares searches of random markets on two chains with a plain sort of all matches by tier,
// figure and search order.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../../test/support/propertyRuns.ts'
import type { ServedChain } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket } from '../../../../../../test/support/servedMarket.ts'

type Row = { token: string; chain: string; main_pair_tvl: string; symbol: string; name: string }

const tokenSpec = fc.record({
  symbol: fc.constantFrom('AB', 'ABC', 'ab', 'XABC'),
  name: fc.constantFrom('Ab', 'Abc', 'Crabs'),
  /** 0: the token has no pair. Few values, so that many tokens are equal. */
  depth: fc.nat({ max: 3 }),
})
type TokenSpec = typeof tokenSpec extends fc.Arbitrary<infer spec> ? spec : never

function fillChain(chain: ServedChain, specs: readonly TokenSpec[]): void {
  const weth = chain.token({ symbol: 'WETH', name: 'Wrapped' })
  const usdc = chain.token({ symbol: 'USDC', name: 'Dollar', decimals: 6 })
  chain.pool(weth, usdc, [1_000, 2_000_000])
  for (const { symbol, name, depth } of specs) {
    const token = chain.token({ symbol, name })
    if (depth > 0) chain.pool(token, weth, [10_000, depth])
  }
  chain.mine()
}

const idOf = ({ token, chain }: Row) => `${token}-${chain}`

function tierOf({ symbol, name }: Row, word: string): number {
  if (symbol.toLowerCase() === word) return 0
  return [symbol, name].some((term) => term.toLowerCase().startsWith(word)) ? 1 : 2
}

test('behavior: keeps the same matches as a full sort, equal ones in search order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(
        fc.array(tokenSpec, { maxLength: 15 }),
        fc.array(tokenSpec, { minLength: 1, maxLength: 15 }),
      ),
      fc.constantFrom('ab', 'abc'),
      fc.integer({ min: 1, max: 20 }),
      async ([local, other], keyword, limit) => {
        const market = createServedMarket({ chains: ['local', 'other'] })
        fillChain(market.chains.get('local')!, local)
        fillChain(market.chains.get('other')!, other)
        const url = `/v2/tokens?keyword=${keyword}&orderby=main_pair_tvl`
        const { body: all } = await market.get(`${url}&limit=300`)
        const rowOf = new Map<string, Row>(all.map((row: Row) => [idOf(row), row]))
        const found: Row[] = []
        for (const { engine, gatewayChain } of market.chains.values()) {
          const { exact, prefix, inside } = engine.search(keyword, 300)
          for (const tokenId of [...exact, ...prefix, ...inside])
            found.push(
              rowOf.get(`${engine.tokenRecord(tokenId).address}-${gatewayChain.profile.name}`)!,
            )
        }
        const byTvl = (a: Row, b: Row) => Number(b.main_pair_tvl) - Number(a.main_pair_tvl)
        // Tiers apply only when matches are cut; equal figures keep the search order.
        const kept = found.length <= limit ? found : [...found].sort(byTierThen(keyword, byTvl))
        const expected = kept.slice(0, limit).sort(byTvl)
        const { body } = await market.get(`${url}&limit=${limit}`)
        expect(body.map(idOf)).toEqual(expected.map(idOf))
        await market.server.close()
      },
    ),
    { numRuns: propertyRuns(40) },
  )
})

function byTierThen(word: string, order: (a: Row, b: Row) => number) {
  return (a: Row, b: Row) => tierOf(a, word) - tierOf(b, word) || order(a, b)
}
