// A market read through simulated public providers must equal the same market read from an
// unrestricted node.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { type IndexedMarket, indexMarket } from '../support/marketIndexer.ts'
import {
  type Provider,
  type ProviderRpc,
  providers,
  providerWithoutLogs,
  startProviderRpc,
} from '../support/providerRpc.ts'

let node: DevNode
let good: IndexedMarket
let startBlock = 0
const proxies: ProviderRpc[] = []

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: 'providers' })
  // Indexing starts after the pools were created, so that their contracts have to be asked what
  // they are.
  startBlock = (await node.readHead()).number + 1
  for (let block = 0; block < 60; block += 1) await node.mineMarket()
  good = await indexMarket({ node, urls: [node.rpcUrl], startBlock })
  expect(good.swaps).toBeGreaterThan(50)
  expect(good.pairs).toBeGreaterThan(10)
})

afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close()
})

afterAll(async () => await node.stop())

async function behind(provider: Provider): Promise<ProviderRpc> {
  const proxy = await startProviderRpc(node.rpcUrl, provider)
  proxies.push(proxy)
  return proxy
}

function expectGood({ progress: _, ...market }: IndexedMarket): void {
  const { progress: __, ...whole } = good
  expect(market).toEqual(whole)
}

describe.each(Object.entries(providers))('%s', (_, provider) => {
  test('default: each provider alone gives the same market', async () => {
    const proxy = await behind(provider)
    expectGood(await indexMarket({ node, urls: [proxy.url], startBlock }))
    expect(proxy.refusals.size).toBeGreaterThan(0)
  })
})

test('behavior: without logs of any contract all trades are known, and holders are reported as unknown', async () => {
  const { url } = await behind(providerWithoutLogs)
  const { progress, ...market } = await indexMarket({ node, urls: [url], startBlock })
  const { pairs, tokens, swaps } = good
  expect(market).toMatchObject({ pairs, tokens, swaps })
  expect(progress.openHistories + progress.dropped.tokenHistories!).toBeGreaterThan(0)
})

test('behavior: no node serves logs of all contracts, and one serves those of named contracts', async () => {
  const all = await Promise.all([providerWithoutLogs, providers.publicnode].map(behind))
  expectGood(await indexMarket({ node, urls: all.map(({ url }) => url), startBlock }))
})

test('behavior: all providers together give the same market', async () => {
  const all = await Promise.all(Object.values(providers).map(behind))
  expectGood(await indexMarket({ node, urls: all.map(({ url }) => url), startBlock }))
})
