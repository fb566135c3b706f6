// Replays the calls of public clients of the hosted service, with only their base address changed.
// Each call requires HTTP 200 and `status` 1, and the fields named here. Only the clients' behavior
// is modeled; none of their code is included.
import { expect, test } from 'vitest'
import { wallet } from '../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../test/support/servedMarket.ts'

const market = createServedMarket({ responseEnvelope: 'always' })
const { chain } = market
const { traded, weth, usdc } = fillMarket(chain)
const idOf = ({ address }: { address: string }) => `${address}-local`
const [token, pair] = [idOf(traded[0]!.token), idOf(traded[0]!.pair)]
const trader = wallet(0x51)
chain.trade(traded[0]!.pair, weth, 0.1, trader)
chain.mine(60)
chain.trade(traded[0]!.pair, traded[0]!.token, 500, trader)
chain.mine(60)
chain.setBalances(traded[0]!.token, { [trader]: 9_000 })
const ranked = {
  wallet: trader,
  buyCount: 1,
  sellCount: 1,
  boughtUsdE8: 100n,
  soldUsdE8: 100n,
  profitUsdE8: 10n ** 8n,
  soldCostUsdE8: 10n,
  tokenCount: 1,
  wonCount: 1,
  profitCounts: [0, 0, 0, 0, 0, 3, 0, 1],
  lastTradeS: chain.engine.head()!.timeS,
}
market.store.setSmartWallets(1, { sinceS: 0, madeAtS: ranked.lastTradeS, wallets: [ranked] })

// biome-ignore lint/suspicious/noExplicitAny: the clients have no types
type Json = any
type Call = { path: string; body?: object; read(data: Json): void }

const owner = `wallet_address=${trader}&chain=local`
const upper = `0x${token.slice(2).toUpperCase().replace('-LOCAL', '-local')}`
const isNumber = (value: unknown) => expect(Number.isFinite(Number(value))).toBe(true)
const isRow = (row: Json) => {
  expect(row).toMatchObject({
    token: expect.any(String),
    chain: 'local',
    symbol: expect.any(String),
  })
  for (const name of ['current_price_usd', 'market_cap', 'tvl', 'holders']) isNumber(row[name])
}
const areRows = (rows: Json) => {
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) isRow(row)
}
const isWhole = (value: unknown) => expect(Number.isInteger(value)).toBe(true)

const prices = (body: object): Call => ({
  path: '/tokens/price',
  body,
  read: (data) => isNumber(Object.values<Json>(data)[0].current_price_usd),
})
const rows = (path: string): Call => ({ path, read: areRows })
const trending = (query: string): Call => ({
  path: `/tokens/trending?chain=local${query}`,
  read: ({ tokens }) => areRows(tokens),
})
const detail = (id = token): Call => ({
  path: `/tokens/${id}`,
  read({ token: row, pairs }) {
    isRow(row)
    expect(pairs[0].pair).toBe(row.main_pair)
  },
})
const risk: Call = {
  path: `/contracts/${token}`,
  read: (data) => expect(data.token_symbol).toBe('PEPE'),
}
const klines = (path: string): Call => ({
  path,
  read({ points }) {
    expect(points.length).toBeGreaterThan(0)
    for (const { open, close, time } of points)
      for (const value of [open, close, time]) isNumber(value)
  },
})
const swaps = (path: string): Call => ({
  path,
  read: ({ txs }) => {
    isWhole(txs[0].tx_time)
    isNumber(txs[0].amount_usd)
  },
})
const holders = (path: string): Call => ({
  path,
  read: (data) =>
    expect(data[0]).toMatchObject({ holder: trader, balance_ratio: expect.any(Number) }),
})
const smartWallets = (query: string): Call => ({
  path: `/address/smart_wallet/list?chain=local${query}`,
  read([row]) {
    expect(row.wallet_address).toBe(trader)
    expect(row.last_trade_time).toMatch(/^\d+$/)
    for (const { address, symbol, volume } of row.tag_items) {
      expect([typeof address, typeof symbol]).toEqual(['string', 'string'])
      isNumber(volume)
    }
  },
})
const walletTxs = (query: string): Call => ({
  path: `/address/tx?${owner}${query}`,
  read({ result }) {
    const [row] = result
    isWhole(row.time)
    expect(row.transaction).toBe(row.tx_hash)
    expect([row.from_symbol, row.to_symbol]).toEqual(['PEPE', 'WETH'])
    expect(row.from_address).toBe(traded[0]!.token.address)
    for (const name of ['from_amount', 'to_amount', 'from_price_usd']) isNumber(row[name])
  },
})
const walletTokens = (query: string): Call => ({
  path: `/address/walletinfo/tokens?${owner}${query}`,
  read([row]) {
    isWhole(row.last_txn_time)
    for (const name of ['balance_usd', 'total_transfer_in_amount', 'total_profit'])
      isNumber(row[name])
  },
})
const walletInfo: Call = {
  path: `/address/walletinfo?${owner}&self_address=`,
  read: (data) => expect(Number(data.total_win_ratio)).toBeGreaterThan(1),
}
const signals = (query: string): Call => ({
  path: `/signals/public/list${query}`,
  read([row]) {
    expect(row).toMatchObject({ token: traded[0]!.token.address, symbol: 'PEPE', chain: 'local' })
    expect(row.actions[0].wallet_address).toBe(trader)
  },
})

