import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestCli, ready } from '../../../../test/support/testCli.ts'
import { pollOptions } from '../../../../test/support/until.ts'
import type { StartOptions } from '../app/startApp.ts'
import type { Config } from '../config/schema/schema.ts'
import { AppError } from '../lib/errors.ts'
import { lazyApp } from './context.ts'

let folder: string
let chainsFile: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chaintape-cli-'))
  chainsFile = join(folder, 'chains.json')
  const rpc = [{ http_url: 'http://node.example/topsecret' }]
  writeFileSync(chainsFile, JSON.stringify({ chains: { eth: { rpc }, bsc: { rpc } } }))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('default: start prints when ready and stops on a signal', async () => {
  const stop = vi.fn(async () => {})
  let given: { config: Config; options: StartOptions } | undefined
  const { run, signals, out } = createTestCli({
    startApp: async (config, options) => {
      given = { config, options }
      options.onReady(ready)
      return { address: ready.address, stop, done: new Promise(() => {}) }
    },
  })
  const running = run('start', '--port', '9000', '--data-dir', 'here')
  await vi.waitFor(() => expect(out.join('')).toContain('ready'), pollOptions)
  expect(stop).not.toHaveBeenCalled()
  signals.emit('SIGINT')
  const { code, out: text } = await running
  expect(code).toBe(0)
  expect(stop).toHaveBeenCalledOnce()
  expect(given?.config.server.port).toBe(9000)
  expect(given?.config.data_dir).toBe('here')
  expect(given?.options.signal.aborted).toBe(true)
  expect(text).toMatchInlineSnapshot(`
    "Chaintape is ready. Ctrl-C stops it.
      address    http://127.0.0.1:8080
      terminal   http://127.0.0.1:8080/#token=abc
      API key    ct_key
      chains     local (demo: bots trade worthless tokens; each start makes a new market)
      reference  http://127.0.0.1:8080/docs
      chain RPC  http://127.0.0.1:8545

    Try it in another terminal:
      export KEY=ct_key
      export PAIR=0xab-local
      echo "X-API-KEY: $KEY" | curl -H @- "http://127.0.0.1:8080/v2/tokens/main?chain=local"
      CHAINTAPE_API_KEY="$KEY" npx --no-install chaintape listen --url "http://127.0.0.1:8080" tx "$PAIR"
    "
  `)
})

test('behavior: start --chains selects chains and rejects unknown ones', async () => {
  let names: string[] = []
  let leftOut: readonly string[] | undefined
  const { run } = createTestCli({
    startApp: async ({ chains }, options) => {
      names = Object.keys(chains)
      leftOut = options.leftOut
      throw new AppError('SEEN', 'It was asked for these.')
    },
  })
  const start = (...args: string[]) => run('start', '--config', chainsFile, ...args)
  expect((await start()).err).toContain('SEEN')
  expect([names, leftOut]).toEqual([['eth', 'bsc'], []])
  await start('--chains', 'bsc')
  expect([names, leftOut]).toEqual([['bsc'], ['eth']])
  await start('--chains', ' bsc, eth')
  expect(names).toEqual(['eth', 'bsc'])
  names = []
  const { code, err } = await start('--chains', 'eth,bcs')
  expect(code).toBe(1)
  expect(err).toContain('NO_CHAINS')
  expect(err).toContain('Configured: eth, bsc')
  expect(err).toContain('Asked for: eth, bcs')
  expect(names).toEqual([])
})

