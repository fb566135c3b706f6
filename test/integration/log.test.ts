import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../packages/server/src/store/openStore.ts'
import { describeLog } from '../support/logContract.ts'
import { silentLogger, withClient } from '../support/postgres.ts'
import { keepAllRetention } from '../support/program.ts'
import { createWriteSequence } from '../support/storeWrites.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres.stop())

async function openLog() {
  const connection = await postgres.createDatabase()
  const open = async () => {
    const store = await openStore({ connection, logger: silentLogger })
    onTestFinished(store.close)
    return store
  }
  const store = await open()
  const chainId = await store.ensureChain('local')
  const writer = await store.openWriter({ chainId, chain: 'local', retention: keepAllRetention })
  const reading = await open()
  return {
    connection,
    store,
    chainId,
    writer,
    openReader: () => reading.openLog({ chainId, chain: 'local' }),
    saveSnapshot: (seq: number) =>
      store.saveSnapshot({ chainId, seq, number: seq, hash: `h${seq}`, format: 1 }, []),
  }
}

describe('in the database', () => describeLog(openTrimmed))

/**
 * A log whose store keeps only the newest snapshot. Retention would delete older snapshots after
 * days, which a test cannot wait for.
 */
async function openTrimmed() {
  const log = await openLog()
  return {
    ...log,
    async saveSnapshot(seq: number) {
      await withClient(log.connection, (client) => client.query('DELETE FROM snapshots'))
      await log.saveSnapshot(seq)
    },
  }
}

test('behavior: entries are not kept for a consumer that was silent for a day', async () => {
  const { connection, writer, openReader, saveSnapshot, chainId } = await openLog()
  const tape = createWriteSequence(chainId)
  const dayS = 86_400
  for (const day of [20_000, 20_001]) writer.append(tape.commit({ timeS: day * dayS }))
  await writer.flush()
  await saveSnapshot(2)
  const log = openReader()
  await log.acknowledge('gone', 0)
  await writer.trim(20_001 * dayS)
  expect((await log.read(1).next()).value).toMatchObject({ seq: 1 })
  await withClient(connection, (client) =>
    client.query(`UPDATE log_consumers SET acknowledged_at = now() - interval '25 hours'`),
  )
  await writer.trim(20_001 * dayS)
  await expect(log.read(1).next()).rejects.toMatchObject({ code: 'LOG_GAP' })
})
