// Requests and answers that compatibility mode handles differently (docs/reference/compat.md).
import { expect, test } from 'vitest'
import { wallet } from '../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../test/support/servedMarket.ts'

function createMarket(responseEnvelope: 'contract' | 'always') {
  const market = createServedMarket({ responseEnvelope })
  return { market, ...fillMarket(market.chain) }
}

const lenient = createMarket('always')
const strict = createMarket('contract')
const pair = `${lenient.traded[0]!.pair.address}-local`
const token = `${lenient.traded[0]!.token.address}-local`
const owner = `chain=local&wallet_address=${wallet(1)}`

const later = '299 - "'
const unknown = (name: string, first: string) =>
  `${later}${name} has an unknown value: ${first} is used"`
const over = (name: string, max: number) => `${later}${name} is at most ${max}: ${max} is used"`
const whole = (name: string) => `${later}${name} is a whole number: its fraction was dropped"`

test.each([
  [
    '/v2/tokens?keyword=PEPE&orderby=profit',
    '/v2/tokens?keyword=PEPE',
    unknown('orderby', 'tx_volume_u_24h'),
  ],
  [
    '/v2/tokens/platform?tag=meme&orderby=created_at',
    '/v2/tokens/platform?tag=meme',
    unknown('orderby', 'tx_volume_u_24h'),
  ],
  [
    '/v2/address/smart_wallet/list?chain=local&sort=pnl_7d',
    '/v2/address/smart_wallet/list?chain=local',
    unknown('sort', 'total_profit'),
  ],
  [
    '/v2/address/smart_wallet/list?chain=local&sort=win_rate',
    '/v2/address/smart_wallet/list?chain=local',
    unknown('sort', 'total_profit'),
  ],
  [
    `/v2/address/walletinfo/tokens?${owner}&sort=value`,
    `/v2/address/walletinfo/tokens?${owner}`,
    unknown('sort', 'last_txn_time'),
  ],
  [
    `/v2/address/walletinfo/tokens?${owner}&sort_dir=DOWN`,
    `/v2/address/walletinfo/tokens?${owner}`,
    unknown('sort_dir', 'desc'),
  ],
  [`/v2/txs/${pair}?sort=profit_pct`, `/v2/txs/${pair}`, unknown('sort', 'asc')],
  ['/v2/tokens?keyword=PEPE&limit=1000', '/v2/tokens?keyword=PEPE&limit=300', over('limit', 300)],
  ['/v2/tokens?keyword=PEPE&limit=1000.0', '/v2/tokens?keyword=PEPE&limit=300', over('limit', 300)],
  [
    '/v2/tokens/trending?chain=local&page_size=200',
    '/v2/tokens/trending?chain=local&page_size=100',
    over('page_size', 100),
  ],
  [
    `/v2/address/walletinfo/tokens?${owner}&pageSize=500`,
    `/v2/address/walletinfo/tokens?${owner}&pageSize=100`,
    over('pageSize', 100),
  ],
  ['/v2/tokens?keyword=PEPE&limit=2.0', '/v2/tokens?keyword=PEPE&limit=2', whole('limit')],
  [
    '/v2/tokens/trending?chain=local&current_page=1.0',
    '/v2/tokens/trending?chain=local&current_page=1',
    whole('current_page'),
  ],
  [`/v2/txs/${pair}?from_time=100.00`, `/v2/txs/${pair}?from_time=100`, whole('from_time')],
])(
  'default: %s is accepted with a warning; without the mode it is refused',
  async (url, meant, warning) => {
    const { status, body, headers } = await lenient.market.get(url)
    expect([status, headers.warning]).toEqual([200, warning])
    const plain = await lenient.market.get(meant)
    expect(body).toEqual(plain.body)
    expect(plain.headers).not.toHaveProperty('warning')
    const refused = await strict.market.get(url)
    expect(refused.status).toBe(400)
    expect(refused.headers).not.toHaveProperty('warning')
  },
)

