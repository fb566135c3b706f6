import { describe, expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

type Row = { symbol: string; chain: string } & Record<string, string>

const path = '/v2/tokens/platform'
const symbolsOf = (rows: readonly Row[]) => rows.map(({ symbol }) => symbol).sort()

function createMarket() {
  const market = createServedMarket({ chains: ['local', 'other'] })
  return { market, ...fillMarket(market.chains.get('local')!) }
}

test.each([
  ['tape_in_hot', ['ALMOST', 'CURVE']],
  ['tape_in_new', ['ALMOST', 'CURVE']],
  ['tape_in_almost', ['ALMOST']],
  ['tape_out_hot', ['OUT']],
  ['tape_out_new', ['OUT']],
  ['meme', ['ALMOST', 'CURVE', 'OUT']],
  ['hot', ['ALMOST', 'CURVE', 'OUT']],
  ['new', ['ALMOST', 'CURVE', 'OUT']],
])('default: %s', async (tag, symbols) => {
  const { market } = createMarket()
  const { status, body } = await market.get(`${path}?tag=${tag}`)
  expect(status).toBe(200)
  expect(symbolsOf(body)).toEqual(symbols)
  for (const row of body) expect(row.issue_platform).toBe('tape')
  expect(market.creditsUsed()).toBe(10)
})

test('behavior: after a day no token is new or hot, but all are still listed by other tags', async () => {
  const { market, launched } = createMarket()
  market.setNowS(market.chain.engine.head()!.timeS + 90_000)
  for (const tag of ['tape_in_hot', 'tape_in_new', 'tape_out_hot', 'tape_out_new', 'hot', 'new'])
    expect((await market.get(`${path}?tag=${tag}`)).body).toEqual([])
  expect(symbolsOf((await market.get(`${path}?tag=meme`)).body)).toHaveLength(3)
  expect(symbolsOf((await market.get(`${path}?tag=tape_in_almost`)).body)).toEqual(['ALMOST'])
  // Graduated a day after its creation: the tag for new graduates matches, the tag for new tokens
  // does not.
  const { chain } = market
  const weth = chain.engine.tokenState(0).record
  const pool = chain.pool(launched.onCurve.token, weth, [1_000, 10])
  chain.graduate(launched.onCurve.token, launched.onCurve.pair, pool)
  chain.mine(90_000)
  expect(symbolsOf((await market.get(`${path}?tag=tape_out_new`)).body)).toEqual(['CURVE'])
  expect((await market.get(`${path}?tag=new`)).body).toEqual([])
})

describe.each(['tx_volume_u_24h', 'main_pair_tvl'] as const)('orderby %s', (orderby) => {
  test('behavior: tokens of all chains are listed, largest first, up to the limit', async () => {
    const { market } = createMarket()
    for (const [n, chain] of [...market.chains.values()].entries()) {
      const weth = n === 0 ? chain.engine.tokenState(0).record : chain.token({ symbol: 'WETH' })
      if (n === 1) chain.pool(weth, chain.token({ symbol: 'USDC', decimals: 6 }), [100, 200_000])
      chain.mine()
      for (let at = 0; at < 6; at += 1) {
        const token = chain.token({ symbol: `L${n}${at}` })
        const curve = chain.pool(token, weth, [1_000, 5 + ((at * 7 + n) % 11)], { kind: 'curve' })
        chain.launch(token, curve)
        chain.trade(curve, weth, 0.1 + ((at * 5 + n) % 7) / 10)
      }
      chain.mine()
    }
    const { body } = await market.get(`${path}?tag=meme&orderby=${orderby}`)
    expect(body).toHaveLength(15)
    expect(new Set(body.map(({ chain }: Row) => chain))).toEqual(new Set(['local', 'other']))
    const values = body.map((row: Row) => Number(row[orderby]))
    expect(values).toEqual([...values].sort((a, b) => b - a))
    expect(new Set(values).size).toBeGreaterThan(5)
    const { body: few } = await market.get(`${path}?tag=meme&orderby=${orderby}&limit=4`)
    expect(few).toEqual(body.slice(0, 4))
  })
})

test('behavior: a large board follows a reorg', async () => {
  const market = createServedMarket()
  const { chain } = market
  const weth = chain.token({ symbol: 'WETH' })
  for (let at = 0; at < 1_200; at += 1) {
    const token = chain.token({ symbol: `L${at}` })
    chain.launch(token, chain.pool(token, weth, [1_000, 5], { kind: 'curve' }))
  }
  chain.mine()
  const newest = chain.token({ symbol: 'NEWEST' })
  const curve = chain.pool(newest, weth, [1_000, 5_000], { kind: 'curve' })
  chain.launch(newest, curve)
  chain.mine()
  const ask = async () =>
    symbolsOf((await market.get(`${path}?tag=meme&limit=300&orderby=main_pair_tvl`)).body)
  expect(await ask()).toHaveLength(300)
  chain.revert()
  const after = await ask()
  expect(after).not.toContain('NEWEST')
})

test.each([
  'pump_in_hot',
  'pump_all_in_new',
  'fourmeme_out_new',
  'gold',
  'bsc_hot',
  'heaven_out_hot',
])('behavior: %s is known elsewhere and empty here', async (tag) => {
  const { market } = createMarket()
  const { status, body } = await market.get(`${path}?tag=${tag}`)
  expect([status, body]).toEqual([200, []])
})

test.each([
  ['', 'missing_param', 'tag'],
  ['tag=', 'missing_param', 'tag'],
  ['tag=nothing', 'invalid_param', 'tag'],
  ['tag=tape', 'invalid_param', 'tag'],
  ['tag=tape_out_almost', 'invalid_param', 'tag'],
  ['tag=tape_in_hott', 'invalid_param', 'tag'],
  ['tag=_in_hot', 'invalid_param', 'tag'],
  ['tag=heaven_in_hot', 'invalid_param', 'tag'],
  ['tag=toString', 'invalid_param', 'tag'],
  ['tag=TAPE_in_hot', 'invalid_param', 'tag'],
  ['tag=meme&limit=0', 'limit_out_of_range', 'limit'],
  ['tag=meme&limit=301', 'limit_out_of_range', 'limit'],
  ['tag=meme&orderby=fdv', 'invalid_param', 'orderby'],
])('error: %s', async (query, code, param) => {
  const { market } = createMarket()
  const reply = await market.get(`${path}?${query}`)
  expect(reply.status).toBe(400)
  expect(reply.body.error).toEqual({ code, param })
})

test('error: an unknown tag lists the known tags', async () => {
  const { market } = createMarket()
  const { body } = await market.get(`${path}?tag=nothing`)
  expect(body.msg).toBe(
    'Unknown tag "nothing". The tags are: tape_in_hot, tape_in_new, tape_in_almost, tape_out_hot, tape_out_new, ' +
      'meme, hot, new.',
  )
})
