import { strict as assert } from 'node:assert'
import { expect, test } from 'vitest'
import {
  launchPadAddress,
  lockerAddress,
  wallet,
  zeroAddress,
} from '../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import type { RiskSubject } from '../../risk/riskSubject.ts'
import type { StoreReads } from '../storeReads.ts'

function createMarket(store: Partial<StoreReads> = {}) {
  const market = createServedMarket({ store })
  return { market, ...fillMarket(market.chain) }
}

const unchecked = { score: 0, isMintable: null, isHoneypot: null, checkedBlock: 1 }

type Row = { holder: string; address: string; kind: string; amount_cur: number }

const path = '/v2/tokens/top100'

test('default: largest first, with what each address is', async () => {
  const { market, traded, launched } = createMarket()
  const { token, pair } = launched.onCurve
  const contract = wallet(40)
  market.chain.walletFacts.set(contract, { nativeRaw: 5n, isContract: true })
  market.chain.walletFacts.set(wallet(3), {
    nativeRaw: 1_500_000_000_000_000_000n,
    isContract: false,
  })
  market.chain.hold(token, {
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
    remark: '',
  })
  expect(body[7].addr_alias).toBe('uniswapv2: PEPE/WETH')
  expect(market.creditsUsed()).toBe(10)
})

test('behavior: a creator that a check of the contract found is named', async () => {
  const { market, traded } = createMarket()
  const { token } = traded[0]!
  const holders = Object.fromEntries([...Array(40).keys()].map((n) => [wallet(n + 1), 100 - n]))
  market.chain.hold(token, holders)
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
  // Too few holders would make another report.
  await rowsOf('?limit=29')
  expect(learnt.length).toBe(1)
  creator = wallet(2)
  expect((await rowsOf())[1]).toMatchObject({ kind: 'creator', addr_alias: 'Creator' })
  expect(learnt.length).toBe(1)
  market.chain.mine()
  const { body } = await market.get(`/v2/tokens/${token.address}-local`)
  expect(body.data.token.created_at).toBe(1_234)
})

test('behavior: a quote asset is not checked for its creator', async () => {
  const { market, weth } = createMarket()
  market.chain.hold(weth, { [wallet(1)]: 5 })
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

test('behavior: what no node said is not made up', async () => {
  const { market, weth } = createMarket()
  market.chain.hold(weth, { [wallet(1)]: 5 })
  market.chain.walletFacts.set(wallet(1), { nativeRaw: null, isContract: null })
  const { body } = await market.get(`${path}/${weth.address}-local`)
  expect(body[0]).toMatchObject({ main_coin_balance: 0, main_coin_balance_known: false })
  expect(body[0]).not.toHaveProperty('is_contract')
})

test('args: limit', async () => {
  const { market, weth } = createMarket()
  const balances = Array.from({ length: 120 }, (_, n) => [wallet(n), n + 1] as const)
  market.chain.hold(weth, Object.fromEntries(balances))
  const { body: all } = await market.get(`${path}/${weth.address}-local`)
  expect(all).toHaveLength(100)
  const amounts = all.map(({ amount_cur }: Row) => amount_cur)
  expect(amounts).toEqual([...amounts].sort((a, b) => b - a))
  const { body } = await market.get(`${path}/${weth.address}-local?limit=7`)
  expect(body).toEqual(all.slice(0, 7))
})

test('behavior: a token that is not known, or that nobody holds', async () => {
  const { market, weth } = createMarket()
  expect((await market.get(`${path}/0x${'12'.repeat(20)}-local`)).body).toEqual([])
  expect((await market.get(`${path}/${weth.address}-local`)).body).toEqual([])
})

test('error: the database does not answer', async () => {
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

test('error: a malformed id', async () => {
  const { market } = createMarket()
  const reply = await market.get(`${path}/0x12-local`)
  expect(reply.body.error).toEqual({ code: 'malformed_id', param: 'token-id' })
})