test('behavior: start --json prints one object', async () => {
  const { run, signals, out } = createTestCli({
    startApp: async (_config, options) => {
      options.onReady({ ...ready, devnetRpcUrl: null, localsolRpcUrl: null, examplePairId: null })
      return { address: '', stop: async () => {}, done: new Promise(() => {}) }
    },
  })
  const running = run('start', '--json')
  await vi.waitFor(() => expect(out).toHaveLength(1), pollOptions)
  signals.emit('SIGTERM')
  expect(JSON.parse((await running).out)).toEqual({
    ready: true,
    address: 'http://127.0.0.1:8080',
    terminal_url: 'http://127.0.0.1:8080/#token=abc',
    exposed: false,
    api_key: 'ct_key',
    earlier_keys_until: null,
    chains: ['local'],
    waiting: [],
    devnet_rpc_url: null,
    localsol_rpc_url: null,
    example_pair_id: null,
    examples: [
      'echo "X-API-KEY: ct_key" | curl -H @- "http://127.0.0.1:8080/v2/tokens/main?chain=local"',
      'curl http://127.0.0.1:8080/health/ready',
    ],
  })
})

test('behavior: a signal during the start stops the service once it has started; a second one exits', async () => {
  const stop = vi.fn(async () => {})
  let finishStart: (() => void) | undefined
  const { run, signals, exit, context } = createTestCli({
    startApp: (_config, { signal }) =>
      new Promise((resolve) => {
        finishStart = () => resolve({ address: '', stop, done: new Promise(() => {}) })
        expect(signal.aborted).toBe(false)
      }),
  })
  const running = run('start')
  await vi.waitFor(() => expect(finishStart).toBeDefined(), pollOptions)
  signals.emit('SIGINT')
  expect(exit).not.toHaveBeenCalled()
  const nowMs = context.nowMs()
  context.nowMs = () => nowMs + 1_000
  signals.emit('SIGINT')
  expect(exit).toHaveBeenCalledExactlyOnceWith(130)
  finishStart!()
  expect((await running).code).toBe(0)
  expect(stop).toHaveBeenCalledOnce()
})

test('error: a start that fails, permanently or temporarily', async () => {
  const failing = (retryable: boolean) =>
    createTestCli({
      startApp: async () => {
        throw new AppError('DISK_FULL', 'The disk is full.', { meta: ['Path: /x'], retryable })
      },
    })
  expect(await failing(false).run('start')).toEqual({
    code: 1,
    out: '',
    err: 'DISK_FULL: The disk is full.\n  Path: /x\n',
  })
  const later = await failing(true).run('start', '--json')
  expect(later.code).toBe(75)
  expect(JSON.parse(later.err)).toEqual({
    error: { code: 'DISK_FULL', message: 'The disk is full.', meta: ['Path: /x'], retryable: true },
  })
})

test('error: a service that fails while running is stopped and gives its reason', async () => {
  const stop = vi.fn(async () => {})
  const { run } = createTestCli({
    startApp: async () => ({
      address: '',
      stop,
      done: Promise.reject(new AppError('LOST', 'The database is gone.', { retryable: true })),
    }),
  })
  expect(await run('start')).toEqual({ code: 75, out: '', err: 'LOST: The database is gone.\n' })
  expect(stop).toHaveBeenCalledOnce()
})

test('error: a part that does not stop', async () => {
  const { run, signals, out } = createTestCli({
    startApp: async (_config, options) => {
      options.onReady(ready)
      const stop = () => Promise.reject(new AppError('X', 'x'))
      return { address: '', stop, done: new Promise(() => {}) }
    },
  })
  const running = run('start')
  await vi.waitFor(() => expect(out).toHaveLength(1), pollOptions)
  signals.emit('SIGTERM')
  const { code, err } = await running
  expect(code).toBe(1)
  expect(err).toContain('STOP_INCOMPLETE')
})

