import { expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { createMarketRows, type MarketRows } from './marketRows.ts'

function rowText({ tokenRows }: MarketRows, chain: GatewayChain, tokenId: number): string {
  const { lasting, moving } = tokenRows.parts(chain, tokenId)
  return `${lasting.bytes}${moving.bytes}`
}

function createRig() {
  const market = createServedMarket()
  const { chain, serving } = market
  const { traded, weth } = fillMarket(chain)
  const { gatewayChain, engine } = chain
  let made = 0
  let windowsMade = 0
  gatewayChain.reads = {
    ...engine,
    tokenFacts(tokenId) {
      made += 1
      return engine.tokenFacts(tokenId)
    },
    tokenWindow(...args) {
      windowsMade += 1
      return engine.tokenWindow(...args)
    },
  }
  const rows = createMarketRows(serving.clock, 8_000_000)
  return {
    market,
    chain,
    gatewayChain,
    traded,
    weth,
    rows,
    of: (tokenId: number) => rowText(rows, gatewayChain, tokenId),
    madeBy(work: () => void) {
      const before = { made, windowsMade }
      work()
      return { moving: made - before.made, windows: windowsMade - before.windowsMade }
    },
  }
}

test('default: a row is cached until the next block, its windows longer', () => {
  const { chain, of, madeBy } = createRig()
  expect(madeBy(() => of(2))).toEqual({ moving: 1, windows: 6 })
  expect(madeBy(() => of(2))).toEqual({ moving: 0, windows: 0 })
  chain.mine()
  expect(madeBy(() => of(2))).toEqual({ moving: 1, windows: 0 })
})

test('behavior: a cached row equals a new row of the same market', () => {
  const { chain, of, traded, weth, market } = createRig()
  const { id } = traded[0]!.token
  const texts = [of(id), of(id), of(id)]
  expect(new Set(texts).size).toBe(1)
  expect(JSON.parse(texts[0]!)).toMatchObject({ symbol: 'PEPE', tx_count_24h: 2 })
  chain.trade(traded[0]!.pair, weth, 1)
  chain.mine()
  expect(JSON.parse(of(id))).toMatchObject({ tx_count_24h: 3, token_tx_count_1m: 3 })
  of(id)
  // Time passes without a block, and the windows move with the clock.
  market.setNowS(chain.engine.head()!.timeS + 600)
  expect(JSON.parse(of(id))).toMatchObject({ tx_count_24h: 3, token_tx_count_1m: 0 })
})

test('behavior: chains have separate rows', () => {
  const rigs = [createRig(), createRig()]
  const [first, second] = rigs
  second!.chain.mine(7)
  const { rows } = first!
  const textsOf = () => rigs.map(({ gatewayChain }) => rowText(rows, gatewayChain, 2))
  const texts = textsOf()
  expect(texts[0]).toBe(first!.of(2))
  expect(texts[1]).toBe(second!.of(2))
  expect(textsOf()).toEqual(texts)
})

test('behavior: rows not read for long and final facts do not look like changes', () => {
  const { chain, gatewayChain, traded, of, madeBy } = createRig()
  const { token } = traded[0]!
  chain.supply(token, { total: 1_000, holders: 3 })
  // Adds more tokens than are kept as objects, and blocks until the supply is final.
  for (let count = 0; count < 8_192; count += 1) chain.token()
  for (let block = 0; block < 80; block += 1) chain.mine(1)
  of(token.id)
  for (let id = 0; id < gatewayChain.reads.tokenCount(); id += 1) gatewayChain.reads.tokenRecord(id)
  chain.mine(1)
  expect(madeBy(() => of(token.id))).toEqual({ moving: 1, windows: 0 })
  chain.supply(token, { total: 1_001, holders: 4 })
  chain.mine(1)
  expect(JSON.parse(of(token.id))).toMatchObject({ total: '1001', holders: 4 })
  chain.reportLate([{ ...token, name: 'Renamed' }])
  expect(JSON.parse(of(token.id))).toMatchObject({ name: 'Renamed' })
})
