import { strict as assert } from 'node:assert'
import { expect, test } from 'vitest'
import {
  launchPadAddress,
  lockerAddress,
  wallet,
  zeroAddress,
} from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'
import type { RiskSubject } from '../../../risk/riskSubject.ts'
import type { StoreReads } from '../../chain/storeReads.ts'

function createMarket(store: Partial<StoreReads> = {}) {
  const market = createServedMarket({ store })
  return { market, ...fillMarket(market.chain) }
}

const neverTraded = {
  avg_purchase_price: 0,
  avg_sale_price: 0,
  cost_cur: 0,
  max_txn_usd: 0,
  realized_profit: 0,
  unrealized_profit: 0,
  total_profit: 0,
  realized_profit_ratio: 0,
  unrealized_profit_ratio: 0,
  total_profit_ratio: 0,
  max_single_purchase_usd: 0,
  max_single_sold_usd: 0,
  buy_amount_cur: 0,
  buy_volume_cur: 0,
  buy_tx_count_cur: 0,
  sell_amount_cur: 0,
  sell_volume_cur: 0,
  sell_tx_count_cur: 0,
  first_purchase_time: null,
  last_txn_time: null,
  trade_first_at: 0,
  trade_last_at: 0,
}

const unchecked = {
  score: 0,
  isMintable: null,
  isHoneypot: null,
  lp: null,
  checkedBlock: 1,
  level: 0 as const,
}

type Row = { holder: string; address: string; kind: string; amount_cur: number }

const path = '/v2/tokens/top100'

test('default: holders are listed largest first, with their kind', async () => {
  const { market, traded, launched } = createMarket()
  const { token, pair } = launched.onCurve
  const contract = wallet(40)
  market.chain.walletFacts.set(contract, { nativeRaw: 5n, isContract: true })
  market.chain.walletFacts.set(wallet(3), {
    nativeRaw: 1_500_000_000_000_000_000n,
    isContract: false,
  })
  market.chain.setBalances(token, {
    [wallet(3)]: 100,
    [wallet(7)]: 90,
    [contract]: 80,
    [zeroAddress]: 70,
    [lockerAddress]: 60,
    [launchPadAddress]: 500,
    [pair.address]: 40,
    [traded[0]!.pair.address]: 30,
    [token.address]: 20,
    [wallet(9)]: 0,
  })
  market.chain.supply(token, { total: 1_000 })
  market.chain.mine()
  const { status, body } = await market.get(`${path}/${token.address}-local`)
  expect(status).toBe(200)
  expect(body.map(({ holder, kind }: Row) => [holder, kind])).toEqual([
    [launchPadAddress, 'pool'],
    [wallet(3), 'wallet'],
    [wallet(7), 'creator'],
    [contract, 'contract'],
    [zeroAddress, 'burn'],
    [lockerAddress, 'lock'],
    [pair.address, 'pool'],
    [traded[0]!.pair.address, 'pool'],
    [token.address, 'contract'],
  ])
  expect(body[1]).toEqual({
    holder: wallet(3),
    address: wallet(3),
    amount_cur: 100,
    balance_ratio: 0.1,
    balance_usd: expect.closeTo(100 * Number(market.chain.engine.tokenState(token.id).price!.usd)),
    main_coin_balance: 1.5,
    main_coin_balance_known: true,
    kind: 'wallet',
    is_contract: false,
    addr_alias: '',
    ...neverTraded,
    remark: '',
  })
  expect(body[7].addr_alias).toBe('uniswapv2: PEPE/WETH')
  expect(market.creditsUsed()).toBe(10)
})

test('behavior: a creator found by a risk check is named', async () => {
  const { market, traded } = createMarket()
  const { token } = traded[0]!
  const holders = Object.fromEntries([...Array(40).keys()].map((n) => [wallet(n + 1), 100 - n]))
  market.chain.setBalances(token, holders)
  const learnt: RiskSubject[] = []
  const { risk } = market.chain.gatewayChain
  let creator: string | null = null
  market.chain.gatewayChain.risk = {
    ...risk,
    known: () => (creator === null ? null : { ...unchecked, creator, createdAtS: 1_234 }),
    learn: (address, subjectOf) => {
      expect(address).toBe(token.address)
      learnt.push(subjectOf()!)
    },
  }
  const rowsOf = async (query = '') =>
    (await market.get(`${path}/${token.address}-local${query}`)).body as Row[]
  expect((await rowsOf())[1]).toMatchObject({ kind: 'wallet', addr_alias: '' })
  expect(learnt.map((subject) => subject.holders.length)).toEqual([30])
  // Fewer holders would not be enough for a risk check.
  await rowsOf('?limit=29')
  expect(learnt.length).toBe(1)
  creator = wallet(2)
  expect((await rowsOf())[1]).toMatchObject({ kind: 'creator', addr_alias: 'Creator' })
  expect(learnt.length).toBe(1)
  market.chain.mine()
  const { body } = await market.get(`/v2/tokens/${token.address}-local`)
  expect(body.data.token.created_at).toBe(1_234)
})

