import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

const trader = wallet(0x51)

/**
 * The trader buys PEPE twice and sells a part, buys DOGE, and sells Inu that was received by
 * transfer.
 */
function createMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { traded, weth } = fillMarket(chain)
  const [pepe, , doge, inu] = traded.map(({ token }) => token)
  chain.trade(traded[0]!.pair, weth, 0.1, trader)
  chain.mine(60)
  chain.trade(traded[0]!.pair, weth, 0.1, trader)
  chain.mine(60)
  chain.trade(traded[3]!.pair, inu!, 50, trader)
  chain.mine(60)
  chain.holdStore(true)
  chain.trade(traded[0]!.pair, pepe!, 5_000, trader)
  chain.trade(traded[2]!.pair, weth, 0.05, trader)
  chain.mine(60)
  chain.setBalances(pepe!, { [trader]: 9_000 })
  chain.walletFacts.set(trader, { nativeRaw: 2n * 10n ** 18n, isContract: false })
  return { market, chain, pepe: pepe!, doge: doge!, inu: inu!, weth }
}

const query = `wallet_address=${trader}&chain=local`

test('default: profit is by average cost, over stored and recent swaps', async () => {
  const { market, chain, pepe } = createMarket()
  const path = `/v2/address/pnl?${query}&token_address=${pepe.address}`
  const { status, body } = await market.get(path)
  expect(status).toBe(200)
  expect(market.creditsUsed()).toBe(5)
  expect(body).toMatchObject({
    account_address: trader,
    token_address: pepe.address,
    symbol: 'PEPE',
    total_purchase: 2,
    total_sold: 1,
    total_sold_amount: '5000',
    total_purchase_usd: '400',
    total_purchased_usd: '400',
    uncovered_sold_amount: '0',
  })
  const bought = Number(body.total_purchase_amount)
  const cost = (5_000 / bought) * 400
  expect(Number(body.profit_realized)).toBeCloseTo(Number(body.total_sold_usd) - cost, 6)
  expect(Number(body.held_amount)).toBeCloseTo(bought - 5_000, 9)
  expect(Number(body.held_cost_usd)).toBeCloseTo(400 - cost, 6)
  expect(Number(body.average_purchase_price_usd)).toBeCloseTo(400 / bought, 12)
  expect(Date.parse(body.last_purchase_time) - Date.parse(body.first_purchase_time)).toBe(60_000)
  chain.holdStore(false)
  expect((await market.get(path)).body).toEqual(body)
})

test('behavior: tokens sold without a known purchase make no profit', async () => {
  const { market, inu } = createMarket()
  const { body } = await market.get(`/v2/address/pnl?${query}&token_address=${inu.address}`)
  expect(body).toMatchObject({
    total_purchase: 0,
    total_sold: 1,
    profit_realized: '0',
    uncovered_sold_amount: '50',
    first_purchase_time: '0001-01-01T00:00:00Z',
  })
})

test('behavior: wallet info sums up all tokens of a wallet', async () => {
  const { market, chain } = createMarket()
  const { body } = await market.get(`/v2/address/walletinfo?${query}`)
  const tokens = (await market.get(`/v2/address/walletinfo/tokens?${query}`)).body
  const sum = (name: string) =>
    tokens.reduce((total: number, row: Record<string, string>) => total + Number(row[name]), 0)
  expect(body).toMatchObject({
    wallet_address: trader,
    total_purchase: 3,
    total_sold: 2,
    main_token_symbol: 'ETH',
    main_token_balance: '2',
    total_win_ratio: '1',
    wallet_chain_info: [{ chain: 'local', token_count: 3 }],
  })
  expect(Number(body.total_profit)).toBeCloseTo(sum('total_profit'), 6)
  const nativeUsd = chain.engine.nativeUsd()!
  expect(Number(body.total_balance)).toBeCloseTo(2 * nativeUsd + sum('balance_usd'), 6)
})

