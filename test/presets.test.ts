// Presets are data written by hand: these tests check what can be checked without a chain.
import { checksumAddress, toEventSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { findChain } from '../packages/server/src/config/findChain.ts'
import { loadConfig } from '../packages/server/src/config/load.ts'
import { presets } from '../packages/server/src/config/presets.ts'
import type { EvmChainConfig } from '../packages/server/src/kinds/evm/evmChainSchema.ts'
import { programAddressOf } from '../packages/server/src/lib/programAddress.ts'
import { evmVenues, knownVenues } from '../packages/server/src/venues/evm/venues.ts'
import { eventAbi } from './support/eventAbi.ts'
import { venueAbi } from './support/venueAbi.ts'

const names = Object.keys(presets).filter((name) => name !== 'solana')

/** The chain's config as a service reads it if only a node is given. */
function chainOf(name: string): EvmChainConfig {
  const chains = { [name]: { rpc: [{ http_url: 'http://node.example' }] } }
  const { config } = loadConfig({ env: { CHAINTAPE_CHAINS: JSON.stringify(chains) } })
  return config.chains[name] as EvmChainConfig
}

const addressesIn = (value: unknown) => JSON.stringify(value).match(/0x[0-9a-fA-F]{40}/g) ?? []
const repeated = (list: readonly string[]) => list.filter((item, at) => list.indexOf(item) !== at)

test('default: every preset has a chain id of its own', () => {
  expect(names).toEqual([
    ...['eth', 'bsc', 'base', 'arbitrum', 'optimism', 'polygon', 'avalanche', 'linea', 'scroll'],
    ...['blast', 'zksync', 'mantle', 'sonic', 'unichain', 'berachain', 'monad', 'hyperevm'],
    ...['gnosis', 'robinhood', 'ink', 'world', 'megaeth', 'arc'],
  ])
  expect(repeated(names.map((name) => String(chainOf(name).chain_id)))).toEqual([])
})

test('behavior: names and aliases of presets are unique and find their preset', () => {
  const others = Object.entries(presets).flatMap(([name, { aliases = [] }]) =>
    (aliases as readonly string[]).map((alias) => [alias, name] as const),
  )
  expect(repeated([...Object.keys(presets), ...others.map(([alias]) => alias)])).toEqual([])
  expect(others.length).toBeGreaterThan(20)
  for (const [alias, name] of others) {
    expect(alias).toMatch(/^[a-z][a-z0-9-]*$/)
    expect(findChain(alias)?.name).toBe(name)
  }
})

test.each(Object.entries(presets))(
  'behavior: %s names the day it was checked, and a chain’s config does not',
  (name, preset) => {
    expect(preset.checked).toMatch(/^2026-\d{2}-\d{2}$/)
    expect(Number.isNaN(Date.parse(preset.checked as string))).toBe(false)
    expect(chainOf(name)).not.toHaveProperty('checked')
  },
)

describe.each(names)('%s', (name) => {
  const chain = chainOf(name)

  test('behavior: addresses have a valid checksum', () => {
    const given = addressesIn(presets[name])
    expect(given.length).toBeGreaterThan(3)
    for (const address of given) {
      const small = address.toLowerCase()
      expect([small, checksumAddress(small as `0x${string}`)]).toContain(address)
    }
  })

  test('behavior: logo URLs are of the preset’s chain', () => {
    expect(chain.logo_url).toContain(`/${chain.chain_id}/{address}/`)
  })

  test('behavior: no address is listed twice or in two roles', () => {
    const lower = (list: readonly string[]) => list.map((address) => address.toLowerCase())
    const { native, stables, quotes, factories, launch_platforms: platforms } = chain
    const tokens = lower([native.wrapped_token ?? [], ...stables, ...quotes].flat())
    const contracts = lower([...factories, ...platforms].map(({ address }) => address))
    expect(repeated(tokens)).toEqual([])
    expect(repeated(contracts)).toEqual([])
    expect(repeated(lower([...chain.lockers, ...chain.burn_addresses]))).toEqual([])
    expect(tokens.filter((token) => contracts.includes(token))).toEqual([])
  })

  test('behavior: every DEX and launch platform has a decoder', () => {
    for (const { venue } of chain.factories) expect(knownVenues.find(venue)).toBeDefined()
    const curves = evmVenues.map((venue) => venue.name.toLowerCase())
    for (const { amm } of chain.launch_platforms) expect(curves).toContain(amm)
  })

  test('behavior: a preset is complete for a chain without further config', () => {
    expect(chain.native.symbol).toMatch(/^[A-Z]+$/)
    expect(chain.stables.length).toBeGreaterThan(0)
    expect(chain.factories.length).toBeGreaterThan(0)
    expect(chain.block_ms).toBeGreaterThanOrEqual(100)
    expect(chain.poll_ms).toBeLessThanOrEqual(2 * chain.block_ms!)
  })
})

test('behavior: topics of a preset’s venues and platforms are hashes of events that tests encode', () => {
  const hashes = new Set(
    Object.values({ ...eventAbi, ...venueAbi }).map((abi) => toEventSelector(abi)),
  )
  const chains = names.map(chainOf)
  const venues = chains.flatMap(({ factories }) => factories.map(({ venue }) => venue as string))
  const curves = chains.flatMap(({ launch_platforms: platforms }) =>
    platforms.map(({ amm }) => amm),
  )
  const used = evmVenues.filter(
    ({ name }) => venues.includes(name) || curves.includes(name.toLowerCase()),
  )
  expect(used.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'uniswapV4',
      'fourMeme',
      'flap',
      'nadFun',
      'clanker',
      'zora',
      'virtuals',
    ]),
  )
  for (const { name, events } of used)
    for (const topic0 of Object.keys(events)) expect(hashes, `${name} ${topic0}`).toContain(topic0)
})

test('behavior: the lockers of Solana are addresses of Raydium’s locker', () => {
  const addressOf = (seed: string) =>
    programAddressOf('LockrWmn6K5twhz3y9w1dQERbmgSaRkfnTeTKbpofwE', [Buffer.from(seed)])
  const { lockers } = presets.solana as { lockers: readonly string[] }
  expect(lockers).toEqual([
    addressOf('lock_cp_authority_seed'),
    addressOf('program_authority_seed'),
  ])
})
