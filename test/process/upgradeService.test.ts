// Whatever an earlier version stored is opened by this one with nothing lost: it answers the same bytes, and goes on.
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevnet } from '../../packages/devnet/src/devnet.ts'
import {
  loadSavedDevnet,
  type SavedDevnet,
} from '../../packages/server/src/app/devnet/savedDevnet.ts'
import { migrations } from '../../packages/server/src/store/migrate.ts'
import { startPrivatePostgres } from '../../packages/server/src/store/privatePostgres.ts'
import {
  createDataDir,
  removeDataDir,
  silentLogger,
  type TestConnection,
  urlOf,
  withClient,
} from '../support/postgres.ts'
import { keepAll, runProgram, startPatientProgram } from '../support/program.ts'
import {
  answersOf,
  differencesOf,
  fixtureNames,
  readFixture,
  type ServiceFixture,
} from '../support/serviceFixture.ts'
import { privateConnectionOf, readCursor } from '../support/storedMarket.ts'
import { serveStored } from '../support/storedService.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'
import { until } from '../support/until.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

async function restore(file: string, dataDir: string, args: readonly string[] = []): Promise<void> {
  const program = runProgram([
    'restore',
    file,
    '--data-dir',
    dataDir,
    '--log-level',
    'warn',
    ...args,
  ])
  expect([await program.ended, program.stderr()]).toEqual([0, ''])
}

/** As after two quiet days: what the newest snapshots hold is in no log any more. */
async function trimLog(connection: TestConnection): Promise<number> {
  return await withClient(connection, async (client) => {
    const { rowCount } = await client.query(
      'DELETE FROM log WHERE seq <= (SELECT min(seq) FROM snapshots)',
    )
    return rowCount!
  })
}

async function expectSameAnswers(
  fixture: ServiceFixture,
  connection: TestConnection,
  saved: SavedDevnet,
): Promise<void> {
  const { facts, answers } = fixture
  const service = await serveStored({ connection, saved, nowMs: facts.nowMs })
  try {
    expect(differencesOf(fixture, await answersOf(service, facts, answers))).toEqual([])
  } finally {
    await service.stop()
  }
}

test('default: there is a fixture of the first version that is kept', () => {
  expect(fixtureNames()).toContain('schema11')
})

/** The oldest and the newest. */
function isStarted(name: string): boolean {
  const names = fixtureNames()
  return name === names[0] || name === names.at(-1)
}

describe.each(fixtureNames())('%s', (name) => {
  let fixture: ServiceFixture
  let dataDir: string

  beforeAll(async () => {
    fixture = await readFixture(name)
    dataDir = await createDataDir()
  })

  afterAll(() => removeDataDir(dataDir))

  test.each(['whole', 'trimmed'])(
    'behavior: the same answers, byte for byte, with a log that is %s',
    async (log) => {
      const place = await createDataDir()
      const connection = await postgres.createDatabase()
      await restore(fixture.backupFile, place, ['--database-url', urlOf(connection)])
      if (log === 'trimmed') expect(await trimLog(connection)).toBeGreaterThan(0)
      await expectSameAnswers(fixture, connection, (await loadSavedDevnet(place))!)
      const { rows } = await withClient(connection, (client) =>
        client.query<{ version: number }>('SELECT max(version) AS version FROM migrations'),
      )
      expect(rows[0]!.version).toBe(migrations.length)
      await rm(place, { recursive: true })
    },
  )

  test('behavior: the local chain goes on from its journal', async () => {
    const place = await createDataDir()
    const connection = await postgres.createDatabase()
    await restore(fixture.backupFile, place, ['--database-url', urlOf(connection)])
    const messages: string[] = []
    const devnet = await createDevnet({ dataDir: place, onLog: (line) => messages.push(line) })
    try {
      expect([devnet.isReplayed, messages]).toEqual([true, []])
      const { number, hash } = fixture.facts.head
      const block = await devnet.request('eth_getBlockByNumber', [
        `0x${number.toString(16)}`,
        false,
      ])
      expect(block).toMatchObject({ hash })
    } finally {
      await devnet.stop()
      await rm(place, { recursive: true })
    }
  })

  // What is restored tells the others: a start of each would take minutes.
  if (isStarted(name))
    test('behavior: a data directory is started by this version, with nothing lost, and goes on', async () => {
      await restore(fixture.backupFile, dataDir)
      const server = await startPrivatePostgres({ dataDir, logger: silentLogger })
      await trimLog(server.connection)
      await server.stop()
      const program = await startPatientProgram(dataDir, {
        api_key: fixture.facts.keys.unlimited,
        retention: keepAll,
        devnet: { history_s: 60 },
      })
      const connection = await privateConnectionOf(dataDir)
      const { head, keys } = fixture.facts
      await until('blocks follow', async () => {
        const cursor = await readCursor(connection)
        return cursor !== null && cursor.number > head.number + 3
      })
      const url = `${program.ready.address}/v2/tokens/main?chain=local`
      for (const key of Object.values(keys))
        expect((await fetch(url, { headers: { 'X-API-KEY': key } })).status).toBe(200)
      const { rows } = await withClient(connection, (client) =>
        client.query<{ hash: string; chains: string; gaps: string }>(
          `SELECT (SELECT hash FROM log WHERE type = 'commit' AND number = ${head.number}) AS hash,
           (SELECT count(*) FROM chains) AS chains, max(seq) - min(seq) + 1 - count(*) AS gaps FROM log`,
        ),
      )
      expect(rows[0]).toMatchObject({ hash: head.hash })
      expect([Number(rows[0]!.chains), Number(rows[0]!.gaps)]).toEqual([1, 0])
      program.child.kill('SIGINT')
      expect(await program.ended).toBe(0)
    })
})
