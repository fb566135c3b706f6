import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'
import { klineIntervalNames, klineIntervalsS } from '../../../model/klines/kline.ts'

const path = '/v2/tokens/price/at'
const unknown = { price_usd: null, price_eth: null, time: null, interval: null }

/** A token traded every minute. The last blocks are only in memory. */
function createMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { traded, weth, wethUsdc } = fillMarket(chain)
  const { token, pair } = traded[0]!
  chain.trade(wethUsdc, weth, 1, wallet(4))
  for (let at = 0; at < 6; at += 1) {
    if (at === 3) chain.holdStore(true)
    chain.trade(pair, at % 2 === 0 ? weth : token, at % 2 === 0 ? 0.2 : 1_000, wallet(3))
    chain.mine(60)
  }
  const id = `${token.address}-local`
  const ask = async (time: number, ids: readonly string[] = [id]) =>
    (await market.post(path, { token_ids: ids, time })).body
  return { market, chain, id, weth, ask }
}

test('default: returns the close of the last traded second', async () => {
  const { market, chain, id, weth, ask } = createMarket()
  const query = `/v2/klines/token/${id}?interval=s1&limit=100`
  const { points } = (await market.get(query)).body as { points: { time: number; close: string }[] }
  expect(points.length).toBeGreaterThan(6)
  for (const [at, { time, close }] of points.entries()) {
    const next = points[at + 1]?.time ?? time + 1
    for (const asked of [time, next - 1]) {
      const body = await ask(asked)
      expect(body[id]).toMatchObject({ price_usd: close, time, interval: 's1' })
    }
  }
  // Stored blocks and blocks in memory give the same price.
  const { time } = points.at(-2)!
  const held = await ask(time)
  chain.holdStore(false)
  expect(await ask(time)).toEqual(held)
  const both = await ask(time, [id, `${weth.address}-local`])
  expect(Object.keys(both)).toEqual([id, `${weth.address}-local`])
  expect(both[`${weth.address}-local`].price_eth).toBe('1')
})

test.each(['k1', 'k60', 'k1440'] as const)(
  'behavior: once shorter klines are deleted, %s gives the price: ended klines by close, others by open',
  async (kept) => {
    const keptFrom = klineIntervalNames.indexOf(kept)
    const market = createServedMarket({
      store: {
        loadKlines: async (query) =>
          query.interval < keptFrom ? [] : await market.store.loadKlines(query),
      },
    })
    const { chain } = market
    const { traded, weth } = fillMarket(chain)
    const { token, pair } = traded[0]!
    for (let at = 0; at < 12; at += 1) {
      chain.trade(pair, weth, 0.1 * (at + 1), wallet(3))
      chain.mine([45, 1_000, 9_000, 100_000][at % 4]!)
    }
    const id = `${token.address}-local`
    const url = `/v2/klines/token/${id}?interval=${kept}&limit=100`
    const points: { time: number; open: string; close: string }[] = (await market.get(url)).body
      .points
    const lengthS = klineIntervalsS[keptFrom]!
    const sides = new Set<string>()
    for (const [at, { time, open, close }] of points.entries()) {
      // Skips times before the first trade, which have no price, and the last klines, which are
      // still open.
      if (at === 0 || at > points.length - 3) continue
      for (const asked of [time + 1, points[at + 1]!.time - 1]) {
        const { body } = await market.post(path, { token_ids: [id], time: asked })
        const side = time + lengthS > asked + 1 ? 'open' : 'close'
        sides.add(side)
        const price_usd = side === 'open' ? open : close
        expect([asked, body[id]]).toMatchObject([asked, { price_usd, time, interval: kept }])
      }
    }
    expect(sides).toEqual(new Set(['open', 'close']))
  },
)

test('behavior: unknown tokens, and tokens without an earlier trade, have no price', async () => {
  const { ask, id } = createMarket()
  const stranger = `0x${'9'.repeat(40)}-local`
  expect(await ask(1_000, [id, stranger])).toEqual({ [id]: unknown, [stranger]: unknown })
})

test.each([
  [{ token_ids: [`0x${'9'.repeat(40)}-local`] }, 'missing_param', 'time'],
  [{ token_ids: [`0x${'9'.repeat(40)}-local`], time: 1.5 }, 'invalid_param', 'time'],
  [{ token_ids: [`0x${'9'.repeat(40)}-local`], time: -1 }, 'limit_out_of_range', 'time'],
  [{ token_ids: [`0x${'9'.repeat(40)}-local`], time: 9e12 }, 'limit_out_of_range', 'time'],
  [{ token_ids: [], time: 1 }, 'limit_out_of_range', 'token_ids'],
  [{ token_ids: Array(51).fill('a-local'), time: 1 }, 'limit_out_of_range', 'token_ids'],
])('error: %j', async (body, code, param) => {
  const { market } = createMarket()
  const { status, body: answer } = await market.post(path, body)
  expect([status, answer.error]).toEqual([400, { code, param }])
})