test('behavior: trades in untrusted pools, or without a quote token, make no profit', async () => {
  const { market, chain, pepe, doge, weth } = createMarket()
  const paths = [
    `/v2/address/walletinfo?${query}`,
    `/v2/address/walletinfo/tokens?${query}&sort=total_profit`,
    `/v2/address/pnl?${query}&token_address=${pepe.address}`,
    `/v2/address/tx?${query}`,
  ]
  const read = () => Promise.all(paths.map(async (path) => (await market.get(path)).body))
  const before = await read()
  const fake = chain.pool(pepe, weth, [1, 1], { isTrusted: false })
  chain.trade(fake, weth, 1e-6, trader)
  chain.trade(fake, weth, 1e12, wallet(0x52))
  chain.trade(fake, pepe, 0.5, trader)
  chain.mine(0)
  expect(await read()).toEqual(before)
  chain.holdStore(false)
  expect(await read()).toEqual(before)
  // Both tokens have trusted pools, and the factory confirms this pool too.
  const exotic = chain.pool(pepe, doge, [1_000, 1e-6])
  chain.trade(exotic, doge, 1e-6, trader)
  chain.trade(exotic, doge, 1_000_000, wallet(0x52))
  chain.trade(exotic, pepe, 400, trader)
  chain.mine(0)
  const [after] = await read()
  expect(Number(after.realized_profit)).toBeLessThanOrEqual(Number(before[0].realized_profit))
  expect(after).toMatchObject({ total_sold_usd: before[0].total_sold_usd, total_sold: 3 })
})

test('behavior: a query for one transaction returns all its swaps', async () => {
  const { market, chain, pepe, weth } = createMarket()
  const fake = chain.pool(pepe, weth, [1, 1], { isTrusted: false })
  chain.trade(fake, weth, 1e6, trader)
  chain.mine()
  const { txs } = (await market.get(`/v2/txs/${fake.address}-local`)).body
  expect(txs).toMatchObject([{ amount_usd: '0', amount_eth: '0', wallet_address: trader }])
  const path = `/v2/txs/detail?account_address=${trader}&chain=local&tx_hash=${txs[0].tx_hash}`
  expect((await market.get(path)).body).toEqual(txs)
  chain.holdStore(false)
  expect((await market.get(path)).body).toEqual(txs)
})

test('behavior: an unknown native balance is absent', async () => {
  const { market, chain } = createMarket()
  chain.walletFacts.set(trader, { nativeRaw: null, isContract: null })
  const { body } = await market.get(`/v2/address/walletinfo?${query}`)
  expect(body).not.toHaveProperty('main_token_balance')
})

test('behavior: tokens of a wallet are ordered by last trade', async () => {
  const { market } = createMarket()
  const path = `/v2/address/walletinfo/tokens?${query}`
  const symbols = async (more: string) =>
    (await market.get(path + more)).body.map(({ symbol }: { symbol: string }) => symbol)
  expect((await symbols('')).at(-1)).toBe('Inu')
  expect(await symbols('&hide_sold=1')).toEqual(['PEPE'])
  expect(await symbols('&blue_chips=1')).toEqual([])
  expect(await symbols('&sort=total_purchase_usd')).toEqual(['PEPE', 'DOGE', 'Inu'])
  expect(await symbols('&sort=total_purchase_usd&sort_dir=asc')).toEqual(['Inu', 'DOGE', 'PEPE'])
  expect(await symbols('&sort=total_purchase_usd&pageSize=2&pageNO=2')).toEqual(['Inu'])
})

test("behavior: a token's risk appears after its contract was checked", async () => {
  const { market, chain, pepe } = createMarket()
  const path = `/v2/address/walletinfo/tokens?${query}`
  const rows = async () => (await market.get(path)).body as Record<string, unknown>[]
  for (const row of await rows()) expect(row).not.toHaveProperty('risk_score')
  const { risk } = chain.gatewayChain
  const known = { score: 61, level: -1, isMintable: null, isHoneypot: false } as const
  chain.gatewayChain.risk = {
    ...risk,
    known: (address) =>
      address === pepe.address
        ? { ...known, creator: null, createdAtS: null, lp: null, checkedBlock: 1 }
        : null,
  }
  const checked = (await rows()).filter((row) => 'risk_score' in row)
  expect(checked).toMatchObject([
    { token_id: `${pepe.address}-local`, token: pepe.address, risk_level: -1, risk_score: '61' },
  ])
})

test('behavior: purchased tokens that left the wallet have no unrealized profit', async () => {
  const { market, chain, pepe } = createMarket()
  const path = `/v2/address/walletinfo/tokens?${query}`
  chain.setBalances(pepe, { [trader]: 0 })
  const row = (await market.get(path)).body.find(
    ({ token }: { token: string }) => token === pepe.address,
  )
  expect(row).toMatchObject({ unrealized_profit: '0', total_profit: row.realized_profit })
})

