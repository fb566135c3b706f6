import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'

type Row = Record<string, string> & { tx_time: number; block_number: number }

function createMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { traded, weth } = fillMarket(chain)
  const { token, pair } = traded[0]!
  for (let at = 0; at < 10; at += 1) {
    if (at === 6) chain.holdStore(true)
    chain.trade(pair, at % 3 === 0 ? token : weth, at % 3 === 0 ? 500 : 0.01, wallet(at % 2))
    chain.trade(traded[1]!.pair, weth, 0.01, wallet(1))
    chain.mine()
  }
  return { market, chain, token, pair, weth }
}

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

test('default: returns the newest transactions, oldest first', async () => {
  const { market, chain, pair, token, weth } = createMarket()
  const { status, body } = await market.get(`/v2/txs/${pair.address}-local?limit=5`)
  expect(status).toBe(200)
  expect(market.creditsUsed()).toBe(50)
  expect(body).toMatchObject({ total_count: 5, limit: 5, pair_id: `${pair.address}-local` })
  expect(body.txs.at(-1).block_number).toBe(chain.engine.head()!.number)
  const times = body.txs.map((row: Row) => row.tx_time)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  const sell = body.txs.find((row: Row) => row.direction === 'sell')
  expect(sell).toMatchObject({
    from_token_address: token.address,
    from_token_amount: '500',
    to_token_address: weth.address,
    wallet_address: wallet(0),
    wallet_tag: null,
  })
  const buy = body.txs.find((row: Row) => row.direction === 'buy')
  expect(buy).toMatchObject({ from_token_symbol: 'WETH', from_token_amount: '0.01' })
})

test('behavior: both paths are the same operation', async () => {
  const { market, pair } = createMarket()
  const { body } = await market.get(`/v2/txs/${pair.address}-local`)
  expect((await market.get(`/v2/txs/swap/${pair.address}-local`)).body).toEqual(body)
})

test('args: sort, from_time and limit page forwards and backwards over the same rows', async () => {
  const { market, pair } = createMarket()
  const path = `/v2/txs/${pair.address}-local`
  const all: Row[] = (await market.get(path)).body.txs
  expect(all).toHaveLength(12)
  const desc: Row[] = (await market.get(`${path}?sort=desc`)).body.txs
  expect(idsOf(desc)).toEqual(idsOf([...all].reverse()))
  const from = all[2]!.tx_time
  const forwards = (await market.get(`${path}?from_time=${from}&limit=4`)).body.txs
  expect(idsOf(forwards)).toEqual(idsOf(all.filter((row) => row.tx_time >= from).slice(0, 4)))
  const to = all[8]!.tx_time
  const backwards = (await market.get(`${path}?to_time=${to}&limit=3&sort=desc`)).body.txs
  expect(idsOf(backwards)).toEqual(
    idsOf(
      all
        .filter((row) => row.tx_time <= to)
        .slice(-3)
        .reverse(),
    ),
  )
})

test('behavior: stored blocks and blocks in memory give the same answer', async () => {
  const { market, chain, pair } = createMarket()
  const held = await market.get(`/v2/txs/${pair.address}-local`)
  chain.holdStore(false)
  expect((await market.get(`/v2/txs/${pair.address}-local`)).body).toEqual(held.body)
})

/** Creates five blocks within a second, each with two swaps. Only the first three are stored. */
function createFastMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { traded, weth } = fillMarket(chain)
  const { token, pair } = traded[0]!
  for (let at = 0; at < 5; at += 1) {
    if (at === 3) chain.holdStore(true)
    chain.trade(pair, weth, 0.01 * (5 - at), wallet(9))
    chain.trade(pair, token, 100, wallet(9))
    chain.mine(0.15)
  }
  return { market, chain, pair }
}

