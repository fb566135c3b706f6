import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LiveBody, ReadyBody } from '@chaintape/protocol'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestCli } from '../../../../../test/support/testCli.ts'
import { openDataDirId } from '../../app/dataDir.ts'
import type { StoredStatus } from '../../ops/readStoredStatus.ts'
import { localAddress } from '../configOptions.ts'

const health: ReadyBody = {
  ready: true,
  reasons: [],
  warnings: ['eth: the newest block is 500 s old'],
  chains: {
    eth: {
      ready: true,
      reason: null,
      state: 'live',
      demo: false,
      head_block: 9,
      head_time: 1_760_000_000,
      head_age_s: 500,
      doubtful_blocks: 0,
      newest_doubtful_block: null,
      finalized_block: 5,
      tip_block: 12,
      lag_blocks: 3,
      lag_s: 36,
      persisted_block: 8,
      queue_blocks: 1,
      queue_blocks_max: 1_024,
      paused_reason: null,
      database_error: null,
      rpc_error: null,
      failed_check: null,
      unresolved_pools: 0,
      start_block: 0,
      first_block: 4,
      history_complete: false,
      history_reading: null,
      audit: {
        checked_blocks: 160,
        checked_balances: 40,
        checked_at: 1_760_000_100,
        from_block: 1,
        to_block: 5,
        differences: 1,
        paused_reason: null,
        last_difference: 'Block 2: swap 3 of pair 0xab in 0xcd is not stored.',
      },
      history_missing: [
        {
          reason: 'start',
          from_block: 0,
          to_block: 3,
          before_time: null,
          msg: 'Blocks 0 to 3 were never read.',
        },
      ],
    },
  },
}

// The limit of a slow service must not fail on a slow machine.
beforeEach(() => {
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal)
})
afterEach(() => void vi.restoreAllMocks())

async function statusOf(port: number, stored: StoredStatus | null, ...args: string[]) {
  const { run } = createTestCli({ readStoredStatus: async () => stored })
  const { code, out, err } = await run('status', '--port', String(port), ...args)
  const anyPort = (text: string) => text.replaceAll(String(port), 'PORT')
  return { code, out: anyPort(out), err: anyPort(err) }
}

/** A server that answers every request with the same text, but `/health/live` with its own. */
async function withServer<result>(
  body: string,
  run: (port: number) => Promise<result>,
  live: LiveBody = { live: true, version: '1.2.3', uptime_s: 5 },
) {
  const server = createServer(({ url }, response) =>
    response.end(url === '/health/live' ? JSON.stringify(live) : body),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await run((server.address() as AddressInfo).port)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('default: a running service reports its status', async () => {
  const { code, out } = await withServer(JSON.stringify(health), (port) => statusOf(port, null))
  expect(code).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    "Running at http://127.0.0.1:PORT, ready.
    eth: the newest block is 500 s old
    eth: history: Blocks 0 to 3 were never read.
    eth: audit: 160 blocks and 40 balances compared, last at 2025-10-09T08:55:00Z: 1 differences

    chain  state  ready  head  head time             lag  stored  queue   first  history
    eth    live   yes    9     2025-10-09T08:53:20Z  3    8       1/1024  4      incomplete
    "
  `)
})

test('behavior: --json', async () => {
  const { out } = await withServer(JSON.stringify(health), (port) => statusOf(port, null, '--json'))
  expect(JSON.parse(out)).toEqual({
    running: true,
    address: 'http://127.0.0.1:PORT',
    health,
    stored: null,
  })
})

test('behavior: the stored state is shown if something else answers there', async () => {
  const stored = {
    chains: [
      {
        name: 'eth',
        block: 8,
        timeS: 1_760_000_000,
        finalizedBlock: null,
        firstNumber: 4,
        swapsFromS: null,
      },
    ],
  }
  const { code, out, err } = await withServer('<html>', (port) => statusOf(port, stored))
  expect(out).toMatchInlineSnapshot(`
    "Stored:

    chain  block  block time            finalized  first  swaps from
    eth    8      2025-10-09T08:53:20Z  -          4      the first block
    "
  `)
  expect({ code, err }).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "NOT_RUNNING: The service does not run at http://127.0.0.1:PORT.
      Start it with: chaintape start
    ",
    }
  `)
})

test('behavior: status without a service and a store', async () => {
  const port = await withServer('', async (port) => port)
  const { code, out, err } = await statusOf(port, null)
  expect(code).toBe(1)
  expect(out).toBe('Nothing is stored in .chaintape yet.\n')
  expect(err).toContain('NOT_RUNNING')
})

describe('a data directory', () => {
  let dataDir: string

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'status-'))
  })

  afterEach(() => rm(dataDir, { recursive: true }))

  const live = { live: true, version: '1.2.3', uptime_s: 5 } as const
  const answersWith = (id: string) =>
    withServer(JSON.stringify(health), (port) => statusOf(port, null, '--data-dir', dataDir), {
      ...live,
      data_dir_id: id,
    })

  test('behavior: status of its own service', async () => {
    const { code, out } = await answersWith(await openDataDirId(dataDir))
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('Running at') })
  })

  test.each([true, false])(
    'error: the service of another one (started before: %s)',
    async (was) => {
      if (was) await openDataDirId(dataDir)
      const { code, out, err } = await answersWith('0'.repeat(22))
      expect(code).toBe(1)
      expect(out).toBe(`Nothing is stored in ${dataDir} yet.\n`)
      expect(err).toContain('A service with another data directory answers there')
    },
  )

  test('behavior: without a data directory any service at the address is reported', async () => {
    const ofAnother = { ...live, data_dir_id: '0'.repeat(22) }
    const run = (port: number) => statusOf(port, null)
    expect((await withServer(JSON.stringify(health), run, ofAnother)).code).toBe(0)
  })
})

test('behavior: the local address of a service', () => {
  expect(localAddress({ host: '0.0.0.0', port: 1 })).toBe('http://127.0.0.1:1')
  expect(localAddress({ host: '::1', port: 1 })).toBe('http://[::1]:1')
})