test('behavior: holders have their trades, over stored and recent swaps', async () => {
  const { market, traded, weth } = createMarket()
  const { chain } = market
  const { token, pair } = traded[0]!
  const trader = wallet(0x51)
  const startS = chain.engine.head()!.timeS
  chain.trade(pair, weth, 0.1, trader)
  chain.mine(60)
  chain.trade(pair, weth, 0.1, trader)
  chain.mine(60)
  chain.holdStore(true)
  chain.trade(pair, token, 5_000, trader)
  chain.mine(60)
  chain.setBalances(token, { [trader]: 9_000 })
  const { body } = await market.get(`${path}/${token.address}-local`)
  const query = `wallet_address=${trader}&chain=local&token_address=${token.address}`
  const pnl = (await market.get(`/v2/address/pnl?${query}`)).body
  const [row] = body
  const bought = Number(pnl.total_purchase_amount)
  const soldUsd = Number(pnl.total_sold_usd)
  const soldCost = (5_000 / bought) * 400
  const keptCost = (9_000 / bought) * 400
  const priceUsd = chain.engine.tokenState(token.id).price!.usd
  const unrealized = 9_000 * priceUsd - keptCost
  const near = (value: number) => expect.closeTo(value, 5)
  expect(row).toMatchObject({
    holder: trader,
    buy_tx_count_cur: 2,
    sell_tx_count_cur: 1,
    sell_amount_cur: 5_000,
    buy_amount_cur: bought,
    buy_volume_cur: 400,
    sell_volume_cur: near(soldUsd),
    avg_purchase_price: near(400 / bought),
    avg_sale_price: near(soldUsd / 5_000),
    max_single_purchase_usd: 200,
    max_single_sold_usd: near(soldUsd),
    max_txn_usd: 200,
    cost_cur: near(keptCost),
    realized_profit: near(soldUsd - soldCost),
    unrealized_profit: near(unrealized),
    total_profit: near(soldUsd - soldCost + unrealized),
    realized_profit_ratio: near(soldUsd / soldCost - 1),
    unrealized_profit_ratio: near(unrealized / keptCost),
    total_profit_ratio: near((soldUsd - soldCost + unrealized) / (soldCost + keptCost)),
    trade_first_at: startS + 60,
    trade_last_at: startS + 180,
    first_purchase_time: pnl.first_purchase_time,
    last_txn_time: pnl.last_sold_time,
  })
  chain.holdStore(false)
  expect((await market.get(`${path}/${token.address}-local`)).body).toEqual(body)
})

test('behavior: unknown trades of a holder are absent', async () => {
  const { market, weth } = createMarket({ loadTokenPositions: async () => new Map() })
  market.chain.setBalances(weth, { [wallet(1)]: 5 })
  const { body } = await market.get(`${path}/${weth.address}-local`)
  for (const name of Object.keys(neverTraded)) expect(body[0]).not.toHaveProperty(name)
})

test('behavior: the other holder list has tags and no remark', async () => {
  const { market, weth } = createMarket()
  market.chain.setBalances(weth, { [wallet(1)]: 5, [wallet(2)]: 7 })
  const { body: top } = await market.get(`${path}/${weth.address}-local`)
  const { body } = await market.get(`/v2/tokens/holders/${weth.address}-local?order=asc`)
  const expected = top.map(({ remark, ...row }: Row & { remark: string }) => {
    expect(remark).toBe('')
    return { ...row, new_tags: [] }
  })
  expect(body).toEqual(expected.reverse())
})

test('behavior: quote tokens are not checked for their creator', async () => {
  const { market, weth } = createMarket()
  market.chain.setBalances(weth, { [wallet(1)]: 5 })
  const { risk } = market.chain.gatewayChain
  market.chain.gatewayChain.risk = { ...risk, learn: () => assert.fail('asked') }
  expect((await market.get(`${path}/${weth.address}-local`)).body).toHaveLength(1)
})

