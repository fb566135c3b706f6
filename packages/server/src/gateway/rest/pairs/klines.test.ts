import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

type Point = Record<'open' | 'high' | 'low' | 'close' | 'volume', string> & { time: number }

/** PEPE against WETH, traded in the minutes 0, 1, 2, 5 and 9 after the market was filled. */
function createMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { traded, weth, usdc, wethUsdc } = fillMarket(chain)
  const { token, pair } = traded[0]!
  const gapsS = [60, 60, 60, 180, 240]
  for (const [at, gapS] of gapsS.entries()) {
    // The last three blocks are in memory alone.
    if (at === 2) chain.holdStore(true)
    chain.trade(pair, at % 2 === 0 ? weth : token, at % 2 === 0 ? 0.2 : 1_000, wallet(3))
    chain.mine(gapS)
  }
  return { market, chain, token, pair, weth, usdc, wethUsdc }
}

const pathOf = ({ address }: { address: string }, query = '') =>
  `/v2/klines/pair/${address}-local?interval=1${query}`

test('default: ascending, open is the close before, the open kline last', async () => {
  const { market, pair, token } = createMarket()
  const { status, body } = await market.get(pathOf(pair))
  expect(status).toBe(200)
  const { points, ...rest } = body as { points: Point[] }
  expect(rest).toMatchObject({
    ...{ total_count: points.length, limit: 300, interval: 1, category: 'u' },
    ...{ pair_id: `${pair.address}-local`, target_token_id: `${token.address}-local` },
  })
  expect(points).toHaveLength(6)
  for (const [at, point] of points.entries()) {
    if (at === 0) continue
    expect(point.time).toBeGreaterThan(points[at - 1]!.time)
    expect(point.open).toBe(points[at - 1]!.close)
  }
  const { body: detail } = await market.get(`/v2/pairs/${pair.address}-local`)
  expect(points.at(-1)!.close).toBe(detail.token0_price_usd)
})

test('behavior: what is stored and what is not gives the same answer', async () => {
  const { market, chain, pair } = createMarket()
  const held = await market.get(pathOf(pair))
  chain.holdStore(false)
  expect((await market.get(pathOf(pair))).body).toEqual(held.body)
})

test('behavior: a reorg reverts what it ended', async () => {
  const { market, chain, pair } = createMarket()
  const before = await market.get(pathOf(pair))
  chain.revert()
  const after = await market.get(pathOf(pair))
  expect(after.body.points).toEqual(before.body.points.slice(0, -1))
})

test('args: limit keeps the newest, exactly', async () => {
  const { market, pair } = createMarket()
  const all = (await market.get(pathOf(pair))).body.points
  for (const limit of [1, 2, 5])
    expect((await market.get(pathOf(pair, `&limit=${limit}`))).body.points).toEqual(
      all.slice(-limit),
    )
})

test('args: from_time, to_time', async () => {
  const { market, pair } = createMarket()
  const all: Point[] = (await market.get(pathOf(pair))).body.points
  const [from, to] = [all[1]!.time, all[3]!.time]
  const { body } = await market.get(pathOf(pair, `&from_time=${from}&to_time=${to}`))
  expect(body.points).toEqual(all.slice(1, 4))
  expect(body.to_time).toBe(to)
})

test('args: fill', async () => {
  const { market, pair } = createMarket()
  const all: Point[] = (await market.get(pathOf(pair))).body.points
  const filled: Point[] = (await market.get(pathOf(pair, '&fill=true'))).body.points
  expect(filled).toHaveLength((all.at(-1)!.time - all[0]!.time) / 60 + 1)
  expect(filled.filter(({ volume }) => volume !== '0')).toEqual(all)
  for (const [at, { time, open, close, volume }] of filled.entries()) {
    if (at > 0) expect(time).toBe(filled[at - 1]!.time + 60)
    if (volume === '0') expect([open, close]).toEqual([filled[at - 1]!.close, open])
  }
  const newest = await market.get(pathOf(pair, '&fill=true&limit=3'))
  expect(newest.body.points).toEqual(filled.slice(-3))
})

test('args: fill of a range in which nothing traded', async () => {
  const { market, pair } = createMarket()
  const all: Point[] = (await market.get(pathOf(pair))).body.points
  const gapS = all.at(-1)!.time - 120
  const query = `&fill=true&from_time=${gapS}&to_time=${gapS + 60}`
  const { points } = (await market.get(pathOf(pair, query))).body
  const { close } = all.at(-2)!
  const flat = { open: close, high: close, low: close, close, volume: '0' }
  expect(points).toEqual([
    { ...flat, time: gapS },
    { ...flat, time: gapS + 60 },
  ])
})

