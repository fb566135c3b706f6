import { expect, test, vi } from 'vitest'
import { createTestCli } from '../../../../../test/support/testCli.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { BackupOptions, RestoreOptions } from '../../ops/backupData.ts'
import { BackupStoppedError } from '../../store/backup/errors.ts'
import type { BackupHeader } from '../../store/backup/format.ts'

const header: BackupHeader = {
  version: '1.2.3',
  createdAt: '2025-10-09T08:53:20.000Z',
  schema: 11,
  postgres: '18.4',
  chains: [{ name: 'eth', seq: 9, block: 7, hash: '0xab', finalized: 5 }],
  tables: [],
  identities: [],
}
const chains = [{ name: 'eth', block: 7, hash: '0xab', finalized_block: 5 }]
const told = { version: '1.2.3', created_at: '2025-10-09T08:53:20.000Z', schema: 11, chains }

const backupData = vi.fn(async (_config: Config, _options: BackupOptions) => ({
  header,
  sizeBytes: 1_234_567,
  contentBytes: 5_000_000,
  rowCount: 42,
}))
const restoreData = vi.fn(async (_config: Config, _options: RestoreOptions) => ({
  header,
  rowCount: 42,
}))

test('default: backup writes the file and prints its content', async () => {
  const { run } = createTestCli({ backupData })
  const { code, out } = await run('backup', 'copy.ctb', '--data-dir', 'here')
  expect(code).toBe(0)
  const [config, options] = backupData.mock.lastCall!
  expect(config.data_dir).toBe('here')
  expect(options).toMatchObject({ path: 'copy.ctb', version: '1.2.3', nowMs: 1_760_000_000_000 })
  expect(out).toMatchInlineSnapshot(`
    "Wrote copy.ctb: 1.2 MB, 42 rows.

    Written by version 1.2.3, schema 11.
    chain  block  hash
    eth    7      0xab
    "
  `)
})

test('default: restore reads it into the named place', async () => {
  const { run } = createTestCli({ restoreData })
  const url = 'postgres://somebody@db/market'
  const { code, out } = await run('restore', 'copy.ctb', '--database-url', url)
  expect(code).toBe(0)
  const [config, options] = restoreData.mock.lastCall!
  expect([config.database_url, options.path]).toEqual([url, 'copy.ctb'])
  expect(out).toMatch(/^Restored copy\.ctb: 42 rows\.\n/)
})

test('behavior: --json prints one object', async () => {
  const written = await createTestCli({ backupData }).run('backup', 'copy.ctb', '--json')
  const sizes = { bytes: 1_234_567, content_bytes: 5_000_000 }
  expect(JSON.parse(written.out)).toEqual({ file: 'copy.ctb', rows: 42, ...sizes, ...told })
  const restored = await createTestCli({ restoreData }).run('restore', 'copy.ctb', '--json')
  expect(JSON.parse(restored.out)).toEqual({ file: 'copy.ctb', rows: 42, ...told })
})

test('behavior: a signal ends it, and the command can be repeated', async () => {
  const stopped = (_config: Config, { signal }: { signal: AbortSignal }) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new BackupStoppedError({ work: 'backup' })))
      signals.emit('SIGINT')
    })
  const { run, signals } = createTestCli({ backupData: stopped })
  const { code, err } = await run('backup', 'copy.ctb')
  expect([code, err]).toEqual([
    75,
    'BACKUP_STOPPED: The backup was stopped. No file was written.\n',
  ])
})

test('error: without a file', async () => {
  for (const command of ['backup', 'restore']) {
    const { code, err } = await createTestCli().run(command)
    expect([code, err]).toEqual([2, "error: missing required argument 'file'\n"])
  }
})
