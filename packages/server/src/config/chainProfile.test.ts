import { expect, test } from 'vitest'
import { chainKindOf } from '../kinds/chainKinds.ts'
import type { PipelineLimits } from '../kinds/chainSetup.ts'
import { loadConfig } from './load.ts'

const zeroAddress = `0x${'0'.repeat(40)}`

function setupOf(name: string, fields: Record<string, unknown> = {}) {
  const chains = { [name]: { rpc: [{ http_url: 'http://node.example' }], ...fields } }
  const { config } = loadConfig({ env: { CHAINTAPE_CHAINS: JSON.stringify(chains) } })
  const chain = config.chains[name]!
  return chainKindOf(chain).setupOf(name, chain, {} as PipelineLimits)
}

const profileOf = (fields: Record<string, unknown>) => setupOf('eth', fields).profile

test('default: canonical addresses, quotes complete and in order', () => {
  const profile = profileOf({})
  expect(profile.name).toBe('eth')
  expect(profile.native).toEqual({
    symbol: 'ETH',
    decimals: 18,
    wrappedToken: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    coin: zeroAddress,
  })
  expect(profile.quotes.slice(0, 6)).toEqual([
    ...profile.stables,
    profile.native.wrappedToken,
    zeroAddress,
  ])
  expect(profile.quotes).toHaveLength(8)
  expect(profile.burnAddresses[0]).toBe(zeroAddress)
  const all = JSON.stringify(profile)
  expect(all.match(/0x[0-9a-fA-F]{40}/g)?.every((text) => text === text.toLowerCase())).toBe(true)
})

test('behavior: the id of the network and the fee of factories are those of the preset, or the config', () => {
  const profile = profileOf({})
  expect(profile.networkId).toBe('1')
  const feeOf = (amm: string) => profile.venues.find((venue) => venue.amm === amm)!.feePpm
  expect(['uniswapv2', 'cakev2', 'uniswapv3'].map(feeOf)).toEqual([3_000, 2_500, undefined])
  const own = { address: `0x${'12'.repeat(20)}`, venue: 'uniswapV2', amm: 'own', fee_ppm: 2_000 }
  const other = profileOf({ chain_id: 7, factories: [own] })
  expect(other.networkId).toBe('7')
  expect(other.venues).toMatchObject([{ amm: 'own', feePpm: 2_000 }])
})

test('behavior: a coin that nothing wraps is booked under the zero address', () => {
  const usd = `0x${'36'.repeat(20)}`
  const native = { symbol: 'USDC', decimals: 18 }
  const profile = profileOf({ native, stables: [zeroAddress, usd], quotes: [] })
  expect(profile.native).toEqual({ ...native, wrappedToken: zeroAddress, coin: zeroAddress })
  expect(profile.quotes).toEqual([zeroAddress, usd])
  expect(profile.stables).toEqual([zeroAddress, usd])
})

test('behavior: quotes that name the wrapped coin decide its place', () => {
  const [usdc, weth, wbtc] = [
    '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599',
  ]
  const profile = profileOf({ stables: [usdc], quotes: [weth, wbtc, usdc] })
  const expected = [weth, zeroAddress, wbtc, usdc].map((address) => address.toLowerCase())
  expect(profile.quotes).toEqual(expected)
  // A config that names the coin gets it once, at its own place.
  const named = profileOf({ stables: [usdc], quotes: [zeroAddress, weth, wbtc, usdc] })
  expect(named.quotes).toEqual(expected)
})

test('behavior: logos are where the preset says, or the config', () => {
  const urlOf = (fields: Record<string, unknown>) => profileOf(fields).logoUrl
  expect(urlOf({})).toBe(
    'https://raw.githubusercontent.com/SmolDapp/tokenAssets/main/tokens/1/{address}/logo-128.png',
  )
  const own = 'https://logos.example/{address}.png?size=64'
  expect(urlOf({ logo_url: own })).toBe(own)
  expect(urlOf({ logo_url: '' })).toBe(undefined)
})

test.each([
  'https://logos.example/all.png',
  'ftp://a/{address}',
  'https://a/{address}"',
  'https://a b/{address}',
])('error: %s is no place of logos', (url) => {
  expect(() => profileOf({ logo_url: url })).toThrow(/logo_url.*a URL with \{address\} in it/s)
})

test('args: finality and reorg_depth_max', () => {
  const finalityOf = (finality: unknown) => setupOf('eth', { finality }).finality
  expect(['finalized', 30, '90s'].map(finalityOf)).toEqual([
    { type: 'tag' },
    { type: 'depth', blocks: 30 },
    { type: 'age', seconds: 90 },
  ])
  const heldOf = (depth: unknown, fields = {}) =>
    profileOf({ reorg_depth_max: depth, ...fields }).reorgDepthMax
  // Blocks of 12 s get the minimum.
  expect([heldOf(7), heldOf('60s'), heldOf('900s')]).toEqual([7, 128, 128])
  expect(heldOf('60s', { block_ms: 200 })).toBe(300)
  expect(heldOf('900s', { block_ms: 10 })).toBe(10_000)
})

test('default: a minute of blocks can be reverted in memory, whatever the chain', () => {
  const heldOf = (name: string) => setupOf(name).profile.reorgDepthMax
  const names = ['eth', 'bsc', 'monad', 'arbitrum', 'base', 'robinhood', 'solana']
  expect(names.map(heldOf)).toEqual([128, 134, 200, 240, 300, 600, 240])
  expect(setupOf('base').finality).toEqual({ type: 'age', seconds: 128 })
})
