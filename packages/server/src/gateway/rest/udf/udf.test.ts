import { expect, test } from 'vitest'
import { injectRequest } from '../../../../../../test/support/injectRequest.ts'
import {
  createServedMarket,
  fillMarket,
  servedKey,
} from '../../../../../../test/support/servedMarket.ts'
import { priceScale } from './udfSymbols.ts'

function createMarket() {
  const market = createServedMarket({ responseEnvelope: 'always' })
  const { chain } = market
  const { traded, weth, launched } = fillMarket(chain)
  const { pair } = traded[0]!
  for (let count = 0; count < 6; count += 1) {
    if (count === 4) chain.holdStore(true)
    chain.trade(pair, weth, 0.001)
    chain.mine(60)
  }
  const ticker = `${pair.address}-local`
  /** Operations outside /v2 have no envelope. */
  const get = async (path: string) => {
    const separator = path.includes('?') ? '&' : '?'
    const answer = await injectRequest(
      market.server,
      `/udf/${path}${separator}api_key=${servedKey}`,
    )
    return { status: answer.statusCode, text: answer.body, body: answer.json() }
  }
  return { market, chain, pair, ticker, get, weth, launched }
}

test('default: config describes the feed', async () => {
  const { get, chain } = createMarket()
  expect((await get('config')).body).toMatchObject({
    supports_search: true,
    supports_time: true,
    supported_resolutions: [
      ...['1S', '1', '3', '5', '15', '30', '60', '120', '180', '240', '360', '720'],
      ...['1D', '1W', '1M'],
    ],
  })
  expect((await get('time')).body).toBe(chain.engine.head()!.timeS)
})

test('behavior: a symbol is found by ticker, by name, and with its exchange', async () => {
  const { get, ticker } = createMarket()
  const { body } = await get(`symbols?symbol=${ticker}`)
  expect(body).toMatchObject({ name: 'PEPE/WETH', ticker, exchange: 'local', session: '24x7' })
  expect((await get('symbols?symbol=pepe/weth')).body).toEqual(body)
  expect((await get(`symbols?symbol=local:${ticker}`)).body).toEqual(body)
  expect((await get('symbols?symbol=local:PEPE/WETH')).body).toEqual(body)
  expect((await get('symbols?symbol=NO/WETH')).body).toEqual({
    s: 'error',
    errmsg: 'unknown_symbol',
  })
})

test('behavior: search returns tickers', async () => {
  const { get, ticker } = createMarket()
  const { body } = await get('search?query=pepe&type=&exchange=&limit=10')
  expect(body[0]).toMatchObject({ symbol: 'PEPE/WETH', ticker, type: 'crypto', exchange: 'local' })
  expect((await get('search?query=pepe&exchange=mars')).body).toEqual([])
  expect((await get('search?query=pepe&type=stock')).body).toEqual([])
  expect((await get('search?limit=3')).body).toHaveLength(3)
})

const barMembers = { o: 'open', h: 'high', l: 'low', c: 'close', v: 'volume' }

test('behavior: bars merged from shorter klines equal the klines of that length', async () => {
  const { get, chain, market, pair, ticker, weth } = createMarket()
  for (const gapS of [50, 90, 4_000, 40_000, 86_400 * 40]) {
    chain.trade(pair, weth, 0.01)
    chain.mine(gapS)
  }
  const toS = chain.engine.head()!.timeS + 1
  for (const [resolution, interval] of [
    ['3', '3'],
    ['180', '180'],
    ['360', '360'],
    ['720', '720'],
    ['M', '1M'],
  ] as const) {
    const bars = (await get(`history?symbol=${ticker}&resolution=${resolution}&from=0&to=${toS}`))
      .body
    const { body } = await market.get(`/v2/klines/pair/${ticker}?interval=${interval}`)
    const { points } = body.data
    expect(bars.t.length).toBeGreaterThan(1)
    expect(bars.t).toEqual(points.map(({ time }: { time: number }) => time))
    for (const [name, member] of Object.entries(barMembers))
      expect(bars[name]).toEqual(
        points.map((point: Record<string, string>) => Number(point[member])),
      )
  }
})

test('behavior: bars of a token continue through graduation, bars of a pair do not', async () => {
  const { get, chain, launched, weth } = createMarket()
  const { token, pair: curve, pool } = launched.out
  chain.trade(pool, weth, 0.01)
  chain.mine(60)
  const toS = chain.engine.head()!.timeS + 1
  const barsOf = async (symbol: string) =>
    (await get(`history?symbol=${symbol}&resolution=1&from=0&to=${toS}`)).body
  const [ofCurve, ofPool] = await Promise.all(
    [curve, pool].map(({ address }) => barsOf(`${address}-local`)),
  )
  const ofToken = await barsOf(`${token.address}-local`)
  expect(ofToken.t).toEqual([...ofCurve.t, ...ofPool.t])
  expect(ofToken.o.at(-1)).toBe(ofCurve.c.at(-1))
  expect(ofToken.c.at(-1)).toBe(ofPool.c.at(-1))
  expect(await barsOf('OUT/WETH')).toEqual(ofToken)
  const { body } = await get('search?query=OUT&type=&exchange=&limit=10')
  expect(body[0].ticker).toBe(`${token.address}-local`)
  expect((await get(`symbols?symbol=${token.address}-local`)).body).toMatchObject({
    name: 'OUT/WETH',
    ticker: `${token.address}-local`,
  })
})

