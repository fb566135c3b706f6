import { expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { createMarketRows } from './marketRows.ts'

function createRig(countMax = 100) {
  const market = createServedMarket()
  const { chain, serving } = market
  const { traded, weth } = fillMarket(chain)
  const { gatewayChain, engine } = chain
  let made = 0
  gatewayChain.reads = {
    ...engine,
    tokenFacts(tokenId) {
      made += 1
      return engine.tokenFacts(tokenId)
    },
  }
  const rows = createMarketRows({ clock: serving.clock, countMax })
  return {
    ...{ market, chain, gatewayChain, traded, weth, rows },
    of: (tokenId: number) => rows.token.of(gatewayChain, tokenId),
    madeBy(work: () => void): number {
      const before = made
      work()
      return made - before
    },
  }
}

test('default: kept when it is asked for again, until the next block', () => {
  const { chain, of, madeBy } = createRig()
  expect(madeBy(() => of(2))).toBe(1)
  expect(madeBy(() => of(2))).toBe(1)
  expect(madeBy(() => of(2))).toBe(0)
  chain.mine()
  expect(madeBy(() => of(2))).toBe(1)
})

test('behavior: the same text each time, and that of the market as it is', () => {
  const { chain, of, traded, weth, market } = createRig()
  const { id } = traded[0]!.token
  const texts = [of(id), of(id), of(id)]
  expect(new Set(texts).size).toBe(1)
  expect(JSON.parse(texts[0]!)).toMatchObject({ symbol: 'PEPE', tx_count_24h: 2 })
  chain.trade(traded[0]!.pair, weth, 1)
  chain.mine()
  expect(JSON.parse(of(id))).toMatchObject({ tx_count_24h: 3, token_tx_count_1m: 3 })
  of(id)
  // Without a block: the windows move with the clock.
  market.setNowS(chain.engine.head()!.timeS + 600)
  expect(JSON.parse(of(id))).toMatchObject({ tx_count_24h: 3, token_tx_count_1m: 0 })
})

test('behavior: the parts are the text', () => {
  const { gatewayChain, of, rows } = createRig()
  const { head, headBytes, windows } = rows.token.parts(gatewayChain, 2)
  expect(`${head}${windows}}`).toBe(of(2))
  expect(headBytes).toBe(Buffer.byteLength(head))
})

test('args: countMax: the first made goes first', () => {
  const { of, madeBy } = createRig(2)
  for (const id of [2, 2, 3, 3]) of(id)
  expect(madeBy(() => [2, 3].map(of))).toBe(0)
  of(4)
  expect(madeBy(() => of(3))).toBe(0)
  expect(madeBy(() => of(2))).toBe(1)
})
