// The commands as typed by a user, against the compiled program.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { saveDevnet } from '../../packages/server/src/app/demo/savedDevnet.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir, removeDataDir } from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
import { type Service, startService, untilStored } from '../support/service.ts'
import {
  expectSameMarket,
  privateConnectionOf,
  profileOf,
  readCursor,
  readStored,
} from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

const dataDirs: string[] = []
let node: DevNode
let service: Service | undefined

beforeAll(async () => {
  node = await startDevNode({ market: true, seed: 'cli' })
  for (let block = 0; block < 40; block += 1) await node.mineMarket()
})

afterEach(async () => {
  await service?.kill()
  service = undefined
})

afterAll(async () => {
  await node.stop()
  for (const dataDir of dataDirs) await removeDataDir(dataDir)
})

async function tempDir(): Promise<string> {
  const dataDir = await createDataDir()
  dataDirs.push(dataDir)
  return dataDir
}

async function createConfig(limits = {}, chain = {}) {
  const dataDir = await tempDir()
  return { dataDir, config: await writeChainConfig(dataDir, node, { limits, chain }) }
}

/** Runs a command to its end. */
async function run(...args: string[]) {
  const program = runProgram(args)
  const code = await program.ended
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

async function runJson<body>(...args: string[]): Promise<body> {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.endsWith('\n') && stdout.trim().split('\n').length === 1).toBe(true)
  return JSON.parse(stdout) as body
}

type ErrorLine = { error: { code: string; message: string; meta: string[]; retryable: boolean } }
const errorOf = (stderr: string) => (JSON.parse(stderr) as ErrorLine).error

test('default: help names every command and its flags', async () => {
  const { code, stdout, stderr } = await run('--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const command of ['start', 'backfill', 'status', 'config', 'keys'])
    expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
  const start = await run('start', '--help')
  expect(start.code).toBe(0)
  for (const flag of ['--port', '--host', '--data-dir', '--devnet-port', '--config', '--json'])
    expect(start.stdout).toContain(flag)
})

test('behavior: exit codes, and errors that name what is wrong', async () => {
  for (const args of [['strat'], ['start', '--prot', '1'], ['keys'], ['keys', 'revoke', 'x']]) {
    const { code, stdout, stderr } = await run(...args)
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' })
    expect(stderr).not.toBe('')
  }
  const usage = await run('start', '--prot', '1', '--json')
  expect(usage.code).toBe(2)
  expect(errorOf(usage.stderr)).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('--port'),
  })

  const file = join(await tempDir(), 'config.json')
  await writeFile(file, JSON.stringify({ limits: { queue_block_max: 5 } }))
  for (const command of [['config', 'check'], ['start'], ['status']]) {
    const plain = await run(...command, '--config', file)
    expect({ command, code: plain.code, stdout: plain.stdout }).toEqual({
      command,
      code: 1,
      stdout: '',
    })
    expect(plain.stderr).toMatch(/limits\.queue_block_max: .*queue_blocks_max/)
  }
  const json = await run('config', 'check', '--config', file, '--json')
  expect(errorOf(json.stderr)).toMatchObject({ code: 'CONFIG_INVALID', retryable: false })
  const missing = await run('config', 'check', '--config', `${file}.gone`, '--json')
  expect(missing.code).toBe(1)
  expect(errorOf(missing.stderr).message).not.toBe('')
})

test('behavior: --json of commands that need no service', async () => {
  const { dataDir, config } = await createConfig()
  expect(await runJson('config', 'check', '--config', config)).toEqual({
    valid: true,
    chains: ['local'],
    advice: [],
  })
  expect(await runJson('config', 'print', '--config', config)).toMatchObject({
    data_dir: dataDir,
    api_key: '<set>',
  })
  const { markdown } = await runJson<{ markdown: string }>('config', 'docs')
  expect(markdown).toContain('queue_blocks_max')
  const nothing = await tempDir()
  const status = await run('status', '--data-dir', nothing, '--port', '1', '--json')
  expect(status.code).toBe(1)
  expect(JSON.parse(status.stdout)).toEqual({
    running: false,
    address: 'http://127.0.0.1:1',
    health: null,
    stored: null,
  })
  expect(errorOf(status.stderr).code).toBe('NOT_RUNNING')
  expect(await run('status', '--data-dir', nothing, '--port', '1')).toEqual({
    code: 1,
    stdout: `Nothing is stored in ${nothing} yet.\n`,
    stderr: expect.stringContaining('NOT_RUNNING'),
  })
})

