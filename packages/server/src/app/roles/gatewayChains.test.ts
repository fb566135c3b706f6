import { expect, test } from 'vitest'
import { servedProfile } from '../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { createLogger } from '../../lib/logger.ts'
import { riskLimitsDefault } from '../../risk/riskChecker.ts'
import {
  damagedChainPlaceholder,
  placeholderLocalProfile,
  unopenedChainPlaceholder,
} from './gatewayChains.ts'

const address = `0x${'ab'.repeat(20)}`
const reason = 'no block is applied yet (what is stored of it is being loaded)'

function unopened(profile = servedProfile('eth')) {
  return unopenedChainPlaceholder({
    kind: 'evm',
    profile,
    startBlock: 7,
    opening: 'what is stored of it is being loaded',
    queueBlocksMax: 10,
    riskLimits: riskLimitsDefault,
    logger: createLogger('silent'),
  })
}

function marketOf(...others: ReturnType<typeof unopened>[]) {
  const market = createServedMarket({ others })
  fillMarket(market.chain)
  return market
}

test.each([
  ['/v2/tokens/main?chain=eth', 'chain'],
  ['/v2/tokens/trending?chain=eth', 'chain'],
  ['/v2/tokens?keyword=WETH&chain=eth', 'chain'],
  [`/v2/tokens/${address}-eth`, 'token-id'],
  [`/v2/contracts/${address}-eth`, 'token-id'],
  [`/v2/tokens/top100/${address}-eth`, 'token-id'],
  [`/v2/pairs/${address}-eth`, 'pair-id'],
  [`/v2/klines/pair/${address}-eth`, 'pair-id'],
  [`/v2/txs/${address}-eth`, 'pair-id'],
  [`/v2/address/walletinfo?chain=eth&wallet_address=${address}`, 'chain'],
  ['/v2/address/smart_wallet/list?chain=eth', 'chain'],
  ['/v2/ranks?topic=eth', 'topic'],
])('error: %s', async (url, param) => {
  const { status, body } = await marketOf(unopened()).get(url)
  expect([status, body.error]).toEqual([503, { code: 'not_ready', param }])
  expect(body.msg).toBe(`The chain eth cannot be asked: ${reason}.`)
})

test.each([
  `/udf/symbols?symbol=${address}-eth`,
  `/udf/history?symbol=${address}-eth&resolution=1&from=0&to=1`,
])('error: %s', async (url) => {
  const { status, body } = await marketOf(unopened()).get(url)
  expect([status, body]).toEqual([
    503,
    { s: 'error', errmsg: `The chain eth cannot be asked: ${reason}.` },
  ])
})

test('error: answers not_ready to batches with a token of an unopened chain', async () => {
  const market = marketOf(unopened())
  const weth = market.chain.gatewayChain.profile.native.wrappedToken
  for (const url of ['/v2/tokens/price', '/v2/tokens/search']) {
    const ids = [`${weth}-local`, `${address}-eth`]
    const { status, body } = await market.post(url, { token_ids: ids })
    expect([status, body.error.code]).toEqual([503, 'not_ready'])
    expect((await market.post(url, { token_ids: ids.slice(0, 1) })).status).toBe(200)
  }
})

test('behavior: answers requests about other chains', async () => {
  const market = marketOf(unopened())
  for (const url of [
    '/v2/tokens/main?chain=local',
    '/v2/tokens?keyword=PEPE',
    '/v2/tokens/platform?tag=meme',
    '/v2/ranks?topic=hot',
    '/udf/search?query=PEPE',
  ]) {
    const { status, body } = await market.get(url)
    expect([url, status, body.length > 0]).toEqual([url, 200, true])
  }
  const topics = (await market.get('/v2/ranks/topics')).body.map(({ id }: { id: string }) => id)
  expect(topics).toContain('eth')
})

test('behavior: lists an unopened chain with what it waits for', async () => {
  const market = marketOf(unopened())
  const supported = (await market.get('/v2/supported_chains')).body
  expect(supported).toMatchObject([{ chain: 'local' }, { chain: 'eth', main_token_symbol: 'ETH' }])
  const { chains } = (await market.get('/v2/status')).body
  expect(chains).toMatchObject([
    { chain: 'local', reason: null, history_known: true },
    {
      chain: 'eth',
      reason,
      ready: false,
      state: 'catching_up',
      head_block: null,
      start_block: 7,
      first_block: null,
      history_complete: false,
      history_known: false,
    },
  ])
})

test('behavior: /health/ready reports all chains, or one', async () => {
  const market = marketOf(unopened())
  const all = await market.get('/health/ready')
  expect([all.status, all.body.ready, all.body.reasons]).toEqual([503, false, [`eth: ${reason}`]])
  expect(all.body.chains).toMatchObject({
    local: { ready: true, reason: null },
    eth: { ready: false, reason },
  })
  const one = await market.get('/health/ready?chain=local')
  expect([one.status, one.body.ready, one.body.reasons]).toEqual([200, true, []])
  expect(Object.keys(one.body.chains)).toEqual(['local'])
  expect((await market.get('/health/ready?chain=eth')).status).toBe(503)
  const codeOf = async (query: string) => (await market.get(`/health/ready?${query}`)).body.error
  expect(await codeOf('chain=mars')).toEqual({ code: 'unknown_chain', param: 'chain' })
  expect(await codeOf('chain=eth&chain=eth')).toEqual({ code: 'invalid_param', param: 'chain' })
})

test('error: answers not_ready for a chain whose image is damaged', async () => {
  const chain = damagedChainPlaceholder({
    kind: 'evm',
    profile: servedProfile('eth'),
    startBlock: 7,
    queueBlocksMax: 10,
    riskLimits: riskLimitsDefault,
    logger: createLogger('silent'),
  })
  const { status, body } = await marketOf(chain).get('/v2/tokens/main?chain=eth')
  expect([status, body.error.code]).toEqual([503, 'not_ready'])
  expect(body.msg).toContain('its image is damaged, and the service ends')
})

test('behavior: serves the local chain before its contracts are known', async () => {
  const market = createServedMarket({ chains: [], others: [unopened(placeholderLocalProfile)] })
  const { status, body } = await market.get('/v2/tokens/main?chain=local')
  expect([status, body.error.code]).toEqual([503, 'not_ready'])
  expect((await market.get('/v2/supported_chains')).body).toMatchObject([
    { chain: 'local', main_token_symbol: 'ETH', main_token_address: '' },
  ])
  expect((await market.get('/v2/tokens/platform?tag=tape_in_hot')).body).toEqual([])
  expect((await market.get('/openapi.json')).status).toBe(200)
})
