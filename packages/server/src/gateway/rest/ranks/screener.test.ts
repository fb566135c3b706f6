import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

type Row = Record<string, string> & { token: string; chain: string; launch_at: number }

function createMarket(chains = ['local', 'other']) {
  const market = createServedMarket({ chains })
  const filled = [...market.chains.values()].map((chain, at) => {
    const made = fillMarket(chain)
    for (const [index, { pair }] of made.traded.entries()) {
      chain.trade(pair, made.weth, 0.01 * (index + 1) * (at + 1), wallet(index))
      chain.mine(90)
    }
    return made
  })
  const read = async (query = ''): Promise<{ next_cursor: string; tokens: Row[] }> => {
    const { status, body } = await market.get(`/v2/screener${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  return { market, filled, read }
}

/** Reads a measure from a row, independently of the board. */
const shownAs: Record<string, (row: Row) => number> = {
  volume_24h: (row) => Number(row.tx_volume_u_24h),
  volume_1h: (row) => Number(row.token_tx_volume_usd_1h),
  change_24h: (row) => Number(row.price_change_24h),
  trades_24h: (row) => Number(row.tx_count_24h),
  makers_24h: (row) => Number(row.token_makers_24h),
  liquidity: (row) => Number(row.main_pair_tvl),
  market_cap: (row) => Number(row.market_cap),
  price: (row) => Number(row.current_price_usd),
  holders: (row) => Number(row.holders),
}

const keyOf = ({ token, chain }: Row) => `${token}-${chain}`

test.each(Object.keys(shownAs))(
  'default: ordered by %s in both directions, as the rows show it',
  async (sort) => {
    const { read } = createMarket()
    const { tokens, next_cursor } = await read(`?sort=${sort}&limit=200`)
    expect(next_cursor).toBe('')
    expect(tokens.length).toBeGreaterThan(10)
    const values = tokens.map(shownAs[sort]!)
    expect(new Set(values).size).toBeGreaterThan(1)
    expect(values).toEqual([...values].sort((a, b) => b - a))
    const smallestFirst = (await read(`?sort=${sort}&limit=200&order=asc`)).tokens
    expect(smallestFirst.map(shownAs[sort]!)).toEqual([...values].reverse())
    expect(new Set(smallestFirst.map(keyOf))).toEqual(new Set(tokens.map(keyOf)))
  },
)

test('behavior: bounds select exactly the rows within them', async () => {
  const { read } = createMarket()
  const all = (await read('?limit=200')).tokens
  for (const [name, shownOf] of Object.entries(shownAs)) {
    const sorted = all.map(shownOf).sort((a, b) => a - b)
    const [min, max] = [
      sorted[Math.floor(sorted.length / 3)]!,
      sorted[Math.floor(sorted.length / 1.5)]!,
    ]
    // Rows may show rounded numbers, so bounds are chosen between two rows' numbers.
    const { tokens } = await read(
      `?limit=200&min_${name}=${min * 0.999999}&max_${name}=${max * 1.000001}`,
    )
    const wanted = all.filter((row) => shownOf(row) >= min && shownOf(row) <= max)
    expect(wanted.length).toBeGreaterThan(0)
    expect(new Set(tokens.map(keyOf)), name).toEqual(new Set(wanted.map(keyOf)))
  }
})

test('behavior: pages over all chains have no gap and no duplicate', async () => {
  const { read } = createMarket()
  for (const sort of ['volume_24h', 'holders', 'trades_4h']) {
    const all = (await read(`?sort=${sort}&limit=200`)).tokens.map(keyOf)
    const paged: string[] = []
    let cursor = ''
    do {
      const page = await read(`?sort=${sort}&limit=3&cursor=${encodeURIComponent(cursor)}`)
      expect(page.tokens.length).toBeLessThanOrEqual(3)
      paged.push(...page.tokens.map(keyOf))
      cursor = page.next_cursor
    } while (cursor !== '')
    expect(paged).toEqual(all)
  }
})

test('behavior: chain, venue, platform and launch state filter tokens', async () => {
  const { read, filled } = createMarket()
  const { launched } = filled[0]!
  expect(new Set((await read('?chain=other&limit=200')).tokens.map(({ chain }) => chain))).toEqual(
    new Set(['other']),
  )
  const out = (await read('?chain=local&launch=out')).tokens
  expect(out.map(({ token }) => token)).toContain(launched.out.token.address)
  expect(out.every(({ issue_platform }) => issue_platform !== '')).toBe(true)
  const platform = out[0]!.issue_platform!
  const ofPlatform = (await read(`?platform=${platform}&limit=200`)).tokens
  expect(new Set(ofPlatform.map((row) => row.issue_platform))).toEqual(new Set([platform]))
  const all = (await read('?limit=200')).tokens
  expect(ofPlatform.length).toBe(all.filter((row) => row.issue_platform === platform).length)
  expect((await read('?platform=nobody')).tokens).toEqual([])
  expect((await read('?venue=nowhere')).tokens).toEqual([])
  const ofVenue = (await read('?venue=uniswapv2&limit=200')).tokens
  expect(ofVenue.length).toBeGreaterThan(0)
  expect(ofVenue.length).toBeLessThan(all.length)
  expect((await read('?honeypot=1')).tokens).toEqual([])
  expect((await read('?honeypot=0&limit=200')).tokens).toHaveLength(all.length)
})

test('behavior: age and curve progress filter tokens', async () => {
  const { read, market } = createMarket(['local'])
  const nowS = market.chain.engine.head()!.timeS
  const known = (await read('?sort=created_at&limit=200')).tokens
  expect(known.length).toBeGreaterThan(0)
  const young = (await read(`?sort=created_at&limit=200&max_age_s=100`)).tokens
  const old = (await read(`?sort=created_at&limit=200&min_age_s=101`)).tokens
  expect([...young, ...old].map(keyOf)).toEqual(known.map(keyOf))
  for (const { launch_at } of old) expect(Number(launch_at)).toBeLessThan(nowS - 100)
  const filling = (await read('?sort=progress&max_progress=0.99')).tokens
  expect(filling.length).toBeGreaterThan(0)
  for (const row of filling) expect(row.issue_platform).not.toBe('')
})

test('behavior: new trades and reverts show in the next answer', async () => {
  const { read, market, filled } = createMarket(['local'])
  const { chain } = market
  const { traded, weth } = filled[0]!
  const volumes = async () =>
    new Map((await read('?limit=200')).tokens.map((row) => [row.token, row.tx_volume_u_24h]))
  const before = await volumes()
  chain.trade(traded[0]!.pair, weth, 5, wallet(7))
  chain.mine(60)
  const { address } = traded[0]!.token
  const after = await volumes()
  expect(Number(after.get(address))).toBeGreaterThan(Number(before.get(address)))
  expect((await read('?limit=1&sort=volume_5m')).tokens[0]!.token).toBe(weth.address)
  chain.revert()
  expect((await volumes()).get(address)).toBe(before.get(address))
})

test.each([
  ['sort=size', 'sort', 'invalid_param'],
  ['order=up', 'order', 'invalid_param'],
  ['limit=201', 'limit', 'limit_out_of_range'],
  ['min_liquidity=much', 'min_liquidity', 'invalid_param'],
  ['max_price=0x10', 'max_price', 'invalid_param'],
  ['cursor=abc', 'cursor', 'invalid_param'],
  ['launch=soon', 'launch', 'invalid_param'],
  ['honeypot=2', 'honeypot', 'invalid_param'],
  ['chain=mars', 'chain', 'unknown_chain'],
])('error: %s', async (query, param, code) => {
  const { market } = createMarket(['local'])
  const { status, body } = await market.get(`/v2/screener?${query}`)
  expect([status, body.error]).toEqual([code === 'unknown_chain' ? status : 400, { code, param }])
  expect(market.creditsUsed()).toBe(0)
})
