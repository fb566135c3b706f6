import { expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

const path = '/v2/tokens/search'

function createMarket(responseEnvelope: 'contract' | 'always' = 'contract') {
  const market = createServedMarket({ chains: ['local', 'other'], responseEnvelope })
  const { traded } = fillMarket(market.chain)
  fillMarket(market.chains.get('other')!)
  return { market, ids: traded.map(({ token }) => `${token.address}-local`) }
}

test('default: returns an object keyed by the ids as sent', async () => {
  const { market, ids } = createMarket()
  const keys = [ids[1]!, ids[0]!.replace('0x70e', '0x70E'), ids[0]!.replace('-local', '-other')]
  const { status, body } = await market.post(path, { token_ids: keys })
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(keys)
  expect(keys.map((key) => [body[key].symbol, body[key].chain])).toEqual([
    ['PEPE2', 'local'],
    ['PEPE', 'local'],
    ['PEPE', 'other'],
  ])
  expect(body[keys[1]!].token).toBe(ids[0]!.split('-')[0])
  expect(market.creditsUsed()).toBe(100)
})

test('behavior: the envelope contains an array with each token once', async () => {
  const { market, ids } = createMarket('always')
  const unknown = `0x${'12'.repeat(20)}-local`
  const token_ids = [ids[1], unknown, ids[0], ids[0]!.replace('0x70e', '0x70E')]
  const { body } = await market.post(path, { token_ids })
  expect(body).toMatchObject({ status: 1, msg: 'SUCCESS', data_type: 1 })
  expect(body.data.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['PEPE2', 'PEPE'])
})

test('behavior: unknown tokens are absent', async () => {
  const { market } = createMarket()
  expect((await market.post(path, { token_ids: [`0x${'12'.repeat(20)}-local`] })).body).toEqual({})
})

test('args: 50 ids are accepted, 51 are refused', async () => {
  const { market } = createMarket()
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => `0x${n.toString(16).padStart(40, '0')}-local`)
  expect((await market.post(path, { token_ids: many(50) })).status).toBe(200)
  const refused = await market.post(path, { token_ids: many(51) })
  expect(refused.body.error).toEqual({ code: 'limit_out_of_range', param: 'token_ids' })
  expect(refused.body.msg).toBe('token_ids must have 1 to 50 items, not 51.')
})

test('behavior: a row shows the newest block', async () => {
  const { market, ids } = createMarket()
  const before = (await market.post(path, { token_ids: [ids[0]] })).body[ids[0]!]
  const { chain } = market
  const pepe = chain.engine.tokenState(2)
  const weth = chain.engine.tokenState(0).record
  chain.trade(chain.engine.pairState(pepe.mainPairId!).record, weth, 1)
  chain.mine()
  const after = (await market.post(path, { token_ids: [ids[0]] })).body[ids[0]!]
  expect(after.tx_count_24h).toBe(before.tx_count_24h + 1)
  expect(Number(after.current_price_usd)).toBeGreaterThan(Number(before.current_price_usd))
})