test('behavior: blocks within a second are in order and have milliseconds', async () => {
  const { market, chain, pair } = createFastMarket()
  const head = chain.engine.head()!
  const path = `/v2/txs/${pair.address}-local`
  const { txs } = (await market.get(`${path}?from_time=${head.timeS}`)).body
  expect(new Set(txs.map((row: Row) => row.tx_time))).toEqual(new Set([head.timeS]))
  expect(txs.map((row: Row) => row.id)).toEqual(
    [4, 3, 2, 1, 0].flatMap((back) => [0, 1].map((index) => `${head.number - back}-${index}`)),
  )
  expect(txs.map((row: { time_ms: number }) => row.time_ms)).toEqual(
    [150, 300, 450, 600, 750].flatMap((ms) => [ms, ms].map((each) => head.timeS * 1_000 + each)),
  )
})

test('behavior: pages of a wallet can split a second', async () => {
  const { market, pair } = createFastMarket()
  const path = `/v2/address/tx?chain=local&wallet_address=${wallet(9)}`
  const found: (string | undefined)[] = []
  let place = ''
  for (;;) {
    const { result } = (await market.get(`${path}&page_size=3${place}`)).body
    found.push(...idsOf(result))
    if (result.length < 3) break
    const { time, id } = result.at(-1)
    place = `&last_time=${time}&last_id=${id}`
  }
  const { txs } = (await market.get(`/v2/txs/${pair.address}-local?sort=desc&limit=10`)).body
  expect(found).toEqual(idsOf(txs))
})

test('behavior: liquidity changes are filtered by type', async () => {
  const { market, pair } = createMarket()
  const path = `/v2/txs/liq/${pair.address}-local`
  const { body } = await market.get(path)
  expect(body.txs).toMatchObject([{ type: 'createPair', amount0: '1000000', amount1: '10' }])
  expect((await market.get(`${path}?type=createPair`)).body.txs).toHaveLength(1)
  expect((await market.get(`${path}?type=addLiquidity`)).body.txs).toHaveLength(0)
  expect((await market.get(`${path}?type=swap`)).body.error.param).toBe('type')
})

test('behavior: swaps of an account can be limited to a transaction', async () => {
  const { market } = createMarket()
  const path = `/v2/txs/detail?chain=local&account_address=${wallet(1).toUpperCase().replace('0X', '0x')}`
  const { body } = await market.get(`${path}&limit=300`)
  expect(new Set(body.map((row: Row) => row.wallet_address))).toEqual(new Set([wallet(1)]))
  expect(body).toHaveLength(5 + 10 + 5 + 3)
  const hash = body[3].tx_hash
  const one = await market.get(`${path}&tx_hash=${hash}`)
  expect(one.body).toEqual([body[3]])
  const unknown = `0x${'e'.repeat(64)}`
  expect((await market.get(`${path}&tx_hash=${unknown}`)).body).toEqual([])
})

test.each([
  ['/v2/txs/detail?chain=local', 'missing_param', 'account_address'],
  ['/v2/txs/detail?account_address=0x1', 'missing_param', 'chain'],
  ['/v2/txs/detail?chain=local&account_address=0x1', 'malformed_id', 'account_address'],
  [
    `/v2/txs/detail?chain=local&account_address=${wallet(1)}&tx_hash=0x12`,
    'invalid_param',
    'tx_hash',
  ],
  [`/v2/txs/${wallet(1)}-local?limit=301`, 'limit_out_of_range', 'limit'],
  [`/v2/txs/${wallet(1)}-local?sort=up`, 'invalid_param', 'sort'],
])('error: %s', async (path, code, param) => {
  const { market } = createMarket()
  const { status, body } = await market.get(path)
  expect([status, body.error]).toEqual([400, { code, param }])
})

test('behavior: an unknown pair has no transactions', async () => {
  const { market } = createMarket()
  const { body } = await market.get(`/v2/txs/${wallet(9)}-local`)
  expect(body).toMatchObject({ txs: [], total_count: 0, pair_id: `${wallet(9)}-local` })
})