/** Calls of each client, by kind of client. */
const clients: Readonly<Record<string, readonly Call[]>> = {
  'the official command line': [
    rows('/tokens?keyword=PEPE&limit=20&orderby=tx_volume_u_24h'),
    rows('/tokens/platform?tag=meme&limit=20&orderby=tx_volume_u_24h'),
    detail(),
    prices({ token_ids: [token.toLowerCase()], tvl_min: 0.5, tx_24h_volume_min: 0 }),
    klines(`/klines/token/${token}?interval=60&limit=24`),
    klines(`/klines/pair/${pair}?interval=60&limit=24&category=u`),
    holders(`/tokens/top100/${token}?limit=100`),
    trending('&current_page=0&page_size=20'),
    rows('/ranks?topic=hot&limit=20'),
    risk,
    rows('/tokens/main?chain=local'),
  ],
  'its later version, of 25 commands': [
    holders(`/tokens/holders/${token}?limit=100&sort_by=balance&order=desc`),
    { path: '/tokens/search', body: { token_ids: [token, idOf(usdc)] }, read: areRows },
    swaps(`/txs/swap/${pair}?limit=50&sort=desc`),
    {
      path: `/txs/liq/${pair}?type=all&limit=5&sort=desc`,
      read: ({ txs }) => isWhole(txs[0].tx_time),
    },
    {
      path: `/txs/detail?chain=local&account_address=${trader}`,
      read: ([row]) => isWhole(row.tx_time),
    },
    { path: `/pairs/${pair}`, read: (data) => isNumber(data.token0_price_usd) },
    walletTxs('&page_size=20'),
    {
      path: `/address/pnl?${owner}&token_address=${token}`,
      read: (data) => isNumber(data.profit_realized),
    },
    walletInfo,
    walletTokens(
      '&sort=last_txn_time&sort_dir=desc&pageSize=20&pageNO=1&hide_sold=0&hide_small=0&blue_chips=0',
    ),
    smartWallets('&sort=total_profit&sort_dir=desc'),
    signals('?chain=local&pageSize=10&pageNO=1'),
  ],
  'a meme terminal that checks every status': [
    trending('&current_page=0&page_size=100'),
    detail(),
    risk,
  ],
  'a graph of smart money': [
    smartWallets('&sort=pnl_7d&sort_dir=desc&limit=200'),
    prices({ token_ids: [token], tvl_min: 1000, tx_24h_volume_min: 0 }),
    walletTxs('&pageSize=100'),
  ],
  'a chat bot of a hackathon': [
    smartWallets(
      '&sort=profit_above_900_percent_num&sort_dir=desc&profit_900_percent_num_min=1&profit_300_900_percent_num_min=3',
    ),
    rows('/tokens?keyword=PEPE&limit=3&chain=local'),
    signals('?chain=local&pageSize=20&pageNO=1'),
  ],
  'a copy trader': [walletTxs('&pageSize=5&pageNO=0'), walletTxs('&limit=5')],
  'a scanner in Node': [
    prices({ token_ids: [token], tvl_min: 0, tx_24h_volume_min: 0 }),
    rows('/tokens?keyword=PEPE&limit=1000&orderby=created_at'),
    swaps(`/txs/${pair}?limit=100&from_time=&to_time=&sort=desc`),
  ],
  'a price bot': [
    prices({ token_ids: [token, idOf(weth)], tvl_min: 0 }),
    prices({ token_ids: [upper], tvl_min: 0 }),
  ],
  'a parser of pairs': [{ path: `/pairs/${pair}`, read: (data) => isWhole(data.created_at) }],
  'a follower of wallets': [
    trending('&page=1&page_size=50'),
    smartWallets('&sort=win_rate'),
    walletTokens('&sort=value&sort_dir=desc&hide_small=10'),
    walletTokens('&sort=profit_usd&pageSize=500'),
  ],
  'a radar of narratives': [
    { path: '/ranks/topics', read: (data) => expect(data.length).toBeGreaterThan(0) },
    rows('/ranks?topic=hot&limit=50.0'),
    risk,
    signals('?pageSize=50&pageNO=1'),
    smartWallets('&sort=profit'),
    holders(`/tokens/holders/${token}?limit=10.0&sort_by=percentage&order=desc`),
  ],
  'a library in JavaScript': [
    klines(`/klines/pair/${pair}?interval=1&limit=100.0&category=`),
    walletTokens('&hide_sold=false&hide_small=True&sort=profit_pct'),
    smartWallets('&keyword=&last_trade_time_min='),
  ],
  'a handheld terminal': [
    rows('/tokens/platform?tag=meme&limit=&orderby='),
    klines(`/klines/token/${token}?interval=k1&limit=48`),
    signals('?limit=20'),
    walletInfo,
  ],
  'a collector of data sets': [
    prices({ token_ids: [token, idOf(weth), idOf(usdc)] }),
    trending('&current_page=0&page_size=10'),
    { path: '/supported_chains', read: ([row]) => expect(row.chain).toBe('local') },
    klines(`/klines/token/${token}?interval=1&limit=1000&from_time=0`),
  ],
}

test('default: calls of fourteen clients are covered', () => {
  expect(Object.keys(clients)).toHaveLength(14)
})

test.each(Object.entries(clients))('default: %s', async (_, calls) => {
  for (const { path, body, read } of calls) {
    const url = `/v2${path}`
    const reply = await (body === undefined ? market.get(url) : market.post(url, body))
    expect([path, reply.status, reply.body.status, reply.body.data_type]).toEqual([path, 200, 1, 1])
    expect([path, reply.body.msg]).toEqual([path, 'SUCCESS'])
    try {
      read(reply.body.data)
    } catch (error) {
      throw new Error(`${path}: ${(error as Error).message}`)
    }
  }
})