test('behavior: backfill shows progress, ends at Ctrl-C, and resumes', async () => {
  // Small and slow steps, so that the backfill is still running when Ctrl-C arrives.
  const limits = {
    log_range_blocks_max: 4,
    backfill_ranges_max: 1,
    queue_blocks_max: 4,
  }
  const chain = { rpc: [{ http_url: node.rpcUrl, requests_per_second_max: 15 }] }
  const { dataDir, config } = await createConfig(limits, chain)
  const connection = await privateConnectionOf(dataDir)
  const { number: headNumber } = await node.readHead()
  const first = runProgram(['backfill', '--config', config])
  await first.untilOutput(
    new RegExp(`^local  \\d+/${headNumber + 1} blocks  \\d+\\.\\d %  \\d+ events/s  ETA `, 'm'),
  )
  await until('some blocks are stored', async () => {
    const cursor = await readCursor(connection)
    return cursor !== null && cursor.number > 5
  })
  first.child.kill('SIGINT')
  expect(await first.ended).toBe(0)
  expect(first.stdout()).toContain('Stopped; the same command resumes from here.\n')

  const status = await run('status', '--config', config, '--port', '1', '--json')
  expect(status.code).toBe(1)
  const stopped = JSON.parse(status.stdout) as {
    stored: { chains: { name: string; block: number }[] }
  }
  expect(stopped.stored.chains).toMatchObject([{ first_block: 0, swaps_from: null }])
  const [{ name, block }] = stopped.stored.chains as [{ name: string; block: number }]
  expect(name).toBe('local')
  expect(block).toBeGreaterThan(5)
  expect(block).toBeLessThan(headNumber)

  // The rest runs without the slow limits.
  await writeChainConfig(dataDir, node, { limits })
  const second = await runJson<{ state: string; chains: { local: Record<string, number> } }>(
    ...['backfill', '--config', config],
  )
  expect(second).toMatchObject({
    state: 'complete',
    chains: {
      local: {
        from_block: 0,
        next_block: headNumber + 1,
        to_block: headNumber,
        block_count: headNumber - block,
      },
    },
  })
  const fresh = await createConfig()
  expect((await run('backfill', '--config', fresh.config)).stdout).toMatch(/Complete\.\n$/)
  expectSameMarket(
    await readStored(dataDir, node.profile),
    await readStored(fresh.dataDir, node.profile),
  )
  const unknown = await run('backfill', '--config', config, '--chain', 'nowhere', '--json')
  expect(unknown.code).toBe(1)
  expect(errorOf(unknown.stderr).code).toBe('NO_CHAINS')
})