test('behavior: every warning is sent', async () => {
  const url = `/v2/txs/${pair}?limit=9000&sort=up&from_time=1.0`
  const { status, headers } = await lenient.market.get(url)
  expect(status).toBe(200)
  const warnings = [over('limit', 300), whole('from_time'), unknown('sort', 'asc')]
  expect([headers.warning].flat().join(', ')).toBe(warnings.join(', '))
})

test.each([
  ['/v2/tokens?keyword=PEPE&limit=0', 'limit_out_of_range', 'limit'],
  ['/v2/tokens?keyword=PEPE&limit=1.5', 'invalid_param', 'limit'],
  ['/v2/tokens?keyword=PEPE&limit=ten', 'invalid_param', 'limit'],
  [`/v2/klines/pair/${pair}?category=x`, 'invalid_param', 'category'],
  [`/v2/klines/pair/${pair}?interval=7`, 'invalid_param', 'interval'],
  [`/v2/address/walletinfo/tokens?${owner}&hide_small=0.5`, 'invalid_param', 'hide_small'],
  ['/v2/tokens/main?chain=mars', 'unknown_chain', 'chain'],
])('error: %s is refused in both modes', async (url, code, param) => {
  for (const { market } of [lenient, strict]) {
    const { status, body } = await market.get(url)
    expect([status, body.error]).toEqual([400, { code, param }])
  }
})

test.each([
  ['/v2/tokens?keyword=PEPE&chain=&limit=&orderby=', '/v2/tokens?keyword=PEPE'],
  [
    `/v2/klines/pair/${pair}?category=&interval=&from_time=&to_time=&fill=`,
    `/v2/klines/pair/${pair}`,
  ],
  [`/v2/klines/token/${token}?limit=`, `/v2/klines/token/${token}`],
  ['/v2/tokens/trending?chain=local&current_page=&page_size=', '/v2/tokens/trending?chain=local'],
  [
    `/v2/address/walletinfo/tokens?${owner}&hide_small=&hide_sold=&sort=`,
    `/v2/address/walletinfo/tokens?${owner}`,
  ],
  [
    '/v2/address/smart_wallet/list?chain=local&keyword=&last_trade_time_min=',
    '/v2/address/smart_wallet/list?chain=local',
  ],
])(
  'behavior: an empty parameter in %s counts as not given, in both modes',
  async (url, without) => {
    for (const { market } of [lenient, strict]) {
      const { status, body, headers } = await market.get(url)
      expect([status, headers.warning]).toEqual([200, undefined])
      expect(body).toEqual((await market.get(without)).body)
    }
  },
)

test.each(['/v2/tokens?keyword=', '/v2/tokens/main?chain=', '/v2/ranks?topic='])(
  'error: %s lacks a required parameter, in both modes',
  async (url) => {
    for (const { market } of [lenient, strict]) {
      const { status, body } = await market.get(url)
      expect([status, body.error.code]).toEqual([400, 'missing_param'])
    }
  },
)

test('behavior: fields selects members of answers that differ between the modes', async () => {
  const path = '/v2/tokens/search?fields=symbol,chain'
  const ids = { token_ids: [token] }
  const row = { symbol: 'PEPE', chain: 'local' }
  expect((await lenient.market.post(path, ids)).body.data).toEqual([row])
  expect((await strict.market.post(path, ids)).body).toEqual({ [token]: row })
  const wrong = '/v2/tokens/search?fields=nothing'
  for (const { market } of [lenient, strict]) {
    const { status, body } = await market.post(wrong, ids)
    expect([status, body.error.param]).toEqual([400, 'fields'])
  }
  // Rows have this member only in compatibility mode.
  const tokens = `/v2/address/walletinfo/tokens?${owner}&fields=total_transfer_in_amount`
  expect((await lenient.market.get(tokens)).status).toBe(200)
  expect((await strict.market.get(tokens)).status).toBe(400)
})