test('args: interval of more than a day is put together from days', async () => {
  const { market, chain, pair, weth, token } = createMarket()
  for (let day = 0; day < 40; day += 1) {
    chain.trade(pair, day % 3 === 0 ? token : weth, day % 3 === 0 ? 900 : 0.1, wallet(4))
    chain.mine(86_400)
  }
  const klinesOf = async (query: string): Promise<Point[]> =>
    (await market.get(`/v2/klines/pair/${pair.address}-local?${query}`)).body.points
  const days = await klinesOf('interval=1440&limit=1000')
  for (const minutes of [4_320, 43_200, 525_600, 2_628_000]) {
    const points = await klinesOf(`interval=${minutes}`)
    const starts = days.map(({ time }) => time - (time % (minutes * 60)))
    expect(points.map(({ time }) => time)).toEqual([...new Set(starts)])
    for (const { time, ...point } of points) {
      const inside = days.filter((_, at) => starts[at] === time)
      const numbers = (of: 'high' | 'low' | 'volume') => inside.map((day) => Number(day[of]))
      expect([point.open, point.close]).toEqual([inside[0]!.open, inside.at(-1)!.close])
      expect(Number(point.high)).toBe(Math.max(...numbers('high')))
      expect(Number(point.low)).toBe(Math.min(...numbers('low')))
      const volume = numbers('volume').reduce((sum, one) => sum + one, 0)
      expect(Number(point.volume)).toBeCloseTo(volume, 6)
    }
    const second = points.at(-2)
    if (second === undefined) continue
    // What starts in the range is given whole, whatever day the range ends on.
    const query = `interval=${minutes}&from_time=${second.time - 86_400}&to_time=${second.time + 1}`
    expect(await klinesOf(query)).toEqual([second])
    expect(await klinesOf(`k=1&interval=k${minutes}&limit=1`)).toEqual([points.at(-1)])
  }
})

test('args: category', async () => {
  const { market, pair, wethUsdc } = createMarket()
  const main = (await market.get(pathOf(pair, '&category=m'))).body
  expect((await market.get(pathOf(pair, '&category=r'))).body.points).toEqual(main.points)
  expect((await market.get(pathOf(pair))).body.points).not.toEqual(main.points)
  const usd = (await market.get(pathOf(wethUsdc))).body.points
  expect((await market.get(pathOf(wethUsdc, '&category=r'))).body.points).toEqual(usd)
})

test('behavior: a token has the klines of its main pair', async () => {
  const { market, token, pair } = createMarket()
  const { body } = await market.get(`/v2/klines/token/${token.address}-local?interval=k1`)
  expect(body).toEqual((await market.get(pathOf(pair))).body)
})

test('behavior: unknown ids have no points', async () => {
  const { market, usdc } = createMarket()
  const unknown = `0x${'9'.repeat(40)}-local`
  const empty = { points: [], total_count: 0, pair_id: '', target_token_id: '' }
  expect((await market.get(`/v2/klines/pair/${unknown}`)).body).toMatchObject(empty)
  expect((await market.get(`/v2/klines/token/${unknown}`)).body).toMatchObject(empty)
  // A stablecoin is a quote and has no price of its own.
  const stable = await market.get(`/v2/klines/token/${usdc.address}-local`)
  expect(stable.body).toMatchObject(empty)
})

test.each([
  ['interval=2', 'interval', 'invalid_param'],
  ['interval=4321', 'interval', 'invalid_param'],
  ['limit=0', 'limit', 'limit_out_of_range'],
  ['limit=1001', 'limit', 'limit_out_of_range'],
  ['from_time=now', 'from_time', 'invalid_param'],
  ['to_time=-1', 'to_time', 'limit_out_of_range'],
  ['from_time=20&to_time=10', 'from_time', 'invalid_param'],
  ['category=x', 'category', 'invalid_param'],
  ['fill=yes', 'fill', 'invalid_param'],
])('error: %s', async (query, param, code) => {
  const { market, pair } = createMarket()
  const { status, body } = await market.get(`/v2/klines/pair/${pair.address}-local?${query}`)
  expect([status, body.error]).toEqual([400, { code, param }])
  expect(market.creditsUsed()).toBe(0)
})

test('error: a database that does not answer is said so', async () => {
  const loadKlines = () => Promise.reject(new TypeError('down'))
  const market = createServedMarket({ store: { loadKlines } })
  const { wethUsdc } = fillMarket(market.chain)
  const { status, body } = await market.get(pathOf(wethUsdc))
  expect([status, body.error.code]).toEqual([503, 'unavailable'])
  expect(market.creditsUsed()).toBe(0)
})