test('behavior: status and keys of a running service', async () => {
  const { dataDir, config } = await createConfig()
  service = await startService(dataDir, config)
  await untilStored(dataDir, node)
  await until('it is live', async () => (await service!.chainHealth()).state === 'live')
  const { port } = new URL(service.ready.address)
  const statusArgs = ['status', '--config', config, '--port', port]
  expect(await runJson(...statusArgs)).toMatchObject({
    running: true,
    address: service.ready.address,
    stored: null,
    health: {
      ready: true,
      chains: { local: { state: 'live', first_block: 0, history_complete: true } },
    },
  })
  expect((await run(...statusArgs)).stdout).toMatch(
    /^Running at http:\/\/127\.0\.0\.1:\d+, ready\.\n[\s\S]*^local +live/m,
  )

  const otherDir = await tempDir()
  const other = await run('status', '--data-dir', otherDir, '--port', port)
  expect(other).toEqual({
    code: 1,
    stdout: `Nothing is stored in ${otherDir} yet.\n`,
    stderr: expect.stringContaining('A service with another data directory answers there'),
  })

  const path = '/v2/tokens/main?chain=local'
  const created = await runJson<{ id: number; key: string; plan: string }>(
    ...['keys', 'create', '--name', 'for a test', '--plan', 'pro', '--config', config],
  )
  expect(created).toMatchObject({ plan: 'pro' })
  expect((await service.get(path, created.key)).status).toBe(200)
  expect((await service.get(path, `${created.key}x`)).status).toBe(401)
  const plain = await run(
    ...['keys', 'create', '--name', 'second', '--plan', 'normal', '--config', config],
  )
  expect(plain.stderr).toContain('Plan normal: 5 requests/s')
  expect((await service.get(path, plain.stdout.trim())).status).toBe(200)

  const list = async () =>
    (
      await runJson<{ keys: { id: number; name: string; revoked_at: number | null }[] }>(
        ...['keys', 'list', '--config', config],
      )
    ).keys
  expect((await list()).map(({ name }) => name)).toEqual(['configured', 'for a test', 'second'])
  expect((await run('keys', 'list', '--config', config)).stdout).not.toContain(created.key)

  expect(await runJson('keys', 'revoke', `${created.id}`, '--config', config)).toMatchObject({
    id: created.id,
    revoked: true,
  })
  await until(
    'the key stops working',
    async () => (await service!.get(path, created.key)).status === 401,
  )
  expect((await list()).find(({ id }) => id === created.id)!.revoked_at).not.toBe(null)
  const again = await run('keys', 'revoke', `${created.id}`, '--config', config, '--json')
  expect(again.code).toBe(1)
  expect(errorOf(again.stderr).code).toBe('KEY_NOT_FOUND')
  expect((await service.get(path, plain.stdout.trim())).status).toBe(200)
  expect(await service.stop()).toBe(0)
})

test.each([false, true])(
  'error: the port of the local chain is in use (an earlier run is served: %s)',
  async (isSaved) => {
    const dataDir = await tempDir()
    if (isSaved)
      await saveDevnet(dataDir, {
        profile: profileOf(node.profile),
        storeName: 'local@0123456789ab',
      })
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    onTestFinished(() => void listener.close())
    const { port } = listener.address() as { port: number }
    const args = ['--port', '0', '--devnet-port', `${port}`, '--log-level', 'silent']
    const { code, stdout, stderr } = await run('start', '--data-dir', dataDir, ...args, '--json')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(errorOf(stderr)).toEqual({
      code: 'DEVNET_FAILED',
      message: 'The local chain failed to start.',
      meta: [
        `Reason: Port ${port} on 127.0.0.1 is in use: stop what listens there or choose another port for the local chain.`,
      ],
      retryable: false,
    })
  },
)

test('behavior: backfill needs a first block, and reads blocks before the stored ones', async () => {
  const { dataDir, config } = await createConfig({}, { start_block: 'latest' })
  const backfill = (...args: string[]) => run('backfill', '--config', config, '--json', ...args)
  const without = await backfill()
  expect([without.code, errorOf(without.stderr).code]).toEqual([1, 'BACKFILL_START'])
  expect(without.stderr).toContain('--from N')

  expect((await backfill('--from', '7')).code).toBe(0)
  // Each of these resumes the first run.
  for (const args of [['--from', '7'], ['--from', '9'], []])
    expect((await backfill(...args)).code).toBe(0)
  const before = await backfill('--from', '5')
  expect(before.code, before.stderr).toBe(0)
  const whole = await createConfig({}, { start_block: 5 })
  expect((await run('backfill', '--config', whole.config)).code).toBe(0)
  expectSameMarket(
    await readStored(dataDir, node.profile),
    await readStored(whole.dataDir, node.profile),
  )

  // A service backfills the earlier blocks behind its head.
  await writeChainConfig(dataDir, node, { chain: { start_block: 3 } })
  service = await startService(dataDir, config)
  await until('history begins with block 3', async () => {
    const health = await service!.chainHealth()
    return health.first_block === 3 && health.history_complete
  })
})