test('behavior: bars equal the klines; from is inclusive, to is exclusive', async () => {
  const { market, get, ticker } = createMarket()
  const { points } = (await market.get(`/v2/klines/pair/${ticker}?interval=1`)).body.data
  const history = (from: number, to: number, more = '') =>
    get(`history?symbol=${ticker}&resolution=1&from=${from}&to=${to}${more}`)
  const { body, text } = await history(0, points.at(-1).time + 1)
  expect(body.s).toBe('ok')
  expect(body.t).toEqual(points.map(({ time }: { time: number }) => time))
  expect(body.c).toEqual(points.map(({ close }: { close: string }) => Number(close)))
  expect(body.v).toEqual(points.map(({ volume }: { volume: string }) => Number(volume)))
  expect(text).not.toMatch(/\de[+-]?\d/)
  const part = (await history(points[1].time, points[3].time)).body
  expect(part.t).toEqual([points[1].time, points[2].time])
  const counted = (await history(points[5].time, points[5].time + 1, '&countback=4')).body
  expect(counted.t).toEqual(body.t.slice(2, 6))
})

test('behavior: an empty range names the time of the previous bar', async () => {
  const { get, ticker, chain } = createMarket()
  const { timeS } = chain.engine.head()!
  const path = `history?symbol=${ticker}&resolution=1`
  const after = (await get(`${path}&from=${timeS + 600}&to=${timeS + 900}`)).body
  expect(after).toEqual({ s: 'no_data', nextTime: timeS - (timeS % 60) })
  expect((await get(`${path}&from=10&to=20`)).body).toEqual({ s: 'no_data' })
})

test.each([
  ['history?symbol=x&from=1&to=2', 400, 'The parameter resolution is required.'],
  ['history?symbol=x&resolution=2&from=1&to=2', 400, expect.stringMatching(/^resolution is one/)],
  ['history?symbol=x&resolution=D&to=2', 400, 'The parameter from is required.'],
  ['history?symbol=x&resolution=D&from=1&to=2&countback=0', 400, 'countback must be 1 to 5000.'],
  ['symbols', 400, 'The parameter symbol is required.'],
  ['symbols?symbol=', 400, 'The parameter symbol is required.'],
  [`quotes?symbols=${'x,'.repeat(50)}x`, 400, 'symbols must have 1 to 50 names, not 51.'],
  ['nothing', 404, 'No operation has this path.'],
  [`${servedKey}/time`, 404, 'No operation has this path.'],
])('error: %s, in the form that charts read', async (path, status, errmsg) => {
  const { get } = createMarket()
  expect(await get(path)).toMatchObject({ status, body: { s: 'error', errmsg } })
  const { body } = await get(path)
  expect(Object.keys(body)).toEqual(['s', 'errmsg'])
})

test('behavior: quotes equal pair detail', async () => {
  const { market, get, ticker } = createMarket()
  const { body } = await get(`quotes?symbols=${ticker},PEPE/WETH,NO/WETH`)
  const { data: pair } = (await market.get(`/v2/pairs/${ticker}`)).body
  const value = {
    short_name: 'PEPE/WETH',
    original_name: ticker,
    exchange: 'local',
    description: 'PEPE Coin',
    lp: Number(pair.token0_price_usd),
    ch: Number(pair.token0_price_usd) - Number(pair.open_price),
    chp: Number(pair.price_change_1d),
    open_price: Number(pair.open_price),
    prev_close_price: Number(pair.open_price),
    high_price: Number(pair.high_u),
    low_price: Number(pair.low_u),
    volume: Number(pair.volume_u_24h),
  }
  expect(body).toEqual({
    s: 'ok',
    d: [
      { s: 'ok', n: ticker, v: value },
      { s: 'ok', n: 'PEPE/WETH', v: value },
      { s: 'error', n: 'NO/WETH', v: {} },
    ],
  })
  expect(value.lp).toBeGreaterThan(0)
})

test('behavior: only chart operations accept the key in the query', async () => {
  const { market } = createMarket()
  const withoutKey = await injectRequest(market.server, '/udf/time')
  expect(withoutKey.statusCode).toBe(401)
  const elsewhere = await injectRequest(market.server, `/v2/supported_chains?api_key=${servedKey}`)
  expect(elsewhere.statusCode).toBe(401)
  const inHeader = { url: '/udf/time', headers: { 'x-api-key': servedKey } }
  expect((await injectRequest(market.server, inHeader)).statusCode).toBe(200)
})

test('behavior: prices of any size show five digits', () => {
  expect(priceScale(2_000)).toBe(100)
  expect(priceScale(1.5)).toBe(10_000)
  expect(priceScale(0.000_012_3)).toBe(1_000_000_000)
  expect(priceScale(1e-30)).toBe(1e16)
  expect(priceScale(null)).toBe(100_000)
})
