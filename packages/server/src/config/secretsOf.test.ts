import { expect, test } from 'vitest'
import { loadConfig } from './load.ts'
import { configSecretsOf } from './printConfig.ts'

test('default: every address and word that the schema calls secret', () => {
  const env = {
    CHAINTAPE_DATABASE_URL: 'postgres://me:pw@db/market',
    CHAINTAPE_API_KEY: 'the-api-key',
    CHAINTAPE_ADMIN_KEY: 'the-admin-key-of-it',
    CHAINTAPE_NATS_URLS: '["nats://me:pw@nats:4222"]',
    CHAINTAPE_NATS_TOKEN: 'nats-token',
    CHAINTAPE_CHAINS: JSON.stringify({
      eth: { rpc: [{ http_url: 'https://a.example/key', ws_url: 'wss://a.example/key' }] },
      solana: {
        rpc: [{ http_url: 'https://b.example' }],
        grpc: [{ url: 'https://c.example', token: 'x-token' }],
        ipfs_gateway: 'https://d.example/ipfs/{path}',
      },
    }),
  }
  const { urls, words } = configSecretsOf(loadConfig({ env }).config)
  expect(urls.toSorted()).toEqual([
    'https://a.example/key',
    'https://b.example',
    'https://c.example',
    'https://d.example/ipfs/{path}',
    'nats://me:pw@nats:4222',
    'postgres://me:pw@db/market',
    'wss://a.example/key',
  ])
  expect(words.toSorted()).toEqual(['nats-token', 'the-admin-key-of-it', 'the-api-key', 'x-token'])
})

test.each(['https://me:pw@gw.example/{path}', 'https://gw.example/{path}?token=secret'])(
  'error: %s would be given to clients',
  (gateway) => {
    const chain = { rpc: [{ http_url: 'https://b.example' }], ipfs_gateway: gateway }
    const env = { CHAINTAPE_CHAINS: JSON.stringify({ solana: chain }) }
    expect(() => loadConfig({ env })).toThrow(
      'ipfs_gateway: must be a URL with {path} in it, without user, password and query',
    )
    expect(() => loadConfig({ env })).not.toThrow('secret')
  },
)
