// The current price must be the same text on every interface, even after it moved without a trade.
import { expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

type Row = Record<string, string>
type Point = Record<'open' | 'high' | 'low' | 'close' | 'volume', string> & { time: number }

/** PEPE is quoted in WETH, whose price moved after the last trade of PEPE. */
function createMovedMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { traded, usdc, weth, wethUsdc } = fillMarket(chain)
  const { token, pair } = traded[0]!
  const id = `${token.address}-local`
  const moveWeth = () => {
    chain.trade(wethUsdc, usdc, 1_000_000)
    chain.mine()
  }
  return {
    market,
    chain,
    token,
    pair,
    usdc,
    weth,
    wethUsdc,
    id,
    pairId: `${pair.address}-local`,
    moveWeth,
  }
}

const rowOf = (rows: Row[], address: string) => rows.find(({ token }) => token === address)!

test('default: every answer has the same price, and the last kline closes at it', async () => {
  const { market, token, id, pairId, moveWeth } = createMovedMarket()
  const before = (await market.get(`/v2/tokens/${id}`)).body.data.token
  moveWeth()
  const { token: row, pairs } = (await market.get(`/v2/tokens/${id}`)).body.data
  const price = row.current_price_usd
  expect(Number(price)).toBeGreaterThan(Number(before.current_price_usd))
  const klines = async (path: string) =>
    ((await market.get(path)).body.points as Point[]).at(-1)!.close
  const ids = { token_ids: [id], tvl_min: 0 }
  expect({
    pairOfDetail: pairs[0].token0_price_usd,
    pair: (await market.get(`/v2/pairs/${pairId}`)).body.token0_price_usd,
    search: rowOf((await market.get('/v2/tokens?keyword=PEPE')).body, token.address)
      .current_price_usd,
    batch: (await market.post('/v2/tokens/search', ids)).body[id].current_price_usd,
    price: (await market.post('/v2/tokens/price', ids)).body[id].current_price_usd,
    ranks: rowOf((await market.get('/v2/ranks?topic=hot')).body, token.address).current_price_usd,
    trending: rowOf(
      (await market.get('/v2/tokens/trending?chain=local')).body.tokens,
      token.address,
    ).current_price_usd,
    pairKlines: await klines(`/v2/klines/pair/${pairId}?interval=1`),
    tokenKlines: await klines(`/v2/klines/token/${id}?interval=60`),
    longKlines: await klines(`/v2/klines/token/${id}?interval=4320`),
  }).toEqual({
    pairOfDetail: price,
    pair: price,
    search: price,
    batch: price,
    price,
    ranks: price,
    trending: price,
    pairKlines: price,
    tokenKlines: price,
    longKlines: price,
  })
})

test('behavior: high and low include the current price, even in answers cached before it moved', async () => {
  const { market, chain, id, pairId, wethUsdc, weth, moveWeth } = createMovedMarket()
  const read = async () => {
    const { token, pairs } = (await market.get(`/v2/tokens/${id}`)).body.data
    const pair = (await market.get(`/v2/pairs/${pairId}`)).body
    return [
      [token.current_price_usd, token.token_price_24h_low, token.token_price_24h_high],
      [pairs[0].token0_price_usd, pairs[0].low_u, pairs[0].high_u],
      [pair.token0_price_usd, pair.low_u, pair.high_u],
    ] as const
  }
  const before = await read()
  moveWeth()
  for (const [at, [price, low, high]] of (await read()).entries()) {
    expect(high).toBe(price)
    expect(low).toBe(before[at]![1])
  }
  chain.trade(wethUsdc, weth, 2_000)
  chain.mine()
  for (const [at, [price, low, high]] of (await read()).entries()) {
    expect(low).toBe(price)
    expect(high).toBe(before[at]![2])
  }
})

test('behavior: the open kline closes at the current price without volume; closed klines contain only trades', async () => {
  const { market, chain, pair, pairId, weth, moveWeth } = createMovedMarket()
  const path = `/v2/klines/pair/${pairId}?interval=1`
  const points = async (query = ''): Promise<Point[]> =>
    (await market.get(path + query)).body.points
  const traded = await points()
  moveWeth()
  const moved = await points()
  expect(moved).toHaveLength(traded.length)
  expect(moved.at(-1)).toMatchObject({ volume: traded.at(-1)!.volume, open: traded.at(-1)!.open })
  expect(Number(moved.at(-1)!.close)).toBeGreaterThan(Number(traded.at(-1)!.close))
  expect(moved.at(-1)!.high).toBe(moved.at(-1)!.close)
  // A minute later, the kline has ended at its last trade, and a new kline spans from there to the
  // current price.
  chain.mine(60)
  const later = await points()
  expect(later.slice(0, -1)).toEqual(traded)
  expect(later.at(-1)).toMatchObject({
    open: traded.at(-1)!.close,
    close: moved.at(-1)!.close,
    volume: '0',
  })
  expect(await points('&limit=1')).toEqual(later.slice(-1))
  expect(await points(`&from_time=${later.at(-1)!.time}`)).toEqual(later.slice(-1))
  expect(await points(`&to_time=${later.at(-1)!.time - 1}`)).toEqual(traded)
  expect((await points('&fill=true')).at(-1)).toEqual(later.at(-1))
  // A kline without a trade is not stored.
  chain.mine(60)
  chain.trade(pair, weth, 0.1)
  chain.mine()
  const [after, open] = [await points(), traded.length]
  expect(after.slice(0, open)).toEqual(traded)
  expect(after).toHaveLength(open + 1)
  expect(after.at(-1)!.open).toBe(traded.at(-1)!.close)
})

test('behavior: a price at a past time is the price of the last trade', async () => {
  const { market, chain, id, moveWeth } = createMovedMarket()
  const before = (await market.get(`/v2/tokens/${id}`)).body.data.token.current_price_usd
  moveWeth()
  const body = { token_ids: [id], time: chain.engine.head()!.timeS }
  const answer = (await market.post('/v2/tokens/price/at', body)).body
  expect(answer[id].price_usd).toBe(before)
})

test('behavior: the wrapped native token has one price per cursor, whatever its other pools report', async () => {
  const { market, chain, weth, usdc, wethUsdc } = createMovedMarket()
  chain.pool(weth, usdc, [1_000, 2_100_000])
  chain.mine()
  const { token } = (await market.get(`/v2/tokens/${weth.address}-local`)).body.data
  const pair = (await market.get(`/v2/pairs/${wethUsdc.address}-local`)).body
  expect(token.main_pair).toBe(wethUsdc.address)
  expect(token.current_price_usd).toBe(pair.token0_price_usd)
  expect(Number(token.current_price_usd)).toBeCloseTo(2_000, 9)
  expect(chain.engine.nativeUsd()).toBeGreaterThan(2_000)
})
