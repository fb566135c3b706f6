import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfigFile } from './configFile.ts'
import { ConfigError } from './errors.ts'
import { loadConfig } from './load.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chaintape-config-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function write(text: string, name = 'config'): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const settings = {
  server: { port: 9_000, host: '0.0.0.0' },
  chains: { eth: { rpc: [{ http_url: 'http://node.example//a#b' }], stables: ['0x0ab1'] } },
}

const yaml = `# mine
server:
  port: 9000
  host: 0.0.0.0
chains:
  eth:
    rpc:
      - http_url: http://node.example//a#b # a node
    stables: [0x0ab1]
`

const commented = `// mine
{
\t"server": { "port": 9000, /* all
  of them */ "host": "0.0.0.0", },
\t"chains": { "eth": { "rpc": [{ "http_url": "http://node.example//a#b" }], // "a node"
\t\t"stables": ["0x0ab1"] } }
}`

test.each([
  ['JSON', JSON.stringify(settings, null, 2)],
  ['JSON with tabs', JSON.stringify(settings, null, '\t')],
  ['JSON with comments', commented],
  ['YAML', yaml],
])('default: %s', (_, text) => {
  expect(readConfigFile(write(text)).value).toEqual(settings)
})

test('behavior: places are those of the file, comments and tabs or not', () => {
  const ofYaml = readConfigFile(write(yaml))
  expect(ofYaml.placeOf('server.port')).toEqual({ line: 3, column: 3 })
  expect(ofYaml.placeOf('chains.eth.rpc[0].http_url')).toEqual({ line: 8, column: 9 })
  expect(ofYaml.placeOf('chains.eth.stables[0]')).toEqual({ line: 9, column: 15 })
  // A missing key is reported at its parent.
  expect(ofYaml.placeOf('chains.eth.native')).toEqual({ line: 6, column: 3 })
  expect(ofYaml.placeOf('limits.rpc_ms_max')).toBe(null)
  const ofJson = readConfigFile(write(commented))
  expect(ofJson.placeOf('server.host')).toEqual({ line: 4, column: 14 })
  expect(ofJson.placeOf('chains.eth.stables')).toEqual({ line: 6, column: 3 })
})

test.each([
  ['{ "server": { "port": 1, } "chains" }', /line 1, column 28: not valid JSON: expected , or }/],
  [
    '// mine\n{\n  "server": { "port": 1 }\n',
    /line 4, column 1: not valid JSON: the file ends here/,
  ],
  ['server:\n  port: 1\n  port: 2\n', /line 3, column 3: .*unique/],
  ['- a list', /it must hold one object/],
  ['', /it must hold one object/],
])('error: %j', (text, reason) => {
  expect(() => readConfigFile(write(text))).toThrow(reason)
})

test('error: a file that is not there', () => {
  expect(() => readConfigFile(join(folder, 'none.yaml'))).toThrow(/ENOENT/)
})

/** Messages about a file, line by line. */
function saidOf(text: string, env: Record<string, string> = {}): readonly string[] {
  try {
    loadConfig({ file: write(text), env, isStrict: true })
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).meta
  }
}

test('error: everything at once, with line and column, in words', () => {
  const text = `server:
  prot: 1
chains:
  eth:
    rpc: [{ url: 'http://node.example' }]
  bsc:
    rpc: [{ http_url: 'ftp://x' }]
  base:
    rpc: [{ http_url: 'http://node.example' }]
    quotes: ['0xnone']
    native_usd_from: ethh
  My-Chain: {}
limits: { rpc_ms_max: 1 }
`
  expect(saidOf(text, { CHAINTAPE_PROT: '1' })).toEqual([
    'line 2, column 3: server.prot: is not a known key; did you mean server.port?',
    'line 5, column 13: chains.eth.rpc[0].url: is not a known key; did you mean chains.eth.rpc[0].http_url?',
    'line 5, column 11: chains.eth.rpc[0].http_url: is required: http:// or https:// address',
    'line 7, column 13: chains.bsc.rpc[0].http_url: must be http:// or https:// address',
    'line 12, column 3: chains.My-Chain: is not a valid name: it must have up to 32 small letters, digits and underscores, a letter first',
    expect.stringMatching(
      /^line 13, column 11: limits.rpc_ms_max: must be integer from \d+ to \d+, is 1$/,
    ),
    'line 10, column 14: chains.base.quotes[0]: 0xnone is not an address',
    'line 11, column 5: chains.base.native_usd_from: ethh is not a chain of this config; did you mean eth?',
    'CHAINTAPE_PROT: is not a known variable; did you mean CHAINTAPE_PORT?',
  ])
})

test('behavior: what a flag or variable says does not stand in the file', () => {
  expect(saidOf('server: { port: 1 }', { CHAINTAPE_PORT: 'x' })).toEqual([
    'server.port: must be integer from 0 to 65535, is "x"',
  ])
})

test('behavior: what is allowed and hardly meant', () => {
  const chain = { native: { symbol: 'X', wrapped_token: `0x${'1'.repeat(40)}` } }
  const rpc = [{ http_url: 'https://...' }, { http_url: 'https://a.b/v2/YOUR_KEY' }]
  const text = JSON.stringify({ chains: { mine: { ...chain, rpc } } })
  const { advice } = loadConfig({ file: write(text), env: {} })
  expect(advice.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'chains.mine.rpc[0].http_url: looks like a placeholder',
    'chains.mine.rpc[1].http_url: looks like a placeholder',
    'chains.mine: no factories configured: without a trusted pool nothing can be priced',
    'chains.mine: neither stables nor native_usd_from configured: nothing can be priced in USD',
  ])
  const real = JSON.stringify({ chains: { eth: { rpc: [{ http_url: 'https://a.b/v2/3fKx' }] } } })
  expect(loadConfig({ file: write(real), env: {} }).advice).toEqual([])
})

test('error: a mistyped chain is named', () => {
  const file = write(
    '{ "chains": { "polygn": { "rpc": [{ "http_url": "http://node.example" }] } } }',
  )
  expect(() => loadConfig({ file, env: {} })).toThrow(
    '(polygn has no built-in values; did you mean polygon? `chaintape chains` lists those that have)',
  )
})
