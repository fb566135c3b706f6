import { expect, test } from 'vitest'
import { createServedMarket } from '../../../../../../test/support/servedMarket.ts'

test('behavior: a chain has its configured id, or else a well-known id', async () => {
  const market = createServedMarket({ chains: ['local', 'bsc', 'tinychain'] })
  const { gatewayChain } = market.chains.get('tinychain')!
  gatewayChain.profile = { ...gatewayChain.profile, networkId: '4242' }
  const { body } = await market.get('/v2/supported_chains')
  const ids = body.map((row: { chain: string; chain_id: string }) => [row.chain, row.chain_id])
  expect(ids).toEqual([
    ['local', ''],
    ['bsc', '56'],
    ['tinychain', '4242'],
  ])
})