const trader = `chain=local&wallet_address=${wallet(0x51)}`

/**
 * The same market in both modes: one trader bought PEPE twice, received some by transfer, and is
 * one of two in the wallet ranking.
 */
function createTraded(responseEnvelope: 'contract' | 'always') {
  const { market, traded, weth } = createMarket(responseEnvelope)
  const { chain } = market
  const [pepe, , doge] = traded
  chain.trade(pepe!.pair, weth, 0.1, wallet(0x51))
  chain.mine(60)
  chain.trade(pepe!.pair, pepe!.token, 1_000, wallet(0x51))
  chain.trade(doge!.pair, weth, 0.05, wallet(0x51))
  chain.trade(pepe!.pair, weth, 0.01, wallet(0x52))
  chain.mine(60)
  chain.setBalances(pepe!.token, { [wallet(0x51)]: 1_000_000 })
  const none = { soldCostUsdE8: 10n, tokenCount: 2, wonCount: 1, profitCounts: Array(8).fill(0) }
  const wallets = [0x52, 0x51].map((number) => ({
    ...none,
    wallet: wallet(number),
    buyCount: 1,
    sellCount: 1,
    lastTradeS: 1_700_000_000,
    boughtUsdE8: 100n,
    soldUsdE8: 100n,
    profitUsdE8: BigInt(number) * 10n ** 8n,
  }))
  const madeAtS = chain.engine.head()!.timeS
  market.store.setSmartWallets(1, { sinceS: 0, madeAtS, wallets })
  const read = async (path: string) => {
    const { status, body } = await market.get(`/v2${path}`)
    expect(status).toBe(200)
    return responseEnvelope === 'always' ? body.data : body
  }
  return { read, pepe: pepe!.token, doge: doge!.token, weth }
}

const plain = createTraded('contract')
const compat = createTraded('always')

test("default: swaps of a wallet also have the pushed swap's field names; their time is a number only in the mode", async () => {
  const { pepe, weth } = plain
  for (const { read } of [plain, compat]) {
    const { result } = await read(`/address/tx?${trader}`)
    const sale = result.find((row: { direction: string }) => row.direction === 'sell')
    expect(sale).toMatchObject({
      from_address: pepe.address,
      from_symbol: 'PEPE',
      from_amount: '1000',
      to_address: weth.address,
      to_symbol: 'WETH',
      to_amount: sale.to_token_amount,
      from_price_usd: sale.from_token_price_usd,
      to_price_usd: sale.to_token_price_usd,
      transaction: sale.tx_hash,
      target_token: pepe.address,
      tx_swap_type: 1,
      sender: sale.sender_address,
      to: expect.stringMatching(/^0x/),
    })
    const rows = result.length
    expect((await read(`/address/tx?${trader}&pageSize=2`)).result).toEqual(result.slice(0, 2))
    expect((await read(`/address/tx?${trader}&page_size=1`)).result).toHaveLength(1)
    const { time, id } = result[1]
    const rest = await read(`/address/tx?${trader}&last_time=${time}&last_id=${id}`)
    expect(rest.result).toEqual(result.slice(2, rows))
  }
  const [old] = (await plain.read(`/address/tx?${trader}`)).result
  const [row] = (await compat.read(`/address/tx?${trader}`)).result
  expect(row).toEqual({ ...old, time: old.tx_time })
  expect(Date.parse(old.time)).toBe(old.tx_time * 1_000)
})

