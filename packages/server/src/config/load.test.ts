import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EvmChainConfig } from '../kinds/evm/evmChainSchema.ts'
import type { SolanaChainConfig } from '../kinds/solana/solanaChainSchema.ts'
import { ConfigError, ConfigFileError } from './errors.ts'
import { internalLimits } from './internalLimits.ts'
import { type LoadOptions, loadConfig } from './load.ts'
import { limitsSchema } from './schema/limitsSchema.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chaintape-config-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0
function fileOf(content: unknown): string {
  const file = join(folder, `${count++}.json`)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

function load(content: unknown, options: LoadOptions = {}) {
  return loadConfig({ file: fileOf(content), env: {}, ...options }).config
}

function problemsOf(content: unknown, options: LoadOptions = {}): string[] {
  try {
    load(content, options)
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
  return []
}

const rpc = [{ http_url: 'https://node.example/secret' }]

test('behavior: flags over environment over file over defaults', () => {
  const content = { server: { port: 1, host: 'file' }, data_dir: 'file', log: { level: 'warn' } }
  const env = { CHAINTAPE_SERVER_PORT: '2', CHAINTAPE_SERVER_HOST: 'env' }
  const config = load(content, { env, flags: { port: '3' } })
  expect(config.server).toMatchObject({ host: 'env', port: 3 })
  expect(config.data_dir).toBe('file')
  expect(config.log.level).toBe('warn')
  expect(config.devnet.port).toBe(8545)
})

test('behavior: the variables of flags, keys and lists', () => {
  const env = {
    CHAINTAPE_PORT: '9',
    CHAINTAPE_API_KEY: 'ct_seeded_key',
    CHAINTAPE_DATABASE_URL: 'postgres://db/x',
    CHAINTAPE_BASE_URLS: '["https://a.example"]',
    CHAINTAPE_CHAINS: JSON.stringify({ eth: { rpc } }),
    CHAINTAPE_LIMITS_QUEUE_BLOCKS_MAX: '4096',
    CHAINTAPE_DATA_DIR: '',
  }
  const { config } = loadConfig({ env })
  expect(config.server.port).toBe(9)
  expect(config.api_key).toBe('ct_seeded_key')
  expect(config.database_url).toBe('postgres://db/x')
  expect(config.base_urls).toEqual(['https://a.example'])
  expect(Object.keys(config.chains)).toEqual(['eth'])
  expect(config.limits.queue_blocks_max).toBe(4096)
  expect(config.data_dir).toBe('.chaintape')
})

test('behavior: the envelope is set by file, environment and flag', () => {
  const envelopeOf = (options: Parameters<typeof loadConfig>[0]) =>
    loadConfig({ env: {}, ...options }).config.response_envelope
  const [file, env] = [fileOf({ response_envelope: 'always' }), 'CHAINTAPE_RESPONSE_ENVELOPE']
  expect(envelopeOf({ file })).toBe('always')
  expect(envelopeOf({ env: { [env]: 'always' } })).toBe('always')
  expect(envelopeOf({ flags: { 'response-envelope': 'always' } })).toBe('always')
  expect(envelopeOf({ file, flags: { 'response-envelope': 'contract' } })).toBe('contract')
})

test('behavior: the file may be named by the environment', () => {
  const env = { CHAINTAPE_CONFIG: fileOf({ data_dir: 'there' }) }
  expect(loadConfig({ env }).config.data_dir).toBe('there')
})

test('behavior: unknown variables of ours are warned about', () => {
  const { warnings } = loadConfig({ env: { CHAINTAPE_SERVER_PROT: '1', PATH: 'x' } })
  expect(warnings).toEqual([
    {
      path: 'CHAINTAPE_SERVER_PROT',
      message: 'is not a known variable; did you mean CHAINTAPE_SERVER_PORT?',
    },
  ])
})

test.each(['eth', 'bsc', 'base'])('behavior: %s needs only rpc', (name) => {
  const chain = load({ chains: { [name]: { rpc } } }).chains[name] as EvmChainConfig
  expect(chain.factories.length).toBeGreaterThan(3)
  expect(chain.rpc[0]!.requests_per_second_max).toBe(50)
})

test('behavior: solana needs only rpc, and its addresses are held to their form', () => {
  const chain = load({ chains: { solana: { rpc } } }).chains.solana as SolanaChainConfig
  expect([chain.kind, chain.native.decimals, chain.commitment]).toEqual(['solana', 9, 'confirmed'])
  expect(chain.programs.map(({ venue }) => venue)).toContain('raydiumCpmm')
  const [usdc] = chain.stables
  expect(problemsOf({ chains: { solana: { rpc, stables: [usdc, `${usdc}0`, usdc] } } })).toEqual([
    `chains.solana.stables[1]: ${usdc}0 is not an address`,
    'chains.solana.stables[2]: is the same as chains.solana.stables[0]',
  ])
})

test('behavior: a chain is of the kind evm unless it says so, and says so too', () => {
  expect(load({ chains: { eth: { rpc } } }).chains.eth!.kind).toBe('evm')
  expect(load({ chains: { eth: { rpc, kind: 'evm' } } }).chains.eth!.kind).toBe('evm')
})

test('error: a kind that is none names those that are, and nothing else of the chain', () => {
  for (const [kind, shown] of [
    ['sui', '"sui"'],
    [7, '7'],
    [null, 'null'],
  ])
    expect(problemsOf({ chains: { eth: { kind, rpc: [], sables: [] } } })).toEqual([
      `chains.eth.kind: must be evm or solana, is ${shown}`,
    ])
  expect(problemsOf({ chains: { eth: { kind: 'evn', rpc } } })).toEqual([
    'chains.eth.kind: must be evm or solana, is "evn"; did you mean evm?',
  ])
  expect(problemsOf({ chains: { eth: 7 } })).toEqual(['chains.eth: must be an object, is 7'])
})

test('behavior: a given field replaces the whole preset field', () => {
  const stables = ['0x6B175474E89094C44Da98b954EedeAC495271d0F']
  const chain = load({ chains: { eth: { rpc, stables, start_block: 12 } } }).chains.eth!
  expect(chain.stables).toEqual(stables)
  expect(chain.start_block).toBe(12)
  expect(chain.native.symbol).toBe('ETH')
})

test('error: unknown keys name the nearest known one', () => {
  expect(
    problemsOf({
      sever: {},
      server: { prot: 1, trust_proxy: true },
      chains: { eth: { rpc, factory: [] } },
      qqqq: 1,
    }),
  ).toMatchInlineSnapshot(`
    [
      "sever: is not a known key; did you mean server?",
      "qqqq: is not a known key",
      "server.prot: is not a known key; did you mean server.port?",
      "server.trust_proxy: is not a known key; did you mean server.trusted_proxies?",
      "chains.eth.factory: is not a known key; did you mean chains.eth.factories?",
    ]
  `)
})

test('error: wrong types and values name their path', () => {
  expect(
    problemsOf({
      server: { port: '80', host: '' },
      data_dir: null,
      database_url: 'mysql://x',
      api_key: 12345678,
      response_envelope: 'contrat',
      base_urls: 'http://x',
      limits: [],
      log: { level: 'loud' },
      chains: {
        eth: { rpc: [], finality: 'final', start_block: -1 },
        'my-chain': { rpc },
        bsc: 7,
        base: { rpc: [{ http_url: 'ftp://x' }] },
      },
    }),
  ).toMatchInlineSnapshot(`
    [
      "server.host: must not be empty",
      "server.port: must be integer from 0 to 65535, is "80"",
      "data_dir: must be string, is null",
      "database_url: must be postgres:// address",
      "api_key: must be 8 to 512 printable characters without spaces, is a number",
      "response_envelope: must be contract or always, is "contrat"; did you mean contract?",
      "base_urls: must be list of http:// or https:// address, is "http://x"",
      "chains.eth.rpc: must have at least 1 entry",
      "chains.eth.start_block: must be latest or integer of at least 0, is -1",
      "chains.eth.finality: must be finalized or seconds from 1s to 900s (example: 60s) or integer from 1 to 10000, is "final"",
      "chains.my-chain: is not a valid name: it must have up to 32 small letters, digits and underscores, a letter first",
      "chains.bsc: must be an object, is 7",
      "chains.base.rpc[0].http_url: must be http:// or https:// address",
      "limits: must be an object, is a list",
      "log.level: must be auto or trace or debug or info or warn or error or silent, is "loud"",
    ]
  `)
})

test('error: a chain without a preset says what it lacks', () => {
  expect(problemsOf({ chains: { other: {} } })).toMatchInlineSnapshot(`
    [
      "chains.other.rpc: is required: list of object (other has no built-in values; \`chaintape chains\` lists those that have)",
      "chains.other.native: is required: object (other has no built-in values; \`chaintape chains\` lists those that have)",
    ]
  `)
  const [problem] = problemsOf({ chains: { ethereum: { rpc } } })
  expect(problem).toContain('(ethereum has no built-in values; those of this chain are under eth)')
})

test('error: texts from outside that do not fit', () => {
  expect(
    problemsOf(
      {},
      { env: { CHAINTAPE_CHAINS: '{', CHAINTAPE_PORT: '8o80' }, flags: { 'devnet-port': '1e3' } },
    ),
  ).toMatchInlineSnapshot(`
    [
      "chains: CHAINTAPE_CHAINS must be JSON",
      "server.port: must be integer from 0 to 65535, is "8o80"",
      "devnet.port: must be integer from 0 to 65535, is "1e3"",
    ]
  `)
})

test('error: relations between fields', () => {
  expect(
    problemsOf({
      server: { port: 8545 },
      limits: { resolve_ms_max: 60_000 },
    }),
  ).toMatchInlineSnapshot(`
    [
      "limits.resolve_ms_max: must not be over limits.rpc_ms_max (10000)",
      "devnet.port: is already used by server.port (8545)",
    ]
  `)
})

test('behavior: the price of a coin from another chain', () => {
  const chains = { eth: { rpc }, base: { rpc, native_usd_from: 'eth' } }
  expect(load({ chains }).chains.base?.native_usd_from).toBe('eth')
  expect(load({ chains }).chains.eth?.native_usd_from).toBe(undefined)
})

test('error: the price of a coin from nowhere', () => {
  const from = (sources: Record<string, string | undefined>) =>
    problemsOf({
      chains: Object.fromEntries(
        ['eth', 'bsc', 'base'].map((name) => [name, { rpc, native_usd_from: sources[name] }]),
      ),
    })
  expect(from({ base: 'etc' })).toEqual([
    'chains.base.native_usd_from: etc is not a chain of this config; did you mean eth?',
  ])
  expect(from({ base: 'base' })).toEqual(['chains.base.native_usd_from: is circular: base, base'])
  expect(from({ base: 'eth', eth: 'bsc', bsc: 'eth' })).toEqual([
    'chains.eth.native_usd_from: is circular: eth, bsc, eth',
    'chains.bsc.native_usd_from: is circular: bsc, eth, bsc',
  ])
  expect(from({ base: 'eth', eth: 'bsc' })).toEqual([])
})

test('error: a local chain that would end before it is used', () => {
  expect(problemsOf({ devnet: { blocks_max: 900 } })).toEqual([
    'devnet.blocks_max: must be at least 964: the setup mines that many before the chain is used',
  ])
  expect(problemsOf({ devnet: { blocks_max: 964 } })).toEqual([])
  expect(problemsOf({ devnet: { blocks_max: 900 }, chains: { eth: { rpc } } })).toEqual([])
})

test('behavior: finality may be deeper than the blocks held in memory', () => {
  const eth = { rpc, finality: 200, reorg_depth_max: 8 }
  expect(problemsOf({ chains: { eth } })).toEqual([])
})

test('error: addresses', () => {
  const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
  expect(
    problemsOf({
      chains: {
        eth: {
          rpc: [...rpc, ...rpc],
          stables: [usdc, usdc.toLowerCase()],
          quotes: [usdc.replace('A0', 'a0'), '0x12'],
          burn_addresses: [],
          lockers: [usdc],
          out_of_circulation: [usdc],
        },
      },
    }),
  ).toMatchInlineSnapshot(`
    [
      "chains.eth.quotes[0]: 0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 has a wrong checksum: a digit may be mistyped",
      "chains.eth.quotes[1]: 0x12 is not an address",
      "chains.eth.stables[1]: is the same as chains.eth.stables[0]",
      "chains.eth.out_of_circulation[0]: is the same as chains.eth.lockers[0]",
      "chains.eth.burn_addresses[0]: must be the zero address: transfers from it are mints",
      "chains.eth.rpc[1].http_url: is the same as chains.eth.rpc[0].http_url",
    ]
  `)
})

test('error: secrets never reach a message', () => {
  const text = problemsOf({
    api_key: ['topsecret'],
    database_url: 'topsecret',
    chains: { eth: { rpc: [{ http_url: 'topsecret' }] } },
  }).join('\n')
  expect(text).toContain('api_key')
  expect(text).not.toContain('topsecret')
})

test.each(['{', '[]', '"text"'])('error: the file holds %s', (content) => {
  expect(() => load(content)).toThrow(ConfigFileError)
})

test('error: the file does not exist', () => {
  expect(() => loadConfig({ file: join(folder, 'none.json'), env: {} })).toThrow(ConfigFileError)
})

test('behavior: plans are changed by field and added whole', () => {
  const plans = { free: { requests_per_s: 2.5 }, gold: { ...planOf('pro'), sockets_max: 7 } }
  const { config } = loadConfig({ env: { CHAINTAPE_PLANS: JSON.stringify(plans) } })
  expect(Object.keys(config.plans)).toEqual(['free', 'normal', 'pro', 'unlimited', 'gold'])
  expect(config.plans.free).toEqual({ ...planOf('free'), requests_per_s: 2.5 })
  expect(config.plans.gold).toMatchObject({ requests_per_s: 20, sockets_max: 7 })
})

test('error: plans', () => {
  const load = (plans: unknown) => loadConfig({ env: { CHAINTAPE_PLANS: JSON.stringify(plans) } })
  expect(() => load({ gold: { requests_per_s: 1 } })).toThrow(
    'plans.gold.credits_per_period: is required',
  )
  expect(() => load({ free: { requests_per_s: -1 } })).toThrow('plans.free.requests_per_s: must be')
  expect(() => load({ free: { request_per_s: 1 } })).toThrow('did you mean')
  expect(() => load({ 'no good': {} })).toThrow(
    'plans.no good: is not a valid name: it must have up to 32 small letters',
  )
  expect(() => load({ free: 5 })).toThrow('plans.free: must be an object')
  expect(() => load([])).toThrow('plans: must be an object')
})

test('error: a short admin key, which is not repeated', () => {
  const load = () => loadConfig({ env: { CHAINTAPE_ADMIN_KEY: 'too-short' } })
  expect(load).toThrow('admin_key: must be 16 to 512 printable characters')
  expect(load).not.toThrow('too-short')
})

function planOf(name: string) {
  return loadConfig({ env: {} }).config.plans[name]!
}

test('behavior: what nobody turns is fixed, and tests have a door of their own', () => {
  const loaded = (content: object) => loadConfig({ file: fileOf(content), env: {} })
  const names = Object.keys(internalLimits) as (keyof typeof internalLimits)[]
  for (const name of names) {
    expect(() => loaded({ limits: { [name]: 5 } })).toThrow(`limits.${name}: is not a known key`)
    const tested = loaded({ testing: { [name]: 5 } })
    expect(tested.config.fixed).toEqual({ ...internalLimits, [name]: 5 })
    expect(tested.warnings).toEqual([])
  }
  expect(() => loaded({ testing: { ping_mss: 5 } })).toThrow('testing.ping_mss')
  expect(() => loaded({ testing: { ping_ms: '5' } })).toThrow('testing.ping_ms')
  const settings = Object.keys(limitsSchema.properties)
  expect(settings.filter((name) => Object.hasOwn(internalLimits, name))).toEqual([])
  expect(settings.length).toBeLessThanOrEqual(16)
})
