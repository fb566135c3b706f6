import { expect, test } from 'vitest'
import { wallet } from '../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'

const holder = wallet(0x61)
const query = `wallet_address=${holder}&chain=local`

/** A token traded only in an untrusted pool, and that pool's claims about a real token. */
function createMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { weth, traded } = fillMarket(chain)
  const pepe = traded[0]!.token
  const lonely = chain.token({ symbol: 'LONELY' })
  const claimed = chain.pool(lonely, weth, [1, 1e12], { isTrusted: false })
  const fake = chain.pool(pepe, weth, [1, 1e12], { isTrusted: false })
  chain.trade(claimed, weth, 1e9, holder)
  chain.trade(fake, weth, 1e9, holder)
  chain.supply(lonely, { total: 1e40 })
  chain.setBalances(lonely, { [holder]: 1e30 })
  chain.mine()
  return { market, chain, weth, pepe, lonely, fake }
}

/**
 * A trusted pool prices the token at two ETH, and its contract reports a supply larger than the
 * number of atoms.
 */
function createLie() {
  const made = createMarket()
  const { chain, weth } = made
  const lie = chain.token({ symbol: 'LIE', name: 'PEPE Lie' })
  const pool = chain.pool(lie, weth, [1, 2])
  chain.trade(pool, weth, 0.01, holder)
  chain.supply(lie, { total: 1e50 })
  chain.setBalances(lie, { [holder]: 1e52 })
  chain.mine()
  return { ...made, lie, pool }
}

const volumeNames = ['1m', '5m', '15m', '1h', '4h', '24h'].flatMap((window) =>
  ['', 'buy_', 'sell_', 'organic_'].map((kind) => `${kind}volume_u_${window}`),
)

test('default: trusted values have no reason', async () => {
  const { market, pepe } = createMarket()
  const id = `${pepe.address}-local`
  const texts = await Promise.all([
    market.post('/v2/tokens/price', { token_ids: [id] }).then(({ text }) => text),
    market.post('/v2/tokens/search', { token_ids: [id] }).then(({ text }) => text),
    market.get(`/v2/tokens/top100/${id}`).then(({ text }) => text),
  ])
  for (const text of texts) expect(text).not.toContain('usd_reason')
})

test('behavior: an untrusted pair has no volume, and a reason', async () => {
  const { market, pepe, fake } = createMarket()
  const { body } = await market.get(`/v2/pairs/${fake.address}-local`)
  const nothing = Object.fromEntries(volumeNames.map((name) => [name, '0']))
  expect(body).toMatchObject({
    ...nothing,
    tvl: '0',
    usd_reason: 'untrusted_pool',
    tx_24h_count: 1,
  })
  // A token's worth comes from trusted pools only.
  const detail = (await market.get(`/v2/tokens/${pepe.address}-local`)).body.data
  expect(body).toMatchObject({ market_cap: detail.token.market_cap, fdv: detail.token.fdv })
  expect(detail.pairs.at(-1)).toMatchObject({
    pair: fake.address,
    is_fake: true,
    volume_u: '0',
    tvl: '0',
    tx_count: 1,
    usd_reason: 'untrusted_pool',
  })
  expect(detail.pairs[0]).not.toHaveProperty('usd_reason')
})

test('behavior: transactions and klines of an untrusted pair have no USD value', async () => {
  const { market, fake } = createMarket()
  const id = `${fake.address}-local`
  const worthless = { amount_usd: '0', amount_eth: '0', usd_reason: 'untrusted_pool' }
  const swaps = (await market.get(`/v2/txs/${id}`)).body.txs
  expect(swaps).toMatchObject([{ ...worthless, pair_liquidity_usd: '0' }])
  expect((await market.get(`/v2/txs/liq/${id}`)).body.txs).toMatchObject([worthless])
  for (const category of ['u', 'm'])
    expect((await market.get(`/v2/klines/pair/${id}?category=${category}`)).body).toMatchObject({
      points: [{ volume: '0' }],
      usd_reason: 'untrusted_pool',
    })
})

