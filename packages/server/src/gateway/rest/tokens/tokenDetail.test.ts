import { describe, expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

function createMarket(responseEnvelope: 'contract' | 'always' = 'contract') {
  const market = createServedMarket({ responseEnvelope })
  return { market, ...fillMarket(market.chain) }
}

test('default: returns the token and its pairs', async () => {
  const { market, traded, second, weth } = createMarket()
  const { token, pair } = traded[0]!
  const { status, body } = await market.get(`/v2/tokens/${token.address}-local`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ status: 1, msg: 'SUCCESS', data_type: 1 })
  expect(Object.keys(body)).toEqual(['status', 'msg', 'data_type', 'data'])
  expect(body.data.is_audited).toBe(false)
  expect(body.data.token).toMatchObject({ token: token.address, main_pair: pair.address })
  expect(body.data.pairs.map(({ pair: address }: { pair: string }) => address)).toEqual([
    pair.address,
    second.address,
  ])
  expect(body.data.pairs[0]).toMatchObject({
    chain: 'local',
    amm: 'uniswapv2',
    target_token: token.address,
    token1_address: weth.address,
    token1_symbol: 'WETH',
    token1_price_usd: expect.stringMatching(/^2000/),
    volume_u: '2200',
    tx_count: 2,
    fee: '0.003',
    is_fake: false,
    is_main_pair: true,
  })
  expect(body.data.token.tx_volume_u_24h).toBe('2200')
  expect(market.creditsUsed()).toBe(5)
})

test("behavior: logo_url is built from the chain's config", async () => {
  const { market, traded } = createMarket()
  const { address } = traded[0]!.token
  market.chain.gatewayChain.profile.logoUrl = 'https://logos.example/{address}.png'
  const { body } = await market.get(`/v2/tokens/${address}-local`)
  expect(body.data.token.logo_url).toBe(`https://logos.example/${address}.png`)
})

test("behavior: the token's row is the same in every answer", async () => {
  const { market, traded } = createMarket()
  const id = `${traded[1]!.token.address}-local`
  const { body: detail } = await market.get(`/v2/tokens/${id}`)
  const { body: batch } = await market.post('/v2/tokens/search', { token_ids: [id] })
  expect(detail.data.token).toEqual(batch[id])
})

test('behavior: the main pair comes first, then pairs by TVL, five at most', async () => {
  const { market, traded, weth, usdc } = createMarket()
  const { token, pair } = traded[0]!
  const { chain } = market
  for (const size of [3, 1, 4, 2, 6]) chain.pool(token, usdc, [size * 100, size * 400])
  // Anyone can create a pool that reports arbitrary reserves.
  const fake = chain.pool(token, weth, [1, 1_000_000], { isTrusted: false })
  chain.mine()
  const { body } = await market.get(`/v2/tokens/${token.address}-local`)
  const { pairs } = body.data
  expect(pairs).toHaveLength(5)
  expect(pairs[0].pair).toBe(pair.address)
  const tvls = pairs.slice(1).map(({ tvl }: { tvl: string }) => Number(tvl))
  expect(tvls).toEqual([...tvls].sort((a, b) => b - a))
  expect(pairs.map((row: { pair: string }) => row.pair)).not.toContain(fake.address)
})

test('behavior: an untrusted pool comes last, is fake, and has no TVL', async () => {
  const market = createServedMarket()
  const { weth } = fillMarket(market.chain)
  const token = market.chain.token()
  const real = market.chain.pool(token, weth, [1_000, 1])
  market.chain.pool(token, weth, [1, 1_000_000], { isTrusted: false })
  market.chain.mine()
  const { body } = await market.get(`/v2/tokens/${token.address}-local`)
  expect(
    body.data.pairs.map(({ pair, is_fake, tvl }: Record<string, unknown>) => [pair, is_fake, tvl]),
  ).toEqual([
    [real.address, false, expect.stringMatching(/^4000/)],
    [expect.any(String), true, '0'],
  ])
})

test('behavior: a pool that does not report its fee has the configured fee of its factory', async () => {
  const market = createServedMarket()
  const { weth } = fillMarket(market.chain)
  const { gatewayChain } = market.chain
  const [venue, ...others] = gatewayChain.profile.venues
  gatewayChain.profile = {
    ...gatewayChain.profile,
    venues: [{ ...venue!, feePpm: 2_500 }, ...others],
  }
  const token = market.chain.token()
  const factory = `0x${'fa'.repeat(20)}`
  const silent = market.chain.pool(token, weth, [5_000, 5], { feePpm: null })
  const said = market.chain.pool(token, weth, [4_000, 4], { feePpm: 500 })
  const unknown = market.chain.pool(token, weth, [3_000, 3], { feePpm: null, factory })
  const fake = market.chain.pool(token, weth, [2_000, 2], { feePpm: null, isTrusted: false })
  market.chain.mine()
  const { body } = await market.get(`/v2/tokens/${token.address}-local`)
  const fees = body.data.pairs.map((row: { pair: string; fee: string }) => [row.pair, row.fee])
  expect(Object.fromEntries(fees)).toEqual({
    [silent.address]: '0.0025',
    [said.address]: '0.0005',
    [unknown.address]: '',
    [fake.address]: '',
  })
})

