import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'
import { createTokenPositionCache } from './readPositions.ts'

const first = wallet(0x71)
const second = wallet(0x72)

function open() {
  const market = createServedMarket()
  const { traded, weth } = fillMarket(market.chain)
  const { token, pair } = traded[0]!
  const asked: (readonly string[])[] = []
  let failure: Error | null = null
  const store = {
    ...market.store,
    loadTokenPositions: async (query: Parameters<typeof market.store.loadTokenPositions>[0]) => {
      asked.push(query.wallets)
      if (failure !== null) throw failure
      return await market.store.loadTokenPositions(query)
    },
  }
  const positions = createTokenPositionCache(store)
  const { chain } = market
  return {
    asked,
    read: (wallets: readonly string[]) =>
      positions.read(chain.gatewayChain, token.address, wallets),
    trade() {
      chain.trade(pair, weth, 0.1, first)
      chain.mine()
    },
    fail(value: Error | null) {
      failure = value
    },
  }
}

test('default: positions are read once between two blocks', async () => {
  const { asked, read, trade } = open()
  trade()
  const both = [read([first, second]), read([first, second])]
  const [one, other] = await Promise.all(both)
  expect(one).toBe(other)
  expect(asked.length).toBe(1)
  expect([one!.get(first)!.buyCount, one!.get(second)!.buyCount]).toEqual([1, 0])
  // Other holders, or a new block, cause a new read.
  await read([first])
  expect(asked.length).toBe(2)
  trade()
  expect((await read([first])).get(first)!.buyCount).toBe(2)
  expect(asked.length).toBe(3)
})

test('error: a failed read is retried', async () => {
  const { asked, read, fail } = open()
  fail(new TypeError('gone'))
  await expect(read([first])).rejects.toThrow()
  fail(null)
  expect((await read([first])).size).toBe(1)
  expect(asked.length).toBe(2)
})
