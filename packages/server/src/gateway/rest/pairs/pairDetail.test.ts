import { expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'
import type { KnownLpShares } from '../../../risk/riskReader.ts'

function createMarket() {
  const market = createServedMarket()
  const filled = fillMarket(market.chain)
  const detailOf = async (pair: { address: string }) =>
    (await market.get(`/v2/pairs/${pair.address}-local`)).body
  return { market, detailOf, ...filled }
}

test('behavior: sniper_tx_count counts only swaps in the block of the first trade', async () => {
  const { market, detailOf, usdc } = createMarket()
  const { chain } = market
  const fresh = chain.pool(chain.token({ symbol: 'SNIPE' }), usdc, [1_000, 4_000])
  chain.mine()
  expect(await detailOf(fresh)).toMatchObject({
    pair_id: `${fresh.address}-local`,
    sniper_tx_count: 0,
    first_trade_block_number: 0,
  })
  for (const amount of [1, 2, 3]) chain.trade(fresh, usdc, amount)
  chain.mine()
  const first = chain.engine.head()!.number
  chain.trade(fresh, usdc, 4)
  chain.mine()
  const expected = { sniper_tx_count: 3, first_trade_block_number: first }
  expect(await detailOf(fresh)).toMatchObject(expected)
  chain.revert()
  expect(await detailOf(fresh)).toMatchObject(expected)
  // The first block is another block after a reorg.
  chain.revert()
  expect(await detailOf(fresh)).toMatchObject({ sniper_tx_count: 0 })
  chain.trade(fresh, usdc, 1)
  chain.mine()
  expect(await detailOf(fresh)).toMatchObject({ ...expected, sniper_tx_count: 1 })
})

test("behavior: holders of a pool's shares are shown only for the checked pair", async () => {
  const { market, detailOf, traded, second } = createMarket()
  const { token, pair } = traded[0]!
  const { gatewayChain } = market.chain
  const shares: KnownLpShares = {
    pair: pair.address,
    totalRaw: 1_500n * 10n ** 18n,
    holderCount: 7,
    tiedShare: 0.25,
  }
  let lp = shares
  gatewayChain.risk = {
    ...gatewayChain.risk,
    known: (address) =>
      address === token.address
        ? {
            score: 0,
            level: 0,
            isMintable: null,
            isHoneypot: null,
            checkedBlock: 1,
            creator: null,
            createdAtS: null,
            lp,
          }
        : null,
  }
  expect(await detailOf(pair)).toMatchObject({ lp_holders: 7, lp_locked_percent: '0.25' })
  for (const other of [second, traded[1]!.pair])
    for (const name of ['lp_holders', 'lp_locked_percent'])
      expect(await detailOf(other)).not.toHaveProperty(name)
  const { body } = await market.get(`/v2/tokens/${token.address}-local`)
  const supplies = body.data.pairs.map(
    (row: { pair: string; total_supply: string }) => [row.pair, row.total_supply] as const,
  )
  expect(Object.fromEntries(supplies)).toEqual({ [pair.address]: '1500', [second.address]: '' })
  lp = { ...shares, holderCount: null, tiedShare: null }
  market.chain.mine()
  const unknown = await detailOf(pair)
  for (const name of ['lp_holders', 'lp_locked_percent']) expect(unknown).not.toHaveProperty(name)
})
