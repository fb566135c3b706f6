import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

type Point = Record<'open' | 'high' | 'low' | 'close' | 'volume', string> & { time: number }

/** PEPE against WETH, traded in minutes 0, 1, 2, 5 and 9. */
function createMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { traded, weth, usdc, wethUsdc } = fillMarket(chain)
  const { token, pair } = traded[0]!
  const gapsS = [60, 60, 60, 180, 240]
  for (const [at, gapS] of gapsS.entries()) {
    // The last three blocks stay in memory.
    if (at === 2) chain.holdStore(true)
    chain.trade(pair, at % 2 === 0 ? weth : token, at % 2 === 0 ? 0.2 : 1_000, wallet(3))
    chain.mine(gapS)
  }
  return { market, chain, token, pair, weth, usdc, wethUsdc }
}

const pathOf = ({ address }: { address: string }, query = '') =>
  `/v2/klines/pair/${address}-local?interval=1${query}`

test('default: klines ascend, open at the previous close, and end with the open kline', async () => {
  const { market, pair, token } = createMarket()
  const { status, body } = await market.get(pathOf(pair))
  expect(status).toBe(200)
  const { points, ...rest } = body as { points: Point[] }
  expect(rest).toMatchObject({
    total_count: points.length,
    limit: 300,
    interval: 1,
    category: 'u',
    pair_id: `${pair.address}-local`,
    target_token_id: `${token.address}-local`,
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

test('behavior: stored blocks and blocks in memory give the same answer', async () => {
  const { market, chain, pair } = createMarket()
  const held = await market.get(pathOf(pair))
  chain.holdStore(false)
  expect((await market.get(pathOf(pair))).body).toEqual(held.body)
})

test('behavior: a reorg reverts the klines that its blocks ended', async () => {
  const { market, chain, pair } = createMarket()
  const before = await market.get(pathOf(pair))
  chain.revert()
  const after = await market.get(pathOf(pair))
  expect(after.body.points).toEqual(before.body.points.slice(0, -1))
})

test('args: limit keeps exactly the newest klines', async () => {
  const { market, pair } = createMarket()
  const all = (await market.get(pathOf(pair))).body.points
  for (const limit of [1, 2, 5])
    expect((await market.get(pathOf(pair, `&limit=${limit}`))).body.points).toEqual(
      all.slice(-limit),
    )
})

test("args: from_time and to_time bound the klines' start", async () => {
  const { market, pair } = createMarket()
  const all: Point[] = (await market.get(pathOf(pair))).body.points
  const [from, to] = [all[1]!.time, all[3]!.time]
  const { body } = await market.get(pathOf(pair, `&from_time=${from}&to_time=${to}`))
  expect(body.points).toEqual(all.slice(1, 4))
  expect(body.to_time).toBe(to)
})

test('args: fill adds flat klines for buckets without a trade', async () => {
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

test('args: fill of a range without trades repeats the last close', async () => {
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

test('args: intervals longer than a day are merged from days', async () => {
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
    // A kline that starts in the range is returned complete, even if the range ends before it.
    const query = `interval=${minutes}&from_time=${second.time - 86_400}&to_time=${second.time + 1}`
    expect(await klinesOf(query)).toEqual([second])
    expect(await klinesOf(`k=1&interval=k${minutes}&limit=1`)).toEqual([points.at(-1)])
  }
})

test('args: category selects the unit of prices', async () => {
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
  const { market } = createMarket()
  const unknown = `0x${'9'.repeat(40)}-local`
  const empty = { points: [], total_count: 0, pair_id: '', target_token_id: '' }
  expect((await market.get(`/v2/klines/pair/${unknown}`)).body).toMatchObject(empty)
  expect((await market.get(`/v2/klines/token/${unknown}`)).body).toMatchObject(empty)
})

test("behavior: a stablecoin has klines of its deepest pair with the native coin, at the pair's price", async () => {
  const { market, chain, usdc, weth, wethUsdc } = createMarket()
  chain.trade(wethUsdc, usdc, 500, wallet(3))
  chain.mine(60)
  chain.trade(wethUsdc, weth, 0.1, wallet(4))
  chain.mine(60)
  const { body } = await market.get(`/v2/klines/token/${usdc.address}-local?interval=1`)
  const pair_id = `${wethUsdc.address}-local`
  expect(body).toMatchObject({ pair_id, target_token_id: `${usdc.address}-local` })
  const pair = await market.get(`/v2/klines/pair/${pair_id}?interval=1`)
  const volumes = (points: Point[]) => points.slice(-2).map(({ time, volume }) => [time, volume])
  expect(volumes(body.points)).toEqual(volumes(pair.body.points))
  for (const { open, high, low, close } of body.points as Point[])
    expect([open, high, low, close]).toEqual(['1', '1', '1', '1'])
  const { body: detail } = await market.get(`/v2/tokens/${usdc.address}-local`)
  expect(detail.data.token.main_pair).toBe(wethUsdc.address)
  expect(Number(detail.data.token.token_makers_24h)).toBeGreaterThan(1)
})

/**
 * A launch at 0.000005 native whose price rises on its curve and falls on the pool after
 * graduation.
 */
function createGraduate() {
  const market = createServedMarket()
  const { chain } = market
  const { weth } = fillMarket(chain)
  const token = chain.token({ symbol: 'UP', name: 'Up Only' })
  const curve = chain.pool(token, weth, [1_000_000, 5], { kind: 'curve' })
  chain.launch(token, curve)
  chain.mine(60)
  for (let left = 5; left > 0; left -= 1) {
    chain.trade(curve, weth, 3, wallet(3))
    chain.mine(60)
  }
  const pool = chain.pool(token, weth, [500_000, 40])
  chain.graduate(token, curve, pool)
  chain.mine(5)
  return { market, chain, token, weth, curve, pool }
}

/** Merges klines by an independent method: by the label of the bucket that contains a second. */
function joinedBy(
  points: readonly Point[],
  labelOf: (timeS: number) => string,
): Omit<Point, 'time'>[] {
  const groups = new Map<string, Point[]>()
  for (const point of points) {
    const label = labelOf(point.time)
    groups.set(label, [...(groups.get(label) ?? []), point])
  }
  return [...groups.values()].map((group) => {
    const numbers = (name: 'high' | 'low' | 'volume') => group.map((point) => Number(point[name]))
    return {
      open: group[0]!.open,
      high: String(Math.max(...numbers('high'))),
      low: String(Math.min(...numbers('low'))),
      close: group.at(-1)!.close,
      volume: numbers('volume')
        .reduce((sum, volume) => sum + volume, 0)
        .toFixed(6),
    }
  })
}

/** Trades over weeks: first several a day, then days apart. */
function createLongMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { traded, weth } = fillMarket(chain)
  const { pair } = traded[0]!
  const gapsS = [70, 200, 4_000, 9_000, 30_000, 50_000, 86_400 * 9, 86_400 * 20, 86_400 * 31, 3_600]
  for (const [at, gapS] of gapsS.entries()) {
    chain.trade(pair, weth, 0.1 + at / 100, wallet(3))
    chain.mine(gapS)
  }
  return { market, pair, chain }
}

const hoursOf = (hours: number) => (timeS: number) => `${Math.floor(timeS / (hours * 3_600))}`

test.each([
  ['3', 'k1', (timeS: number) => `${Math.floor(timeS / 180)}`],
  ['k180', '60', hoursOf(3)],
  ['360', '60', hoursOf(6)],
  ['720', '60', hoursOf(12)],
  ['4320', '1440', hoursOf(72)],
  ['1M', '1440', (timeS: number) => new Date(timeS * 1_000).toISOString().slice(0, 7)],
])('behavior: klines of %s are merged from shorter klines', async (interval, shorter, labelOf) => {
  const { market, pair } = createLongMarket()
  const read = async (query: string): Promise<Point[]> =>
    (await market.get(`/v2/klines/pair/${pair.address}-local?limit=1000&interval=${query}`)).body
      .points
  const points = await read(interval)
  const wanted = joinedBy(await read(shorter), labelOf)
  expect(wanted.length).toBeGreaterThan(2)
  const shown = points.map(({ time: _, volume, ...prices }) => ({
    ...prices,
    volume: Number(volume).toFixed(6),
  }))
  expect(shown).toEqual(wanted)
  expect(new Set(points.map(({ time }) => labelOf(time))).size).toBe(points.length)
  for (const { time } of points) expect(labelOf(time - 1)).not.toBe(labelOf(time))
  const filled = await read(`${interval}&fill=true`)
  const traded = new Set(points.map(({ time }) => time))
  const wantedHere = points.filter(({ time }) => time >= filled[0]!.time)
  expect(filled.filter(({ time }) => traded.has(time))).toEqual(wantedHere)
  for (const [at, { time }] of filled.entries())
    if (at > 0) expect(labelOf(time - 1)).toBe(labelOf(filled[at - 1]!.time))
})

test('behavior: a month begins on its first day, UTC', async () => {
  const { market, pair } = createLongMarket()
  const path = `/v2/klines/pair/${pair.address}-local?interval=1M`
  const { body } = await market.get(path)
  expect(body.interval).toBe('1M')
  for (const { time } of body.points)
    expect(new Date(time * 1_000).toISOString()).toMatch(/-01T00:00:00.000Z$/)
  const [newest] = (await market.get(`${path}&limit=1`)).body.points
  expect(newest).toEqual(body.points.at(-1))
  const upTo = body.points.at(-1).time - 1
  expect((await market.get(`${path}&to_time=${upTo}`)).body.points).toEqual(
    body.points.slice(0, -1),
  )
})

test('behavior: a graduated token keeps its price change, high and klines', async () => {
  const { market, chain, token, weth, curve, pool } = createGraduate()
  const detailOf = async () =>
    (await market.get(`/v2/tokens/${token.address}-local`)).body.data.token
  const pointsOf = async (query = '') =>
    (await market.get(`/v2/klines/token/${token.address}-local?interval=1${query}`)).body
  const ofCurve = (await market.get(pathOf(curve))).body.points as Point[]
  // The pool has no trade yet.
  const waiting = await detailOf()
  expect(waiting.main_pair).toBe(pool.address)
  expect(Number(waiting.price_change_24h)).toBeGreaterThan(400)
  expect(Number(waiting.token_price_24h_high)).toBeGreaterThan(0)
  expect((await pointsOf()).points).toEqual(ofCurve)
  chain.trade(pool, token, 1_000, wallet(4))
  // Late trades on the curve no longer affect the token's price.
  chain.trade(curve, token, 1_000, wallet(4))
  chain.mine(60)
  chain.trade(pool, token, 50_000, wallet(4))
  chain.mine(60)
  const after = await detailOf()
  expect(Number(after.price_change_24h)).toBeGreaterThan(100)
  expect(after.token_price_24h_high).toBe(waiting.token_price_24h_high)
  expect(after.launch_price).toBe(waiting.launch_price)
  const body = await pointsOf()
  const points = body.points as Point[]
  expect(after.price_ath_u).toBe(waiting.price_ath_u)
  expect(Number(after.price_ath_u)).toBe(Math.max(...points.map(({ high }) => Number(high))))
  for (const [at, point] of points.entries())
    if (at > 0) expect(point.open).toBe(points[at - 1]!.close)
  expect(points.slice(0, ofCurve.length - 1)).toEqual(ofCurve.slice(0, -1))
  expect(points.at(-1)!.close).toBe((await market.get(pathOf(pool))).body.points.at(-1).close)
  const ids = [curve, pool].map(({ address }) => `${address}-local`)
  expect(body).toMatchObject({ pair_id: ids[1], target_token_id: `${token.address}-local` })
  expect(body.main_pairs.map(({ pair_id }: { pair_id: string }) => pair_id)).toEqual(ids)
  expect(body.exact_from).toBeUndefined()
  expect((await pointsOf('&limit=3')).points).toEqual(points.slice(-3))
  const middle = points[3]!.time
  const older = await pointsOf(`&to_time=${middle}`)
  expect(older.points).toEqual(points.slice(0, 4))
  // Longer than any stored kline.
  const week = (await market.get(`/v2/klines/token/${token.address}-local?interval=4320`)).body
  expect(week.points.at(-1)).toMatchObject({ close: points.at(-1)!.close })
  const losers = (await market.get('/v2/ranks?topic=loser&limit=50')).body as { token: string }[]
  expect(losers[0]?.token).not.toBe(token.address)
  chain.trade(pool, weth, 1, wallet(5))
})

test("behavior: reverting a graduation restores the curve's klines", async () => {
  const { market, chain, token, curve, pool, weth } = createGraduate()
  const path = `/v2/klines/token/${token.address}-local?interval=1`
  const before = await market.get(path)
  chain.trade(pool, weth, 1, wallet(4))
  chain.mine(60)
  expect((await market.get(path)).body.points).not.toEqual(before.body.points)
  chain.revert()
  expect((await market.get(path)).body).toEqual(before.body)
  chain.revert()
  const { body } = await market.get(path)
  expect(body.pair_id).toBe(`${curve.address}-local`)
  expect(body.points).toEqual((await market.get(pathOf(curve))).body.points)
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

test('error: a database that does not answer is reported', async () => {
  const loadKlines = () => Promise.reject(new TypeError('down'))
  const market = createServedMarket({ store: { loadKlines } })
  const { wethUsdc } = fillMarket(market.chain)
  const { status, body } = await market.get(pathOf(wethUsdc))
  expect([status, body.error.code]).toEqual([503, 'unavailable'])
  expect(market.creditsUsed()).toBe(0)
})