test('behavior: numbers are exact and have no exponent', async () => {
  const { market, weth } = createMarket()
  const huge = 123_456_789_012_345_678_901_234_567_890_123_456_789n
  market.store.setBalance(1, weth.id, wallet(1), huge)
  market.store.setBalance(1, weth.id, wallet(2), 1n)
  market.chain.walletFacts.set(wallet(2), { nativeRaw: 1n, isContract: false })
  const { text, body } = await market.get(`${path}/${weth.address}-local`)
  expect(text).toContain('"amount_cur":123456789012345678901.234567890123456789,')
  expect(text).toContain('"amount_cur":0.000000000000000001,')
  expect(text).toContain('"main_coin_balance":0.000000000000000001,')
  expect(text).not.toMatch(/\d[eE][+-]?\d/)
  expect(body[0].balance_ratio).toBe(1)
})

test('behavior: facts that no node reported are unknown', async () => {
  const { market, weth } = createMarket()
  market.chain.setBalances(weth, { [wallet(1)]: 5 })
  market.chain.walletFacts.set(wallet(1), { nativeRaw: null, isContract: null })
  const { body } = await market.get(`${path}/${weth.address}-local`)
  expect(body[0]).toMatchObject({ main_coin_balance: 0, main_coin_balance_known: false })
  expect(body[0]).not.toHaveProperty('is_contract')
})

test('args: limit bounds the rows', async () => {
  const { market, weth } = createMarket()
  const balances = Array.from({ length: 120 }, (_, n) => [wallet(n), n + 1] as const)
  market.chain.setBalances(weth, Object.fromEntries(balances))
  const { body: all } = await market.get(`${path}/${weth.address}-local`)
  expect(all).toHaveLength(100)
  const amounts = all.map(({ amount_cur }: Row) => amount_cur)
  expect(amounts).toEqual([...amounts].sort((a, b) => b - a))
  const { body } = await market.get(`${path}/${weth.address}-local?limit=7`)
  expect(body).toEqual(all.slice(0, 7))
})

test('behavior: an unknown token, or a token without holders, has no rows', async () => {
  const { market, weth } = createMarket()
  expect((await market.get(`${path}/0x${'12'.repeat(20)}-local`)).body).toEqual([])
  expect((await market.get(`${path}/${weth.address}-local`)).body).toEqual([])
})

test('error: a database that does not answer is reported', async () => {
  const topHolders = async () => Promise.reject(new TypeError('gone'))
  const { market, weth } = createMarket({ topHolders })
  const reply = await market.get(`${path}/${weth.address}-local`)
  expect(reply.status).toBe(503)
  expect(reply.body.error).toEqual({ code: 'unavailable' })
  expect(market.creditsUsed()).toBe(0)
})

test.each([
  ['?limit=0', 'limit_out_of_range', 'limit'],
  ['?limit=101', 'limit_out_of_range', 'limit'],
  ['?limit=x', 'invalid_param', 'limit'],
])('error: %s', async (query, code, param) => {
  const { market, weth } = createMarket()
  const reply = await market.get(`${path}/${weth.address}-local${query}`)
  expect(reply.status).toBe(400)
  expect(reply.body.error).toEqual({ code, param })
})

test('error: a malformed id is refused', async () => {
  const { market } = createMarket()
  const reply = await market.get(`${path}/0x12-local`)
  expect(reply.body.error).toEqual({ code: 'malformed_id', param: 'token-id' })
})

test('behavior: balances reported by the contract replace counted balances, also in the order', async () => {
  const { market, traded } = createMarket()
  const { token } = traded[0]!
  market.chain.setBalances(token, {
    [wallet(3)]: 100,
    [wallet(7)]: 90,
    [wallet(8)]: 80,
    [wallet(9)]: 70,
  })
  market.chain.supply(token, { total: 1_000 })
  market.chain.mine()
  const raw = 10n ** BigInt(token.decimals)
  market.chain.holdings.set(wallet(3), 100n * raw)
  market.chain.holdings.set(wallet(8), 95n * raw)
  market.chain.holdings.set(wallet(9), 0n)
  const { body } = await market.get(`${path}/${token.address}-local`)
  expect(body.map((row: Row) => [row.holder, row.amount_cur])).toEqual([
    [wallet(3), 100],
    [wallet(8), 95],
    [wallet(7), 90],
  ])
})
