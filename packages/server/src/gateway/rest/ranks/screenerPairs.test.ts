import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

type Row = Record<string, string | number | boolean> & { pair: string; chain: string; amm: string }

/**
 * Two chains, each with pools of different ages, depths and volumes; one pool is untrusted and
 * several are equal.
 */
async function createMarket(names = ['local', 'other']) {
  const market = createServedMarket({ chains: names })
  for (const [at, chain] of [...market.chains.values()].entries()) {
    const { weth, usdc, traded } = fillMarket(chain)
    chain.pool(traded[1]!.token, usdc, [1_000, 4_000], { isTrusted: false })
    for (let twin = 0; twin < 4; twin += 1)
      chain.pool(chain.token({ symbol: `TWIN${twin}` }), weth, [1_000, 7])
    for (const [index, { pair }] of traded.entries()) {
      chain.trade(pair, weth, 0.01 * (index + 1) * (at + 1), wallet(index))
      chain.mine(900)
    }
  }
  const read = async (query = ''): Promise<{ next_cursor: string; pairs: Row[] }> => {
    const { status, body } = await market.get(`/v2/screener/pairs?${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  return { market, read, all: await allPairs(market) }
}

/** Reads each pair by the detail operation, in the order of chains and ids. */
async function allPairs({ chains, get }: ReturnType<typeof createServedMarket>): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, { engine }] of chains)
    for (let pairId = 0; pairId < engine.pairCount(); pairId += 1)
      rows.push((await get(`/v2/pairs/${engine.pairRecord(pairId).address}-${name}`)).body)
  return rows
}

/** Reads a measure from a row, independently of the board. */
const shownAs: Record<string, (row: Row) => number> = {
  created_at: (row) => Number(row.created_at),
  price: (row) =>
    Number(row.target_token === row.token0_address ? row.token0_price_usd : row.token1_price_usd),
  liquidity: (row) => Number(row.tvl),
  volume_5m: (row) => Number(row.volume_u_5m),
  volume_24h: (row) => Number(row.volume_u_24h),
  change_24h: (row) => Number(row.price_change_24h),
  trades_1h: (row) => Number(row.tx_1h_count),
  trades_24h: (row) => Number(row.tx_24h_count),
  makers_24h: (row) => Number(row.makers_24h),
}
const measures = Object.keys(shownAs)

const keyOf = ({ pair, chain }: Row) => `${pair}-${chain}`

type Bound = { measure: string; min: number; max: number }
type Filter = { sort: string; isAscending: boolean; bounds: readonly Bound[]; chain: string | null }

/** Filters and sorts all pairs by brute force. */
function bruteForce(all: readonly Row[], { sort, isAscending, bounds, chain }: Filter): string[] {
  const sign = isAscending ? -1 : 1
  return all
    .filter((row) => chain === null || row.chain === chain)
    .filter((row) => shownAs.price!(row) > 0)
    .filter((row) =>
      bounds.every(({ measure, min, max }) => {
        const value = shownAs[measure]!(row)
        return value >= min && value <= max
      }),
    )
    .sort((a, b) => sign * (shownAs[sort]!(b) - shownAs[sort]!(a)))
    .map(keyOf)
}

function queryOf({ sort, isAscending, bounds, chain }: Filter): string {
  const params = new URLSearchParams({ sort, order: isAscending ? 'asc' : 'desc' })
  if (chain !== null) params.set('chain', chain)
  for (const { measure, min, max } of bounds) {
    params.set(`min_${measure}`, String(min))
    params.set(`max_${measure}`, String(max))
  }
  return params.toString()
}

/** Returns bounds between rows' numbers, because the numbers in rows may be rounded. */
function boundOf(all: readonly Row[], measure: string, from: number, to: number): Bound {
  const values = [...new Set(all.map(shownAs[measure]!))].sort((a, b) => a - b)
  const before = (share: number) => {
    const at = Math.floor(share * values.length)
    const below = values[at - 1] ?? values[0]! - 1
    return (below + (values[at] ?? values.at(-1)! + 1)) / 2
  }
  const [min, max] = [Math.min(from, to), Math.max(from, to)]
  return { measure, min: before(min), max: before(max) }
}

test('behavior: pages of any filter and order equal a brute-force selection', async () => {
  const { read, all } = await createMarket()
  const share = fc.double({ min: 0, max: 0.999, noNaN: true })
  const anyFilter = fc.record({
    sort: fc.constantFrom(...measures),
    isAscending: fc.boolean(),
    chain: fc.constantFrom(null, 'local', 'other'),
    bounds: fc.uniqueArray(
      fc.tuple(fc.constantFrom(...measures), share, share).map(([name, a, b]) => ({
        ...boundOf(all, name, a, b),
      })),
      { selector: ({ measure }) => measure, maxLength: 2 },
    ),
  })
  await fc.assert(
    fc.asyncProperty(anyFilter, fc.integer({ min: 1, max: 7 }), async (filter, limit) => {
      const wanted = bruteForce(all, filter)
      const paged: string[] = []
      let cursor = ''
      do {
        const page = await read(
          `${queryOf(filter)}&limit=${limit}&cursor=${encodeURIComponent(cursor)}`,
        )
        expect(page.pairs.length).toBeLessThanOrEqual(limit)
        paged.push(...page.pairs.map(keyOf))
        cursor = page.next_cursor
      } while (cursor !== '' && paged.length <= wanted.length)
      expect(paged).toEqual(wanted)
    }),
    { numRuns: 40 },
  )
})

test('default: pairs are ordered by daily volume by default, with rows equal to pair detail', async () => {
  const { read, all } = await createMarket()
  const { pairs, next_cursor } = await read('limit=200')
  expect(next_cursor).toBe('')
  expect(pairs.length).toBeGreaterThan(20)
  const byKey = new Map(all.map((row) => [keyOf(row), row]))
  for (const row of pairs) expect(row).toEqual(byKey.get(keyOf(row)))
  const first = { sort: 'volume_24h', isAscending: false, bounds: [], chain: null }
  expect(pairs.map(keyOf)).toEqual(bruteForce(all, first))
})

test('behavior: venue and trusted filter pairs', async () => {
  const { read, all } = await createMarket()
  const priced = all.filter((row) => shownAs.price!(row) > 0)
  for (const trusted of ['0', '1']) {
    const { pairs } = await read(`trusted=${trusted}&limit=200`)
    const wanted = priced.filter(({ is_trusted }) => is_trusted === (trusted === '1'))
    expect(wanted.length).toBeGreaterThan(0)
    expect(new Set(pairs.map(keyOf))).toEqual(new Set(wanted.map(keyOf)))
  }
  const { pairs } = await read('venue=uniswapv2&limit=200')
  const wanted = priced.filter(({ amm }) => amm === 'uniswapv2')
  expect(wanted.length).toBeLessThan(priced.length)
  expect(new Set(pairs.map(keyOf))).toEqual(new Set(wanted.map(keyOf)))
  expect((await read('venue=nowhere')).pairs).toEqual([])
})

test('behavior: new trades, reverts and passed time show in the next answer', async () => {
  const { market, read } = await createMarket(['local'])
  const { chain } = market
  const nowS = chain.engine.head()!.timeS
  const known = (await read('sort=created_at&limit=200')).pairs
  const oldest = nowS - Number(known.at(-1)!.created_at)
  const young = (await read(`sort=created_at&limit=200&max_age_s=${oldest - 1}`)).pairs
  const old = (await read(`sort=created_at&limit=200&min_age_s=${oldest}`)).pairs
  expect([...young, ...old].map(keyOf)).toEqual(known.map(keyOf))
  expect(Math.min(young.length, old.length)).toBeGreaterThan(0)

  const weth = chain.token({ symbol: 'WETH2' })
  const late = chain.pool(weth, chain.token({ symbol: 'LATE' }), [1, 1])
  chain.mine(10)
  expect((await read('limit=200')).pairs.map(({ pair }) => pair)).not.toContain(late.address)
  const first = known[0]!.pair
  chain.revert()
  expect((await read('sort=created_at&limit=1')).pairs[0]!.pair).toBe(first)
})

test.each([
  ['sort=market_cap', 'sort', 'invalid_param'],
  ['order=up', 'order', 'invalid_param'],
  ['limit=0', 'limit', 'limit_out_of_range'],
  ['limit=201', 'limit', 'limit_out_of_range'],
  ['min_liquidity=much', 'min_liquidity', 'invalid_param'],
  ['max_volume_24h=1e999', 'max_volume_24h', 'invalid_param'],
  ['cursor=abc', 'cursor', 'invalid_param'],
  ['trusted=maybe', 'trusted', 'invalid_param'],
  ['min_age_s=young', 'min_age_s', 'invalid_param'],
  ['chain=mars', 'chain', 'unknown_chain'],
])('error: %s', async (query, param, code) => {
  const { market } = await createMarket(['local'])
  const spent = market.creditsUsed()
  const { status, body } = await market.get(`/v2/screener/pairs?${query}`)
  expect([status, body.error]).toEqual([code === 'unknown_chain' ? status : 400, { code, param }])
  expect(market.creditsUsed()).toBe(spent)
})