test('default: wallets, their tokens and the ranking have the format of existing clients', async () => {
  const { pepe, doge } = plain
  const info = await plain.read(`/address/walletinfo?${trader}`)
  const percent = `${Number(info.total_win_ratio) * 100}`
  expect(await compat.read(`/address/walletinfo?${trader}`)).toEqual({
    ...info,
    total_win_ratio: percent,
  })
  const tokens = await plain.read(`/address/walletinfo/tokens?${trader}`)
  const compatTokens = await compat.read(`/address/walletinfo/tokens?${trader}`)
  for (const [at, row] of compatTokens.entries()) {
    const { total_transfer_in_amount: came, total_transfer_out_amount: went, ...rest } = row
    expect(rest).toEqual({
      ...tokens[at],
      last_txn_time: Date.parse(tokens[at].last_txn_time) / 1_000,
    })
    const left = Number(row.total_purchase_amount) - Number(row.total_sold_amount)
    expect(Number(came) - Number(went)).toBeCloseTo(Number(row.balance_amount) - left, 6)
    expect(came === '0' || went === '0').toBe(true)
  }
  expect(compatTokens).toHaveLength(2)
  const ranked = await plain.read('/address/smart_wallet/list?chain=local')
  const compatRanked = await compat.read('/address/smart_wallet/list?chain=local')
  for (const [{ read }, all] of [[plain, ranked] as const, [compat, compatRanked] as const])
    expect(await read('/address/smart_wallet/list?chain=local&limit=1')).toEqual([all[0]])
  expect(ranked.map((row: { tag_items: unknown[] }) => row.tag_items)).toEqual([[], []])
  for (const [at, row] of compatRanked.entries()) {
    const { tag_items: tags, ...rest } = row
    expect(rest).toEqual({ ...ranked[at], tag_items: undefined, last_trade_time: '1700000000' })
    expect(tags.map(({ symbol }: { symbol: string }) => symbol)).toEqual(
      at === 0 ? ['PEPE'] : ['PEPE', 'DOGE'],
    )
    for (const { address, volume } of tags) {
      expect([pepe.address, doge.address]).toContain(address)
      expect(Number(volume)).toBeGreaterThan(0)
    }
  }
})

test('default: signals are the tokens that ranked wallets bought within a day', async () => {
  const { pepe, doge } = plain
  for (const { read } of [plain, compat]) {
    const rows = await read('/signals/public/list?chain=local')
    expect(rows.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['PEPE', 'DOGE'])
    expect(rows[0]).toMatchObject({
      token: pepe.address,
      chain: 'local',
      name: 'PEPE Coin',
      signal_type: 'smart_buy',
      wallet_count: 2,
      action_count: 2,
      action_type: 'buy',
      headline: expect.stringMatching(/^2 smart wallets bought PEPE for \d+ USD in 24 hours\.$/),
    })
    const paid = rows[0].actions.map((of: { quote_token_volume: string }) =>
      Number(of.quote_token_volume),
    )
    expect(paid[0]).toBeGreaterThan(paid[1])
    expect(paid[0] + paid[1]).toBeCloseTo(Number(rows[0].quote_token_volume), 6)
    expect(Number(rows[0].sold_volume)).toBeGreaterThan(0)
    expect(rows[1]).toMatchObject({ token: doge.address, wallet_count: 1, sold_volume: '0' })
    expect(await read('/signals/public/list')).toEqual(rows)
    expect(await read('/signals/public/list?pageSize=1&pageNO=2')).toEqual([rows[1]])
    expect(await read('/signals/public/list?pageNO=2')).toEqual([])
  }
  const { body } = await strict.market.get('/v2/signals/public/list?chain=local')
  expect(body).toEqual([])
})

test('behavior: hide_small accepts a flag or an amount of USD', async () => {
  const path = `/v2/address/walletinfo/tokens?${owner}`
  const all = (await strict.market.get(path)).body
  const worth = (row: { balance_usd: string }) => Number(row.balance_usd)
  for (const [text, least] of [
    ...[
      ['0', 0],
      ['false', 0],
      ['False', 0],
      ['1', 1],
      ['true', 1],
      ['True', 1],
    ],
    ...[
      ['100', 100],
      ['250.5', 250.5],
    ],
  ] as const) {
    const { body } = await strict.market.get(`${path}&hide_small=${text}`)
    expect([text, body]).toEqual([text, all.filter((row: never) => worth(row) >= least)])
  }
})
