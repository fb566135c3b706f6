// A figure that is 0 because it is unknown must be marked on every interface.
import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

const caps = { market_cap: '0', fdv: '0', market_cap_known: false, fdv_known: false }
const figures = ['total', 'locked_percent', 'market_cap', 'fdv', 'balance_ratio']

/** Returns every row that shows a supply figure of a token. */
async function rowsOf(supply: 'known' | 'unknown') {
  const market = createServedMarket()
  const { traded, launched } = fillMarket(market.chain)
  // The supply of the launched token was never reported.
  const { token, pair } = supply === 'known' ? traded[0]! : launched.onCurve
  market.chain.setBalances(token, { [wallet(3)]: 100 })
  const id = `${token.address}-local`
  const ids = { token_ids: [id], tvl_min: 0 }
  const detail = (await market.get(`/v2/tokens/${id}`)).body.data
  return {
    row: detail.token,
    pairRow: detail.pairs[0],
    pair: (await market.get(`/v2/pairs/${pair.address}-local`)).body,
    price: (await market.post('/v2/tokens/price', ids)).body[id],
    batch: (await market.post('/v2/tokens/search', ids)).body[id],
    holder: (await market.get(`/v2/tokens/top100/${id}`)).body[0],
  }
}

test('default: without a supply, market cap, FDV and shares are marked unknown', async () => {
  const { row, pairRow, pair, price, batch, holder } = await rowsOf('unknown')
  const supply = {
    total: '0',
    total_known: false,
    locked_percent: '0',
    locked_percent_known: false,
  }
  for (const of of [row, batch]) expect(of).toMatchObject({ ...supply, ...caps })
  for (const of of [pairRow, pair, price]) expect(of).toMatchObject(caps)
  expect(holder).toMatchObject({ balance_ratio: 0, balance_ratio_known: false })
})

test('behavior: known figures have no mark', async () => {
  const rows = Object.values(await rowsOf('known'))
  expect(rows).toHaveLength(6)
  for (const row of rows) {
    expect(figures.some((figure) => figure in row)).toBe(true)
    for (const figure of figures) expect(row).not.toHaveProperty(`${figure}_known`)
  }
})
