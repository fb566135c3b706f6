// The whole program on a full disk and on damaged stored data: its messages, its exit code, and
// that nothing is lost.
import { execFileSync, spawnSync } from 'node:child_process'
import { cp, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { createDataDir, removeDataDir, silentLogger, withClient } from '../support/postgres.ts'
import { type Program, runProgram } from '../support/program.ts'
import { type Service, startService, untilStored } from '../support/service.ts'
import { expectSameMarket, privateConnectionOf, readStored } from '../support/storedMarket.ts'

let market: IndexedNode
let service: Service | undefined

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'damage', blocks: 40 })
})

afterEach(async () => {
  await service?.kill()
})

afterAll(() => market.stop())

/** Runs `work` on the database of a program that has ended. */
async function withStored<result>(
  dataDir: string,
  work: (client: Client) => Promise<result>,
): Promise<result> {
  const server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  try {
    return await withClient(server.connection, work)
  } finally {
    await server.stop()
  }
}

type Disk = {
  dataDir: string
  fill(): Promise<void>
  free(): Promise<void>
  remove(): Promise<void>
}

/**
 * A separate disk, filled by a file of another program; null if the system does not permit
 * mounting.
 */
async function mountDisk(): Promise<Disk | null> {
  const dataDir = await createDataDir()
  const args = ['-t', 'tmpfs', '-o', 'size=256m,mode=700', 'tmpfs', dataDir]
  if (spawnSync('mount', args).status !== 0) {
    await removeDataDir(dataDir)
    return null
  }
  const filler = join(dataDir, 'filler')
  return {
    dataDir,
    async fill() {
      await expect(writeFile(filler, Buffer.alloc(300_000_000))).rejects.toThrow('ENOSPC')
    },
    free: () => rm(filler),
    async remove() {
      execFileSync('umount', ['--lazy', dataDir])
      await removeDataDir(dataDir)
    },
  }
}

/** A substitute where mounting is not permitted: the database raises the error of a full disk. */
async function createDisk(): Promise<Disk> {
  const dataDir = await createDataDir()
  const sql = `
    CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER fill BEFORE UPDATE ON cursors FOR EACH ROW EXECUTE FUNCTION fill()`
  return {
    dataDir,
    async fill() {
      await withClient(await privateConnectionOf(dataDir), (client) => client.query(sql))
    },
    async free() {
      await withStored(dataDir, (client) => client.query('DROP FUNCTION fill CASCADE'))
    },
    remove: () => removeDataDir(dataDir),
  }
}

test('error: the disk is full, and with free space again nothing is lost', async () => {
  const { config } = await market.createConfig()
  const disk = (await mountDisk()) ?? (await createDisk())
  try {
    service = await startService(disk.dataDir, config)
    await untilStored(disk.dataDir, market.node)
    await disk.fill()
    while (service.child.exitCode === null) await market.mine(1)
    expect(await service.ended).toBe(1)
    expect(lastError(service.stderr())).toMatchObject({
      code: 'STORE_DISK_FULL',
      meta: expect.arrayContaining([expect.stringContaining('start again: nothing is lost')]),
      retryable: false,
    })

    await disk.free()
    service = await startService(disk.dataDir, config)
    await untilStored(disk.dataDir, market.node)
    expect(await service.stop()).toBe(0)
    const stored = await readStored(disk.dataDir, market.node.profile)
    expectSameMarket(stored, await market.backfillFresh())
  } finally {
    await service?.kill()
    await disk.remove()
  }
})

type PrintedError = { code: string; message: string; meta: string[]; retryable: boolean }

function lastError(stderr: string): PrintedError {
  return JSON.parse(stderr.trim().split('\n').at(-1)!).error
}

const pageBytes = 8_192

async function overwrite(path: string, atByte: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.write(Buffer.alloc(64, 0xff), 0, 64, atByte)
  } finally {
    await file.close()
  }
}

/**
 * Damages the page with the newest log entry. Older entries may be in a snapshot and would not be
 * read.
 */
async function damageLogPage(dataDir: string): Promise<void> {
  const { path, page } = await withStored(dataDir, async (client) => {
    const { rows } = await client.query<{ path: string; page: number }>(
      `SELECT pg_relation_filepath(tableoid::regclass) AS path, (ctid::text::point)[0]::int AS page
       FROM log ORDER BY seq DESC LIMIT 1`,
    )
    return rows[0]!
  })
  await overwrite(join(dataDir, 'postgres', path), (page + 1) * pageBytes - 128)
}

const query = (sql: string) => (dataDir: string) =>
  withStored(dataDir, (client) => client.query(sql))
const newestSeq = 'SELECT max(seq) FROM log'

const damages: Record<string, (dataDir: string) => Promise<unknown>> = {
  'STORE_CORRUPT: a page of the log': damageLogPage,
  'STORE_CORRUPT: the control file': (dataDir) =>
    overwrite(join(dataDir, 'postgres', 'global', 'pg_control'), 0),
  'LOG_ENTRY_CORRUPT: an entry': query(
    `UPDATE log SET entry = set_byte(entry, 9, get_byte(entry, 9) # 1) WHERE seq = (${newestSeq})`,
  ),
  'LOG_GAP: an entry is gone': query(`DELETE FROM log WHERE seq = (${newestSeq}) - 1`),
}

test('error: damaged data is named and not served', async () => {
  const { dataDir: whole, config } = await market.createConfig()
  expect(await runProgram(['backfill', '--config', config]).ended).toBe(0)
  for (const [name, damage] of Object.entries(damages)) {
    const dataDir = await createDataDir()
    let program: Program | undefined
    try {
      await cp(whole, dataDir, { recursive: true })
      await damage(dataDir)
      const args = ['start', '--json', '--config', config, '--data-dir', dataDir, '--port', '0']
      program = runProgram(args)
      const { ended } = program
      const ready = program.untilOutput(/./).then(
        () => 'ready',
        () => ended,
      )
      expect([name, await Promise.race([ended, ready])]).toEqual([name, 1])
      expect(lastError(program.stderr())).toMatchObject({
        code: name.split(':')[0],
        retryable: false,
      })
    } finally {
      program?.child.kill('SIGKILL')
      await program?.ended
      await removeDataDir(dataDir)
    }
  }
})
