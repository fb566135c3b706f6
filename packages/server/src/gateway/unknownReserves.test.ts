// Pools first seen after their creation have unknown reserves. Every interface must show 0 with an
// `unknown` mark.
import { expect, test } from 'vitest'
import { schemaFaults } from '../../../../test/support/checkSchema.ts'
import type { Message } from '../../../../test/support/feedMarket.ts'
import { createManualMarket } from '../../../../test/support/manualMarket.ts'
import { pair, state, swap, sync } from '../../../../test/support/marketChain.ts'
import { orderFaults } from '../../../../test/support/rowOrder.ts'
import { addressOf, wallet } from '../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../test/support/servedMarket.ts'
import { swapTxs, walletTxs } from '../../../protocol/src/answers/txs.ts'
import { liqPush, pricePush, txPush } from '../../../protocol/src/pushes/results.ts'
import type { FinishedEvent, FinishedLiquidity } from '../model/finishedBlock.ts'
import { componentRef } from './ground/schemas.ts'
import { pushSchemas } from './http/asyncapi/asyncApiDocument.ts'

const trader = wallet(0x61)
const unknown = { reserve0: 0n, reserve1: 0n }
const known = state(1_000, 600)
const liquidityMarks = { pair_liquidity_usd_known: false, pair_liquidity_eth_known: false }
const reserveMarks = { reserve0_known: false, reserve1_known: false }
const anyMark = /"\w+_known":false/

const unknownSides = (word: string) =>
  Object.fromEntries(
    ['from', 'to'].flatMap((side) => [
      [`${side}_${word}`, '0'],
      [`${side}_${word}_known`, false],
    ]),
  )

const traded = (pairId: number, reserves: typeof unknown = unknown) =>
  ({ ...swap(pairId, [-100, 60], [2, 1], trader), ...reserves }) as FinishedEvent

const changed = (
  pairId: number,
  kind: FinishedLiquidity['kind'],
  reserves: typeof unknown = unknown,
): FinishedLiquidity => ({
  type: 'liquidity',
  kind,
  index: 0,
  pairId,
  txHash: '0xcd',
  wallet: trader,
  sender: trader,
  amount0: 1n,
  amount1: 1n,
  priceRaw: 0.5,
  ...reserves,
})

function createMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { traded: others } = fillMarket(chain)
  const id = chain.engine.pairCount()
  const address = addressOf('9a1', id)
  const kind = 'concentrated' as const
  const pool = { ...others[0]!.pair, id, address, kind, createdAtS: 0 }
  chain.add({ pairs: [pool], events: [traded(id), changed(id, 'collect')] })
  chain.mine()
  const read = (path: string) => market.get(path.replace('$', `${address}-local`))
  return { chain, pool, read, market }
}

const traderTxs = `/v2/address/tx?wallet_address=${trader}&chain=local`

test('default: rows of trades and pairs mark unknown figures', async () => {
  const { read, market } = createMarket()
  const swaps = (await read('/v2/txs/$')).body
  expect(swaps.txs).toMatchObject([{ ...liquidityMarks, ...unknownSides('token_reserve') }])
  expect(orderFaults(swapTxs, swaps)).toEqual([])
  expect((await read('/v2/txs/liq/$')).body.txs).toMatchObject([
    { type: 'collectFee', ...liquidityMarks, ...reserveMarks, reserve0: '0', reserve1: '0' },
  ])
  const ofTrader = (await read(traderTxs)).body
  expect(ofTrader.result).toMatchObject([
    { ...liquidityMarks, ...unknownSides('token_reserve'), ...unknownSides('reserve') },
  ])
  expect(orderFaults(walletTxs, ofTrader)).toEqual([])
  const detail = (await read('/v2/pairs/$')).body
  expect(detail).toMatchObject({
    ...reserveMarks,
    init_reserve0_known: false,
    init_reserve1_known: false,
    reserve_change_known: false,
    tvl: '0',
    tvl_known: false,
  })
  const { body } = await market.get(`/v2/tokens/${detail.target_token}-local`)
  const marked = body.data.pairs.filter(({ tvl_known }: Message) => tvl_known === false)
  expect(marked).toMatchObject([{ pair: detail.pair, ...reserveMarks, tvl: '0' }])
})

test('behavior: once reserves are reported, only earlier rows have marks', async () => {
  const { chain, pool, read } = createMarket()
  /** Returns whether rows of the first and the second block have marks. */
  const marksOf = (rows: readonly Message[]) =>
    rows
      .toSorted((a, b) => a.block_number - b.block_number)
      .map((row) => anyMark.test(JSON.stringify(row)))
  chain.add({ events: [traded(pool.id, known)] })
  chain.mine()
  expect(marksOf((await read('/v2/txs/$')).body.txs)).toEqual([true, false])
  expect(marksOf((await read(traderTxs)).body.result)).toEqual([true, false])
  expect((await read('/v2/pairs/$')).text).not.toMatch(anyMark)
  // All liquidity is removed, so the 0 is known.
  chain.add({ events: [changed(pool.id, 'remove')] })
  chain.mine()
  const changes = (await read('/v2/txs/liq/$')).body.txs
  const zeros = { reserve0: '0', reserve1: '0' }
  expect(changes).toContainEqual(expect.objectContaining({ type: 'removeLiquidity', ...zeros }))
  expect(marksOf(changes)).toEqual([true, false])
  expect((await read('/v2/pairs/$')).text).not.toMatch(anyMark)
  chain.revert()
  chain.revert()
  expect((await read('/v2/pairs/$')).body).toMatchObject({ tvl_known: false })
})