test('default: backfill shows progress and ends', async () => {
  const { run } = createTestCli({
    runBackfill: async (config, { chains, onProgress }) => {
      expect(chains).toEqual(['eth'])
      expect(config.chains.eth!.start_block).toBe(100)
      expect(config.chains.bsc!.start_block).toBe('latest')
      const at = { chain: 'eth', fromBlock: 100, toBlock: 199, eventCount: 5, blockCount: 50 }
      onProgress({ ...at, nextBlock: 150 })
      onProgress({ ...at, nextBlock: 200 })
    },
  })
  const { code, out } = await run(
    'backfill',
    '--config',
    chainsFile,
    '--chain',
    'eth',
    '--from',
    '100',
  )
  expect(code).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    "eth  50/100 blocks  50.0 %  0 events/s  ETA -
    eth  100/100 blocks  100.0 %  0 events/s  ETA -
    Complete.
    "
  `)
})

test('behavior: backfill stops on a signal and reports it', async () => {
  const { run, signals } = createTestCli({
    runBackfill: async (_config, { signal, onProgress }) => {
      const at = { chain: 'eth', fromBlock: 0, toBlock: 9, eventCount: 1, blockCount: 5 }
      onProgress({ ...at, nextBlock: 5 })
      signals.emit('SIGINT')
      expect(signal.aborted).toBe(true)
    },
  })
  const { code, out } = await run('backfill', '--config', chainsFile, '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toEqual({
    state: 'stopped',
    chains: {
      eth: { from_block: 0, next_block: 5, to_block: 9, event_count: 1, block_count: 5 },
    },
  })
})

test('error: backfill without the chain', async () => {
  expect((await createTestCli().run('backfill')).err).toContain('NO_CHAINS')
  const { code, err } = await createTestCli().run(
    'backfill',
    '--config',
    chainsFile,
    '--chain',
    'base',
  )
  expect(code).toBe(1)
  expect(err).toContain('Configured: eth, bsc')
  expect(err).not.toContain('Did you mean')
})

test.each([
  ['backfill', '--chain', 'etherum'],
  ['audit', '--chain', 'ethh'],
  ['start', '--chains', 'bsc,ethereum'],
])('error: %s with a mistyped chain', async (...words) => {
  const { code, err } = await createTestCli().run(...words, '--config', chainsFile)
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('Did you mean eth?') })
})

test('default: keys', async () => {
  const { run, keys } = createTestCli()
  const options = ['--name', 'app', '--plan', 'free', '--expires-in', '60']
  const created = await run('keys', 'create', ...options)
  expect(created).toEqual({
    code: 0,
    out: 'ct_new\n',
    err: [
      'Plan free: 1 requests/s, 1,000,000 credit units a month. Other plans: --plan (docs/reference/keys.md).\n',
      'Send the key as the header X-API-KEY: echo "X-API-KEY: $KEY" | curl -H @- http://127.0.0.1:8080/v2/supported_chains\n',
    ].join(''),
  })
  expect(keys.create).toHaveBeenCalledWith({ name: 'app', plan: 'free', expiresInS: 60 })
  expect(keys.close).toHaveBeenCalledOnce()
  expect((await createTestCli().run('keys', 'list')).out).toMatchInlineSnapshot(`
    "id  account  name  plan  created               expires  revoked  requests  credits
    3   2        app   free  2025-10-09T08:53:20Z  -        -        7         35
    "
  `)
  expect(JSON.parse((await createTestCli().run('keys', 'list', '--json')).out).keys[0]).toEqual({
    id: 3,
    account_id: 2,
    name: 'app',
    plan: 'free',
    created_at: 1_760_000_000,
    expires_at: null,
    revoked_at: null,
    period: { requests: 7, credits: 35 },
  })
  expect((await createTestCli().run('keys', 'revoke', '3')).out).toBe('Key 3 is revoked.\n')
})

test('default: keys create --json', async () => {
  const { run, keys } = createTestCli()
  const { out } = await run('keys', 'create', '--plan', 'pro', '--json')
  expect(JSON.parse(out)).toMatchObject({ key: 'ct_new', id: 3, account_id: 2 })
  expect(keys.create).toHaveBeenCalledWith({ name: '', plan: 'pro', expiresInS: null })
})

test('behavior: a key without a plan is free', async () => {
  const { run, keys } = createTestCli()
  const { err } = await run('keys', 'create', '--json')
  expect(err).toBe('')
  expect(keys.create).toHaveBeenCalledWith({ name: '', plan: 'free', expiresInS: null })
})

test('default: keys rotate and expire', async () => {
  const { run, keys } = createTestCli()
  expect(await run('keys', 'rotate', '3')).toEqual({
    code: 0,
    out: 'ct_newer\n',
    err: expect.stringMatching(/^Plan free: /),
  })
  expect(keys.rotate).toHaveBeenCalledWith(3, 86_400)
  const rotated = await createTestCli().run('keys', 'rotate', '3', '--grace', '5', '--json')
  expect(JSON.parse(rotated.out)).toMatchObject({ key: 'ct_newer', id: 4, replaces: 3 })
  const expired = await createTestCli().run('keys', 'expire', '3', '--in', '60')
  expect(expired.out).toBe('Key 3 expires at 2025-10-09T08:54:20Z.\n')
  const now = await createTestCli().run('keys', 'expire', '3', '--json')
  expect(JSON.parse(now.out)).toMatchObject({ id: 3, expires_at: 1_760_000_000 })
})

test.each([['rotate'], ['expire'], ['revoke']])('error: keys %s', async (command) => {
  const { run, keys } = createTestCli()
  const { code, err } = await run('keys', command, '4')
  expect(code).toBe(1)
  expect(err).toContain('KEY_NOT_FOUND')
  expect(keys.close).toHaveBeenCalledOnce()
})

test('default: config check, print and docs', async () => {
  const check = await createTestCli().run('config', 'check', '--config', chainsFile)
  expect(check.out).toBe('The configuration is valid. Chains: eth, bsc.\n')
  const print = await createTestCli().run('config', 'print', '--config', chainsFile, '--json')
  expect(JSON.parse(print.out).chains.eth.rpc[0].http_url).toBe('http://node.example/<set>')
  expect((await createTestCli().run('config', 'docs')).out).toContain('# Configuration')
})

test('error: config check names what is wrong', async () => {
  const file = join(folder, 'bad.json')
  writeFileSync(file, JSON.stringify({ sever: {} }))
  expect(await createTestCli().run('config', 'check', '--config', file)).toEqual({
    code: 1,
    out: '',
    err: 'CONFIG_INVALID: The configuration is not valid.\n  line 1, column 2: sever: is not a known key; did you mean server?\n',
  })
})

test('error: config check does not let unknown variables pass', async () => {
  const { run, context } = createTestCli()
  context.env = { CHAINTAPE_PROT: '1' }
  expect((await run('config', 'check')).err).toContain('did you mean CHAINTAPE_PORT?')
})

test.each([
  ['keys', 'list'],
  ['keys', 'create'],
  ['backup', 'file.ctb'],
])('error: %s %s does not create a database', async (...words) => {
  const dataDir = join(folder, 'mistyped')
  const { code, err } = await createTestCli(lazyApp).run(...words, '--data-dir', dataDir)
  expect(code).toBe(1)
  expect(err).toContain(dataDir)
  expect(existsSync(dataDir)).toBe(false)
})

test('behavior: a start shows each step once on a terminal', async () => {
  const { run, signals, out, context } = createTestCli({
    startApp: async (_config, { onStep, onReady }) => {
      onStep?.({ title: 'Starting PostgreSQL' })
      onReady(ready)
      return { address: '', stop: async () => {}, done: new Promise(() => {}) }
    },
  })
  const shown: string[] = []
  const stderr = { write: (text: string) => void shown.push(text), isTTY: true, columns: 80 }
  Object.assign(context.stderr, stderr)
  const running = run('start')
  await vi.waitFor(() => expect(out.join('')).toContain('ready'), pollOptions)
  signals.emit('SIGINT')
  await running
  const lines = shown
    .filter((text) => text.endsWith('\n'))
    .map((text) => text.replace(/^\r\S+K/, ''))
  expect(lines).toEqual([
    expect.stringMatching(/^✔ Starting PostgreSQL /),
    expect.stringMatching(/^✔ Stopping /),
    'Stopped.\n',
  ])
})
