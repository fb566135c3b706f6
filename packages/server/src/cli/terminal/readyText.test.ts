import { expect, test } from 'vitest'
import type { StartupInfo } from '../../app/roles/startedRole.ts'
import { calledWith, readyJson, readyText } from './readyText.ts'

const info: StartupInfo = {
  address: 'http://127.0.0.1:8080',
  terminalUrl: null,
  apiKey: 'ct_key',
  keyFrom: 'start',
  earlierKeysUntilS: null,
  chains: ['eth', 'bsc'],
  waiting: ['bsc: no block is applied yet (no node has answered)'],
  isExposed: false,
  devnetRpcUrl: null,
  localsolRpcUrl: null,
  examplePairId: '0xab-eth',
}

test('behavior: an unreachable chain is named with its reason', () => {
  expect(readyText(info)).toContain(
    [
      'Chaintape serves, but some chains are not ready. Ctrl-C stops it.',
      '  bsc: no block is applied yet (no node has answered)',
      '  address    http://127.0.0.1:8080',
      '  API key    ct_key',
    ].join('\n'),
  )
  expect(readyJson(info)).toMatchObject({ ready: false, waiting: info.waiting })
  expect(readyText({ ...info, waiting: [] })).toMatch(/^Chaintape is ready\. Ctrl-C stops it\.\n/)
  expect(readyJson({ ...info, waiting: [] })).toMatchObject({ ready: true, waiting: [] })
})

test('behavior: a later start names the expiry of earlier keys', () => {
  const text = readyText({ ...info, waiting: [], earlierKeysUntilS: 1_763_000_000 })
  expect(text).toContain(
    '\n  API key    ct_key (keys of earlier starts work until 2025-11-13T02:13:20Z)\n',
  )
})

test('behavior: a public address gets a warning', () => {
  const warning = /nothing is encrypted: put TLS in front/
  expect(readyText(info)).not.toMatch(warning)
  expect(readyText({ ...info, isExposed: true })).toMatch(warning)
  expect(readyJson({ ...info, isExposed: true })).toMatchObject({ exposed: true })
})

test('behavior: key and pair are shell variables that the commands use', () => {
  const text = readyText({ ...info, waiting: [] })
  expect(text).toContain('\n  export KEY=ct_key\n  export PAIR=0xab-eth\n')
  expect(text).toContain(
    '\n  CHAINTAPE_API_KEY="$KEY" npx --no-install chaintape listen --url "http://127.0.0.1:8080" tx "$PAIR"\n',
  )
})

test('behavior: with configured chains the key command uses the same data', () => {
  const flags = calledWith({ config: 'my chains.yaml', dataDir: '/srv/tape', port: '9000' })
  const text = readyText({ ...info, apiKey: null, keyFrom: 'store', waiting: [] }, flags)
  expect(text).toContain(
    `export KEY="$(npx --no-install chaintape keys create --plan unlimited --config 'my chains.yaml' --data-dir /srv/tape)"`,
  )
  expect(calledWith({ databaseUrl: 'postgres://u:secret@h/d' })).not.toContain('secret')
})

test('behavior: a key of the configuration is not repeated', () => {
  const text = readyText({ ...info, apiKey: null, keyFrom: 'config', waiting: [] })
  expect(text).toContain('  API key    api_key of the configuration')
  expect(text).toContain("export KEY='<api_key of the configuration>'")
})

test('behavior: the market of the local chain is labeled as made up', () => {
  const local = { ...info, chains: ['local'], devnetRpcUrl: 'http://127.0.0.1:8545' }
  expect(readyText(local)).toMatch(/^ {2}chains {5}local \(demo: /m)
  expect(readyText(info)).not.toContain('demo')
})

test('behavior: the terminal’s address has its token, or is not printed', () => {
  const terminalUrl = 'http://127.0.0.1:8080/#token=abc'
  expect(readyText({ ...info, terminalUrl })).toContain(`\n  terminal   ${terminalUrl}\n`)
  expect(readyText(info)).not.toContain('terminal  ')
})

const demo: StartupInfo = {
  ...info,
  terminalUrl: 'http://127.0.0.1:8080/#token=abc',
  chains: ['local', 'localsol'],
  waiting: [],
  earlierKeysUntilS: 1_763_000_000,
  devnetRpcUrl: 'http://127.0.0.1:8545',
  localsolRpcUrl: 'http://127.0.0.1:8899',
}
const named = (count: number) => Array.from({ length: count }, (_, i) => `c${i}: no block yet`)

test.each<[string, StartupInfo]>([
  ['a demo', demo],
  ['a demo that waits', { ...demo, waiting: named(2) }],
  ['a public demo', { ...demo, terminalUrl: null, isExposed: true }],
  ['twenty chains that wait', { ...info, waiting: named(20), isExposed: true }],
])('behavior: the banner of %s has at most 15 lines', (_name, shown) => {
  const lines = readyText(shown).split('\n')
  expect(lines.pop()).toBe('')
  expect(lines.length).toBeLessThanOrEqual(15)
})

test('behavior: chains beyond the room of the banner are counted', () => {
  expect(readyText({ ...info, waiting: named(20) })).toMatch(
    /\n {2}c\d+: no block yet \(and \d+ more\)\n/,
  )
})