test('behavior: a token without a trusted price is worth nothing to its holders', async () => {
  const { market, lonely } = createMarket()
  const id = `${lonely.address}-local`
  const [row] = (await market.get(`/v2/tokens/top100/${id}`)).body
  expect(row).toMatchObject({ holder, balance_usd: 0, usd_reason: 'unpriced' })
  const unpriced = { market_cap: '0', fdv: '0', tvl: '0', usd_reason: 'unpriced' }
  expect((await market.get(`/v2/tokens/${id}`)).body.data.token).toMatchObject(unpriced)
  const prices = (await market.post('/v2/tokens/price', { token_ids: [id], tvl_min: 0 })).body
  expect(prices[id]).toMatchObject(unpriced)
  // The wallet has no trade in a trusted pool.
  expect((await market.get(`/v2/address/walletinfo/tokens?${query}`)).body).toEqual([])
})

test('behavior: a supply worth more than all money is worth nothing', async () => {
  const { market, lie } = createLie()
  const id = `${lie.address}-local`
  const { body } = await market.post('/v2/tokens/search', { token_ids: [id] })
  expect(body[id]).toMatchObject({ market_cap: '0', fdv: '0', usd_reason: 'implausible' })
  expect(Number(body[id].current_price_usd)).toBeGreaterThan(4_000)
  const [row] = (await market.get(`/v2/tokens/top100/${id}`)).body
  expect(row).toMatchObject({ balance_usd: 0, usd_reason: 'implausible' })
  const [held] = (await market.get(`/v2/address/walletinfo/tokens?${query}`)).body
  expect(held).toMatchObject({ token: lie.address, balance_usd: '0', usd_reason: 'implausible' })
  const wallet = (await market.get(`/v2/address/walletinfo?${query}`)).body
  expect(Number(wallet.total_balance)).toBeLessThan(100)
  for (const orderby of ['market_cap', 'fdv']) {
    const found = (await market.get(`/v2/tokens?keyword=PEPE&orderby=${orderby}`)).body
    expect(found.at(-1).token).toBe(lie.address)
  }
})

test('behavior: a balance above the supply is worth the supply', async () => {
  const { market, chain, lie } = createLie()
  chain.supply(lie, { total: 10 })
  chain.mine()
  const id = `${lie.address}-local`
  const { fdv } = (await market.get(`/v2/tokens/${id}`)).body.data.token
  const [row] = (await market.get(`/v2/tokens/top100/${id}`)).body
  expect(row.balance_usd).toBeCloseTo(Number(fdv), 6)
  expect(row).not.toHaveProperty('usd_reason')
})

test('behavior: a trusted pool with an impossible amount of a lying token has no TVL', async () => {
  const { market, chain, weth } = createMarket()
  const lie = chain.token({ symbol: 'LIE', decimals: 0 })
  // Reserves far out of line with the price, as a concentrated pool may have.
  const pool = chain.pool(lie, weth, [1e30, 1e-6])
  chain.trade(pool, weth, 1e15, holder)
  chain.mine()
  const { body } = await market.get(`/v2/pairs/${pool.address}-local`)
  expect(body).toMatchObject({ tvl: '0', is_trusted: true })
  expect(Number(body.token0_price_usd)).toBeGreaterThan(0)
})

test('behavior: a contract that only claims to be a pool is not shown as a pool', async () => {
  const { market, chain, pepe, fake } = createMarket()
  chain.walletFacts.set(fake.address, { nativeRaw: 0n, isContract: true })
  chain.setBalances(pepe, { [fake.address]: 5 })
  const [row] = (await market.get(`/v2/tokens/top100/${pepe.address}-local`)).body
  expect(row).toMatchObject({ holder: fake.address, kind: 'contract', addr_alias: '' })
})