test('behavior: swaps of a wallet are paged by time and id', async () => {
  const { market } = createMarket()
  const path = `/v2/address/tx?${query}`
  const all = (await market.get(path)).body
  expect(all.tx_count).toBe(5)
  const pages: unknown[] = []
  for (let more = ''; ; ) {
    const { result } = (await market.get(`${path}&page_size=2${more}`)).body
    if (result.length === 0) break
    pages.push(...result)
    const { time, id } = result.at(-1)
    more = `&last_time=${time}&last_id=${id}`
  }
  expect(pages).toEqual(all.result)
})

test('args: token_address', async () => {
  const { market, pepe } = createMarket()
  const { body } = await market.get(`/v2/address/tx?${query}&token_address=${pepe.address}`)
  expect(body.tx_count).toBe(3)
})

test('behavior: a wallet without trades has empty answers', async () => {
  const { market } = createMarket()
  const nobody = `wallet_address=${wallet(0x99)}&chain=local`
  expect((await market.get(`/v2/address/tx?${nobody}`)).body).toEqual({ result: [], tx_count: 0 })
  expect((await market.get(`/v2/address/walletinfo/tokens?${nobody}`)).body).toEqual([])
  expect((await market.get(`/v2/address/walletinfo?${nobody}`)).body).toMatchObject({
    total_profit: '0',
    total_balance: '0',
    wallet_age: 0,
  })
})

const smart = (number: number, change: object = {}) => ({
  wallet: wallet(number),
  buyCount: number,
  sellCount: 1,
  boughtUsdE8: 5n,
  soldUsdE8: 9n,
  profitUsdE8: BigInt(1_000 - number),
  soldCostUsdE8: 10n,
  tokenCount: 2,
  wonCount: 1,
  profitCounts: [0, 0, 1, 0, 0, 2, 3, number],
  lastTradeS: 1_000 + number,
  ...change,
})

test('behavior: the wallet ranking can be sorted and filtered', async () => {
  const { market } = createMarket()
  const path = '/v2/address/smart_wallet/list?chain=local'
  expect((await market.get(path)).body).toEqual([])
  const wallets = [...Array(150).keys()].map((number) => smart(number))
  market.store.setSmartWallets(1, { sinceS: 5, madeAtS: 6, wallets })
  const { body } = await market.get(path)
  expect(body).toHaveLength(100)
  expect(body[0]).toMatchObject({
    wallet_address: wallet(0),
    total_profit: '0.00001',
    profit_300_900_percent_num: 5,
    token_profit_rate: '0.5',
    since: 5,
    updated_at: 6,
    last_trade_time: 1_000,
  })
  const first = async (more: string) => (await market.get(path + more)).body[0]?.wallet_address
  expect(await first('&sort=total_trades')).toBe(wallet(149))
  expect(await first('&sort=last_trade_time&sort_dir=asc')).toBe(wallet(0))
  expect(await first('&profit_above_900_percent_num_min=7')).toBe(wallet(7))
  expect(await first('&last_trade_time_max=999')).toBe(undefined)
  expect(await first(`&keyword=${wallet(33).slice(-4)}`)).toBe(wallet(33))
})

test.each([
  ['/v2/address/pnl?chain=local&wallet_address=0x1', 'missing_param', 'token_address'],
  ['/v2/address/tx?chain=local', 'missing_param', 'wallet_address'],
  ['/v2/address/tx?chain=mars&wallet_address=0x1', 'unknown_chain', 'chain'],
  ['/v2/address/walletinfo?chain=local&wallet_address=0x1', 'malformed_id', 'wallet_address'],
  [`/v2/address/tx?${query}&last_time=yesterday`, 'invalid_param', 'last_time'],
  [`/v2/address/tx?${query}&last_id=1-1`, 'missing_param', 'last_time'],
  [`/v2/address/tx?${query}&last_time=2026-01-01T00:00:00Z&last_id=x`, 'invalid_param', 'last_id'],
  [`/v2/address/tx?${query}&page_size=101`, 'limit_out_of_range', 'page_size'],
  ['/v2/address/smart_wallet/list?chain=local&sort=luck', 'invalid_param', 'sort'],
])('error: %s', async (path, code, param) => {
  const { market } = createMarket()
  const { status, body } = await market.get(path)
  expect([status, body.error]).toEqual([400, { code, param }])
})