test('behavior: a pool with a seen creation starts at a known 0', async () => {
  const { chain, pool, market } = createMarket()
  const id = pool.id + 1
  const made = { ...pool, id, address: addressOf('9a1', id), createdAtS: 1 }
  chain.add({ pairs: [made], events: [changed(id, 'create')] })
  chain.mine()
  for (const path of ['/v2/pairs/', '/v2/txs/liq/'])
    expect((await market.get(`${path}${made.address}-local`)).text).not.toMatch(anyMark)
})

test("behavior: a token's TVL is marked while a pool's reserves are missing from it", async () => {
  const { chain, pool, market } = createMarket()
  const [token, weth] = [pool.token0Id, pool.token1Id].map((id) => {
    const { address, symbol } = chain.engine.tokenRecord(id)
    return { address: `${address}-local`, symbol }
  }) as [Message, Message]
  const rowsOf = async () => {
    const ids = { token_ids: [token.address, weth.address], tvl_min: 0 }
    const batch = (await market.post('/v2/tokens/search', ids)).body
    const prices = (await market.post('/v2/tokens/price', ids)).body
    const [found] = (await market.get(`/v2/tokens?keyword=${token.symbol}`)).body
    return [...Object.values<Message>(batch), ...Object.values<Message>(prices), found]
  }
  const marked = await rowsOf()
  expect(marked).toHaveLength(5)
  for (const row of marked) {
    expect(row.tvl_known).toBe(false)
    expect(Number(row.tvl)).toBeGreaterThan(0)
    // The reserves of the tokens' main pairs are known.
    expect(row).not.toHaveProperty('main_pair_tvl_known')
  }
  chain.add({ events: [traded(pool.id, known)] })
  chain.mine()
  for (const row of await rowsOf()) expect(row).not.toHaveProperty('tvl_known')
})

test('behavior: a pool with unknown reserves is neither ordered nor selected by liquidity', async () => {
  const { chain, pool, market } = createMarket()
  const isListed = async (query: string) => {
    const { body } = await market.get(`/v2/screener/pairs?chain=local&${query}`)
    return body.pairs.some(({ pair }: Message) => pair === pool.address)
  }
  const listed = async () => [
    await isListed('sort=volume_24h'),
    await isListed('sort=liquidity'),
    await isListed('sort=volume_24h&max_liquidity=1'),
  ]
  expect(await listed()).toEqual([true, false, false])
  chain.add({ events: [traded(pool.id, known)] })
  chain.mine()
  expect(await listed()).toEqual([true, true, true])
})

test('behavior: a main pair with unknown reserves has a separate mark', async () => {
  const { wethUsdc } = fillMarket(createServedMarket().chain)
  const market = createServedMarket()
  const { chain } = market
  const weth = chain.token({ symbol: 'WETH' })
  chain.token({ symbol: 'USDC', decimals: 6 })
  const sold = { ...swap(0, [-1e19, 2e10], [1, 1], trader), ...unknown, priceRaw: 2e-9 }
  chain.add({ pairs: [{ ...wethUsdc, id: 0, createdAtS: 0 }], events: [sold as FinishedEvent] })
  chain.mine()
  const { body } = await market.get(`/v2/tokens/${weth.address}-local`)
  expect(body.data.token).toMatchObject({
    main_pair: wethUsdc.address,
    ...{ tvl: '0', tvl_known: false, main_pair_tvl: '0', main_pair_tvl_known: false },
  })
})

test('behavior: pushes have the same marks', () => {
  const { subscribe, commit } = createManualMarket()
  const readers = ['tx', 'liq', 'price'].map((topic) => subscribe(`${topic}:pair-2-local`))
  const newest = () => readers.map(({ messages }) => messages.at(-1))
  commit({
    pairs: [{ ...pair(2, 4, 0), createdAtS: 0 }],
    events: [traded(2), changed(2, 'add')],
  })
  const [tx, liq, price] = newest()
  expect(tx.result.tx).toMatchObject({ ...liquidityMarks, ...unknownSides('reserve') })
  expect(liq.result.tx).toMatchObject({ ...liquidityMarks, ...reserveMarks, reserve1: '0' })
  expect(price.result.prices[0]).toMatchObject({ ...reserveMarks, tvl: '0', tvl_known: false })
  for (const [row, message] of [
    [txPush, tx],
    [liqPush, liq],
    [pricePush, price],
  ] as const) {
    expect(schemaFaults(componentRef(row.name!), message, pushSchemas)).toEqual([])
    expect(orderFaults(row, message)).toEqual([])
  }
  commit({ events: [sync(2, 1_000, 600), traded(2, known), changed(2, 'add', known)] })
  for (const message of newest()) expect(JSON.stringify(message)).not.toMatch(anyMark)
})