test('behavior: trades reported by an untrusted pool are in no figure of the token', async () => {
  const { market, traded, usdc } = createMarket()
  const { token } = traded[0]!
  const id = `${token.address}-local`
  const read = async () => (await market.get(`/v2/tokens/${id}`)).body.data.token
  const before = await read()
  const fake = market.chain.pool(token, usdc, [1, 1_000_000_000], { isTrusted: false })
  market.chain.trade(fake, usdc, 1_000_000_000)
  market.chain.mine()
  const after = await read()
  expect(Object.keys(after)).toEqual(Object.keys(before))
  for (const field of Object.keys(before).filter((name) => /_tx_|tvl|24h|makers|ers_/.test(name)))
    expect([field, after[field]]).toEqual([field, before[field]])
  const { body } = await market.get(`/v2/pairs/${fake.address}-local`)
  expect(body).toMatchObject({ is_trusted: false, tvl: '0' })
})

describe.each(['contract', 'always'] as const)('envelope %s', (envelope) => {
  test('behavior: an unknown token has an empty answer', async () => {
    const { market } = createMarket(envelope)
    const { status, body } = await market.get(`/v2/tokens/0x${'12'.repeat(20)}-local`)
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 1,
      msg: 'SUCCESS: token not found',
      data_type: 1,
      data: { is_audited: false, token: {}, pairs: [] },
    })
  })

  test('behavior: the answer has one envelope, not two', async () => {
    const { market, weth } = createMarket(envelope)
    const { body } = await market.get(
      `/v2/tokens/${weth.address.toUpperCase().replace('0X', '0x')}-local`,
    )
    expect(body.data.token.symbol).toBe('WETH')
  })
})

test('behavior: the answer follows commits and reverts', async () => {
  const { market, traded, weth } = createMarket()
  const { token, pair } = traded[0]!
  const ask = async () => (await market.get(`/v2/tokens/${token.address}-local`)).text
  const before = await ask()
  market.chain.trade(pair, weth, 1)
  market.chain.mine()
  expect(await ask()).not.toBe(before)
  market.chain.revert()
  expect(await ask()).toBe(before)
})

test('behavior: windows expire without a new block', async () => {
  const { market, traded } = createMarket()
  const ask = async () =>
    (await market.get(`/v2/tokens/${traded[0]!.token.address}-local`)).body.data
  const { timeS } = market.chain.engine.head()!
  expect((await ask()).token.token_tx_count_5m).toBe(2)
  market.setNowS(timeS + 400)
  expect((await ask()).token).toMatchObject({ token_tx_count_5m: 0, token_tx_count_1h: 2 })
  market.setNowS(timeS + 90_000)
  const { token, pairs } = await ask()
  expect(token).toMatchObject({ token_tx_count_24h: 0, tx_volume_u_24h: '0' })
  expect(pairs[0]).toMatchObject({ tx_count: 0, volume_u: '0' })
})

test('behavior: a day ends at midnight without a new block, in every answer', async () => {
  const { market, traded } = createMarket()
  const { token, pair } = traded[0]!
  const id = `${token.address}-local`
  const read = async () => {
    const { data } = (await market.get(`/v2/tokens/${id}`)).body
    const { body: row } = await market.get(`/v2/pairs/${pair.address}-local`)
    const batch = await market.post('/v2/tokens/price', { token_ids: [id], tvl_min: 0 })
    return [data.token, data.pairs[0], row, batch.body[id]].map(
      ({ price_change_1d }) => price_change_1d,
    )
  }
  const midnightS = Math.ceil(market.chain.engine.head()!.timeS / 86_400) * 86_400
  market.setNowS(midnightS - 1)
  const before = await read()
  expect(new Set(before).size).toBe(1)
  expect(Number(before[0])).not.toBe(0)
  market.setNowS(midnightS)
  expect(await read()).toEqual(['0', '0', '0', '0'])
})

test.each([
  ['nothing', 'malformed_id'],
  ['0x12-local', 'malformed_id'],
  [`0x${'12'.repeat(32)}-local`, 'malformed_id'],
  [`0x${'12'.repeat(20)}-eth`, 'unknown_chain'],
  [`0x${'12'.repeat(20)}-LOCAL`, 'unknown_chain'],
])('error: %s', async (id, code) => {
  const { market } = createMarket()
  const reply = await market.get(`/v2/tokens/${id}`)
  expect(reply.status).toBe(400)
  expect(reply.body.error).toEqual({ code, param: 'token-id' })
})
