import { expect, test } from 'vitest'
import type { EvmChainConfig } from '../kinds/evm/evmChainSchema.ts'
import { internalLimits } from './internalLimits.ts'
import { loadConfig } from './load.ts'
import { printableConfig } from './printConfig.ts'

test('default: secrets print as <set>', () => {
  const { config } = loadConfig({
    env: {
      CHAINTAPE_API_KEY: 'topsecret',
      CHAINTAPE_DATABASE_URL: 'postgres://u:topsecret@db/x',
      CHAINTAPE_CHAINS: JSON.stringify({
        eth: {
          rpc: [
            { http_url: 'https://a.example/v2/topsecret', ws_url: 'wss://a.example?k=topsecret' },
            { http_url: 'http://u:topsecret@b.example' },
            { http_url: 'http://127.0.0.1:8545' },
          ],
        },
      }),
    },
  })
  const printed = printableConfig(config) as typeof config
  expect(JSON.stringify(printed)).not.toContain('topsecret')
  expect(printed.api_key).toBe('<set>')
  expect(printed.database_url).toBe('<set>')
  const { rpc } = printed.chains.eth as EvmChainConfig
  expect(rpc.map(({ http_url }) => http_url)).toEqual([
    'https://a.example/<set>',
    'http://b.example/<set>',
    'http://127.0.0.1:8545',
  ])
  expect(rpc[0]!.ws_url).toBe('wss://a.example/<set>')
})

test('behavior: without secrets nothing is lost', () => {
  const { fixed: _, ...settings } = loadConfig({ env: {} }).config
  expect(printableConfig({ ...settings, fixed: internalLimits })).toEqual(settings)
})
