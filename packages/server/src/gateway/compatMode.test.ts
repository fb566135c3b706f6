// What compatibility mode takes and answers that is refused or answered otherwise without it (docs/compat.md).
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
  `${later}${name} has a value that is not known: ${first} is used"`
const over = (name: string, max: number) => `${later}${name} is at most ${max}: ${max} is used"`
const whole = (name: string) =>
  `${later}${name} is a whole number: it was taken without its fraction"`

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
  'default: %s is taken with a warning, and refused without the mode',
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

test('behavior: every warning is told', async () => {
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
])('error: %s is refused in both', async (url, code, param) => {
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
])('behavior: what is empty in %s counts as not given, in both', async (url, without) => {
  for (const { market } of [lenient, strict]) {
    const { status, body, headers } = await market.get(url)
    expect([status, headers.warning]).toEqual([200, undefined])
    expect(body).toEqual((await market.get(without)).body)
  }
})

test.each(['/v2/tokens?keyword=', '/v2/tokens/main?chain=', '/v2/ranks?topic='])(
  'error: %s lacks what is required, in both',
  async (url) => {
    for (const { market } of [lenient, strict]) {
      const { status, body } = await market.get(url)
      expect([status, body.error.code]).toEqual([400, 'missing_param'])
    }
  },
)

test('behavior: hide_small is a flag or an amount of USD', async () => {
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
