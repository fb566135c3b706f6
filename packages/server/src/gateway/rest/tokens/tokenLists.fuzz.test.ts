// Compares every list of random markets on two chains with the rows themselves.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../../test/support/propertyRuns.ts'
import type { ServedChain } from '../../../../../../test/support/servedChain.ts'
import {
  createServedMarket,
  type ServedMarket,
} from '../../../../../../test/support/servedMarket.ts'

type Row = Record<string, string> & { symbol: string; name: string; token: string; chain: string }

const words = ['AB', 'ABC', 'XAB', 'ab', 'ZZ'] as const

const tokenSpec = fc.record({
  symbol: fc.constantFrom(...words),
  name: fc.constantFrom('Ab', 'About', 'Crab', 'None'),
  depth: fc.integer({ min: 1, max: 1_000 }),
  traded: fc.integer({ min: 0, max: 50 }),
  supply: fc.integer({ min: 0, max: 1_000_000 }),
  isLaunch: fc.boolean(),
  filledPpm: fc.integer({ min: 0, max: 1_000_000 }),
  isTrusted: fc.boolean(),
})
type TokenSpec = typeof tokenSpec extends fc.Arbitrary<infer spec> ? spec : never

function fillChain(chain: ServedChain, specs: readonly TokenSpec[]): void {
  const weth = chain.token({ symbol: 'WETH', name: 'Wrapped' })
  const usdc = chain.token({ symbol: 'USDC', name: 'Dollar', decimals: 6 })
  chain.pool(weth, usdc, [1_000, 2_000_000])
  chain.mine()
  for (const spec of specs) {
    const { symbol, name, isLaunch } = spec
    const token = chain.token({ symbol, name })
    const kind = isLaunch ? 'curve' : 'constantProduct'
    const pair = chain.pool(token, weth, [10_000, spec.depth], { kind, isTrusted: spec.isTrusted })
    if (isLaunch) {
      chain.launch(token, pair)
      chain.fill(pair, spec.filledPpm)
    }
    if (spec.traded > 0) chain.trade(pair, weth, spec.traded / 10)
    chain.supply(token, { total: spec.supply })
  }
  chain.mine()
}

async function rowsOf(market: ServedMarket, url: string): Promise<Row[]> {
  const { status, body } = await market.get(url)
  expect(status).toBe(200)
  return body
}

const idOf = ({ token, chain }: Row) => `${token}-${chain}`
const orders = ['tx_volume_u_24h', 'market_cap', 'main_pair_tvl', 'fdv']

function expectDescending(rows: readonly Row[], orderby: string): void {
  const values = rows.map((row) => Number(row[orderby]))
  expect(values).toEqual([...values].sort((a, b) => b - a))
}

function tierOf({ symbol, name }: Row, keyword: string): number {
  const terms = [symbol, name].map((text) => text.toLowerCase())
  if (terms[0] === keyword) return 0
  return terms.some((term) => term.startsWith(keyword)) ? 1 : 2
}

async function checkSearch(market: ServedMarket, limit: number): Promise<void> {
  for (const orderby of orders) {
    const url = `/v2/tokens?keyword=ab&orderby=${orderby}`
    const all = await rowsOf(market, `${url}&limit=300`)
    const kept = await rowsOf(market, `${url}&limit=${limit}`)
    expectDescending(all, orderby)
    expectDescending(kept, orderby)
    expect(kept).toHaveLength(Math.min(limit, all.length))
    const keptIds = new Set(kept.map(idOf))
    const dropped = all.filter((row) => !keptIds.has(idOf(row)))
    const worstKept = Math.max(...kept.map((row) => tierOf(row, 'ab')))
    for (const row of dropped) {
      const tier = tierOf(row, 'ab')
      expect(tier).toBeGreaterThanOrEqual(worstKept)
      // In the tier that was cut, the largest matches are kept.
      const rivals = kept.filter((each) => tierOf(each, 'ab') === tier)
      for (const rival of rivals)
        expect(Number(rival[orderby])).toBeGreaterThanOrEqual(Number(row[orderby]))
    }
  }
}

async function checkPrices(market: ServedMarket, tvlMin: number, volumeMin: number) {
  const rows = await rowsOf(market, '/v2/tokens?keyword=ab&limit=200')
  if (rows.length === 0) return
  const { body } = await market.post('/v2/tokens/price', {
    token_ids: rows.map(idOf),
    tvl_min: tvlMin,
    tx_24h_volume_min: volumeMin,
  })
  const passing = rows.filter(
    (row) => Number(row.tvl) >= tvlMin && Number(row.tx_volume_u_24h) >= volumeMin,
  )
  expect(Object.keys(body)).toEqual(passing.map(idOf))
  for (const row of passing) {
    const { token_id, ...fields } = body[idOf(row)]
    expect(token_id).toBe(idOf(row))
    expect(row).toMatchObject(fields)
  }
}

async function checkPlatform(market: ServedMarket, limit: number): Promise<void> {
  for (const orderby of ['tx_volume_u_24h', 'main_pair_tvl']) {
    const all = await rowsOf(market, `/v2/tokens/platform?tag=meme&limit=300&orderby=${orderby}`)
    const kept = await rowsOf(
      market,
      `/v2/tokens/platform?tag=meme&limit=${limit}&orderby=${orderby}`,
    )
    expectDescending(all, orderby)
    expect(kept).toEqual(all.slice(0, limit))
    const inCurve = await rowsOf(market, '/v2/tokens/platform?tag=tape_in_new&limit=300')
    expect(inCurve.map(idOf).sort()).toEqual(all.map(idOf).sort())
    const hot = await rowsOf(market, '/v2/tokens/platform?tag=hot&limit=300')
    expect(hot.map(idOf).sort()).toEqual(
      all
        .filter((row) => Number(row.tx_count_24h) > 0)
        .map(idOf)
        .sort(),
    )
  }
}

test('behavior: lists are ordered, cut and filtered by the figures in their rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(tokenSpec, { maxLength: 20 }),
      fc.array(tokenSpec, { maxLength: 20 }),
      fc.record({
        limit: fc.integer({ min: 1, max: 12 }),
        tvlMin: fc.double({ min: 0, max: 3_000_000, noNaN: true }),
        volumeMin: fc.double({ min: 0, max: 12_000, noNaN: true }),
      }),
      async (local, other, { limit, tvlMin, volumeMin }) => {
        const market = createServedMarket({ chains: ['local', 'other'] })
        fillChain(market.chains.get('local')!, local)
        fillChain(market.chains.get('other')!, other)
        await checkSearch(market, limit)
        await checkPrices(market, tvlMin, volumeMin)
        await checkPlatform(market, limit)
        await market.server.close()
      },
    ),
    { numRuns: propertyRuns(25) },
  )
})
