// Every documented field of the interface's resources must be in the schemas, with its documented
// type.
import { expect, test } from 'vitest'
import { schemaFaults } from '../../../../../test/support/checkSchema.ts'
import { orderFaults } from '../../../../../test/support/rowOrder.ts'
import { wallet } from '../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { pairDetail } from '../../../../protocol/src/answers/pair.ts'
import { priceEntry, tokenDetail } from '../../../../protocol/src/answers/token.ts'
import { componentRef } from './schemas.ts'

type Fields = Readonly<Record<string, 'string' | 'integer' | 'number'>>

const token: Fields = {
  name: 'string',
  symbol: 'string',
  chain: 'string',
  current_price_usd: 'string',
  market_cap: 'string',
  holders: 'integer',
  tvl: 'string',
  logo_url: 'string',
  updated_at: 'integer',
}
const tables: Readonly<Record<string, Fields>> = {
  TokenRow: token,
  MainToken: { token: 'string', ...token },
  TokenPair: {
    amm: 'string',
    chain: 'string',
    pair: 'string',
    price_change: 'string',
    price_change_24h: 'string',
    token0_symbol: 'string',
    token1_symbol: 'string',
    token0_price_usd: 'string',
    token1_price_usd: 'string',
    volume_u: 'string',
    updated_at: 'integer',
  },
  TokenHolder: {
    holder: 'string',
    balance_ratio: 'number',
    balance_usd: 'number',
    main_coin_balance: 'number',
    address: 'string',
    amount_cur: 'number',
  },
}

async function samples(): Promise<Record<string, object>> {
  const market = createServedMarket()
  const { traded, weth } = fillMarket(market.chain)
  market.chain.setBalances(weth, { [wallet(1)]: 1 })
  const detail = await market.get(`/v2/tokens/${traded[0]!.token.address}-local`)
  return {
    TokenRow: detail.body.data.token,
    TokenPair: detail.body.data.pairs[0],
    MainToken: (await market.get('/v2/tokens/main?chain=local')).body[0],
    TokenHolder: (await market.get(`/v2/tokens/top100/${weth.address}-local`)).body[0],
  }
}

const isOf = {
  string: (value: unknown) => typeof value === 'string',
  integer: (value: unknown) => Number.isSafeInteger(value),
  number: (value: unknown) => typeof value === 'number',
}

test.each(Object.keys(tables))('default: %s has and documents every field', async (name) => {
  const sample = (await samples())[name] as Record<string, unknown>
  expect(schemaFaults(componentRef(name), sample)).toEqual([])
  for (const [field, type] of Object.entries(tables[name]!)) {
    expect([field, isOf[type](sample[field])]).toEqual([field, true])
    const { [field]: _, ...without } = sample
    expect(schemaFaults(componentRef(name), without)).not.toEqual([])
    const wrong = { ...sample, [field]: type === 'string' ? 1 : '1' }
    expect(schemaFaults(componentRef(name), wrong)).not.toEqual([])
  }
})

test('behavior: encoded rows have the member order of their description', async () => {
  const market = createServedMarket()
  const { traded } = fillMarket(market.chain)
  const { token, pair } = traded[0]!
  const id = `${token.address}-local`
  const detail = await market.get(`/v2/tokens/${id}`)
  expect(detail.body.data.pairs.length).toBeGreaterThan(1)
  expect(orderFaults(tokenDetail, detail.body)).toEqual([])
  const ofPair = await market.get(`/v2/pairs/${pair.address}-local`)
  expect(orderFaults(pairDetail, ofPair.body)).toEqual([])
  const prices = await market.post('/v2/tokens/price', { token_ids: [id], tvl_min: 0 })
  expect(orderFaults(priceEntry, prices.body[id])).toEqual([])
})

test.each(['1e21', '1.0', '01', '-0', '', '.5', '1.'])(
  'error: %j is not a decimal',
  async (text) => {
    const sample = { ...(await samples()).TokenRow, tvl: text }
    expect(schemaFaults(componentRef('TokenRow'), sample)).not.toEqual([])
  },
)
