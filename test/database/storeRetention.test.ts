// Which history of a chain retention deletes, and which it keeps.

import { expect, test } from 'vitest'
import type { Logger } from '../../packages/server/src/lib/logger.ts'
import { openBlockWriter } from '../../packages/server/src/store/blockWriter.ts'
import { createStore, type Store } from '../../packages/server/src/store/openStore.ts'
import {
  dumpMarket,
  dumpTables,
  silentLogger,
  type TestConnection,
  withClient,
} from '../support/postgres.ts'
import {
  createWriteSequence,
  klineEvent,
  liquidityEvent,
  startS,
  swapEvent,
} from '../support/storeWrites.ts'
import { useStore } from '../support/useStore.ts'

let connection: TestConnection
let store: Store
let chainId: number

const openWriter = useStore((opened) => {
  ;({ connection, store, chainId } = opened)
})

test('behavior: nothing older than the retention is stored, and whole days of partitions are dropped', async () => {
  const dayS = 86_400
  const nowS = startS + 100 * dayS
  const writer = await openWriter({ limits: { retentionEveryS: 1 } })
  const tape = createWriteSequence(chainId)
  const days = [...Array(100).keys()].map((day) => startS + day * dayS)
  for (const timeS of days) {
    const events = [
      swapEvent(1, 0),
      liquidityEvent(2, 0),
      ...[0, 1, 2].map((interval) => klineEvent(0, interval, timeS)),
    ]
    writer.append(tape.commit({ timeS, nowS, events, isFinal: true }))
  }
  await writer.flush()
  const countOf = async () =>
    Object.fromEntries(
      Object.entries(await dumpMarket(connection)).map(([table, rows]) => [table, rows.length]),
    )
  expect(await countOf()).toMatchObject({
    swaps: 30,
    liquidity: 30,
    klines_s1: 1,
    klines_k1: 90,
    klines: 100,
  })

  writer.append(tape.commit({ timeS: nowS + 10 * dayS, events: [swapEvent(1, 0)], isFinal: true }))
  await writer.flush()
  expect(await countOf()).toMatchObject({ swaps: 21, klines_s1: 0, klines_k1: 80, klines: 100 })
  const partitions = await withClient(connection, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relname ~ '^swaps_c1_d[0-9]+$' ORDER BY 1`,
    )
    return rows.map(({ name }) => Number(name.slice('swaps_c1_d'.length)))
  })
  expect(partitions[0]).toBe(Math.floor((nowS + 10 * dayS) / dayS) - 30)
})

test('behavior: the start of history is recorded when old data is deleted', async () => {
  const dayS = 86_400
  const midnightS = Math.floor(startS / dayS) * dayS
  let writer = await openWriter({ limits: { retentionEveryS: 1 } })
  expect(writer.status().history).toEqual({ firstNumber: null, swapsFromS: null })
  const tape = createWriteSequence(chainId, { number: 7 })
  const commit = (day: number, nowDay: number) => {
    const nowS = midnightS + nowDay * dayS
    const timeS = midnightS + day * dayS + 10
    return tape.commit({ timeS, nowS, events: [swapEvent(1, 0)], isFinal: true })
  }
  writer.append(commit(0, 30))
  await writer.flush()
  expect(writer.status().history).toEqual({ firstNumber: 7, swapsFromS: null })
  // A block of the next day makes retention delete an earlier day.
  writer.append(commit(31, 31))
  await writer.flush()
  await writer.close()
  writer = await openWriter({ limits: { retentionEveryS: 1 } })
  const dropped = { firstNumber: 7, swapsFromS: midnightS + dayS }
  expect(writer.status().history).toEqual(dropped)
  // A block that is too old to be stored.
  writer.append(commit(32, 90))
  await writer.flush()
  const skipped = { firstNumber: 7, swapsFromS: midnightS + 33 * dayS }
  expect(writer.status().history).toEqual(skipped)
  expect(await store.listChains()).toMatchObject([{ name: 'local', ...skipped }])
})

test('behavior: a jumping clock deletes nothing, keeps storing and is reported', async () => {
  const dayS = 86_400
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: ({ msg }: { msg: string }) => warnings.push(msg) }
  const openWith = () =>
    openBlockWriter({
      connection,
      chainId,
      chain: 'local',
      limits: { retentionEveryS: 1 },
      logger: logger as unknown as Logger,
    })
  const writer = await openWith()
  const tape = createWriteSequence(chainId)
  const dumped = async () =>
    Object.values(await dumpTables(connection, ['log', 'swaps', 'liquidity', 'klines_s1'])).map(
      (rows) => rows.length,
    )
  /** Stores a block at the head while the local clock is `aheadS` seconds ahead of it. */
  let count = 0
  const storeBlock = async (day: number, aheadS: number) => {
    const timeS = startS + day * dayS + 2 * ++count
    const events = [swapEvent(1, 0), liquidityEvent(2, 0), klineEvent(0, 0, timeS)]
    const clocks = { timeS, nowS: timeS + aheadS, tipTimeS: timeS }
    writer.append(tape.commit({ ...clocks, events, isFinal: true }))
    await writer.flush()
  }
  for (let day = 0; day < 3; day += 1) await storeBlock(day, 0)
  const held = writer.status().retentionHeld
  // One-second klines are kept for a day.
  expect([held, await dumped()]).toEqual([null, [3, 3, 3, 2]])

  await storeBlock(2, 40 * dayS)
  await storeBlock(2, 41 * dayS)
  expect(await dumped()).toEqual([5, 5, 5, 4])
  expect(writer.status().retentionHeld).toBe(
    'our clock is 41.0 days ahead of the newest stored block',
  )
  expect(writer.status().history.swapsFromS).toBe(null)
  expect(warnings).toHaveLength(1)

  // The clock is right again, then a little behind: retention uses the smaller of clock and newest
  // block.
  await storeBlock(3, 0)
  expect([writer.status().retentionHeld, (await dumped())[3]]).toEqual([null, 4])
  await storeBlock(4, -dayS)
  expect((await dumped())[3]).toBe(5)
  await storeBlock(4, -40 * dayS)
  await storeBlock(4, 10)
  expect([writer.status().retentionHeld, (await dumped())[3]]).toEqual([null, 4])
  await writer.close()
})

test('behavior: the log keeps entries that snapshots need, whatever their age', async () => {
  const dayS = 86_400
  const nowS = startS + 10 * dayS
  const writer = await openWriter({ limits: { retentionEveryS: 0 } })
  const tape = createWriteSequence(chainId)
  for (let day = 0; day < 10; day++)
    writer.append(tape.commit({ timeS: startS + day * dayS, nowS, isFinal: true }))
  await writer.flush()
  const seqs = async () => {
    const found: number[] = []
    for await (const { seq } of store.readLog(chainId, 0)) found.push(seq)
    return found
  }
  expect(await seqs()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])

  const head = { chainId, number: 0, hash: '', format: 1 }
  await store.saveSnapshot({ ...head, seq: 4 }, [Buffer.from('a')])
  await store.saveSnapshot({ ...head, seq: 8 }, [Buffer.from('b')])
  writer.append(tape.commit({ timeS: startS + 10 * dayS, nowS, isFinal: true }))
  await writer.flush()
  await writer.close()
  expect(await seqs()).toEqual([4, 5, 6, 7, 8, 9, 10, 11])
})

test('behavior: a snapshot is stored although deleting old ones takes longer than a query may', async () => {
  const hurried = createStore({ connection, logger: silentLogger, limits: { readTimeoutMs: 300 } })
  const save = (seq: number) =>
    hurried.saveSnapshot({ chainId, seq, number: seq, hash: '', format: 1 }, [Buffer.from('a')])
  for (const seq of [1, 2, 3]) await save(seq)
  await withClient(connection, (client) =>
    client.query(`
      CREATE FUNCTION take_long() RETURNS trigger AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN OLD; END $$ LANGUAGE plpgsql;
      CREATE TRIGGER take_long BEFORE DELETE ON snapshot_chunks FOR EACH ROW EXECUTE FUNCTION take_long()`),
  )
  await save(4)
  const seqs: number[] = []
  for await (const { seq } of hurried.readSnapshots(chainId)) seqs.push(seq)
  // The newest two snapshots, and the first of the day.
  expect(seqs).toEqual([4, 3, 1])
  await hurried.close()
})

test('error: a snapshot is stored although old ones cannot be deleted', async () => {
  await withClient(connection, (client) =>
    client.query(`
      CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE 'no'; END $$ LANGUAGE plpgsql;
      CREATE TRIGGER refuse BEFORE DELETE ON snapshot_chunks FOR EACH ROW EXECUTE FUNCTION refuse()`),
  )
  const head = { chainId, hash: '', format: 1 }
  for (const seq of [1, 2, 3, 4])
    await store.saveSnapshot({ ...head, seq, number: seq }, [Buffer.from('a')])
  expect(await store.newestSnapshotSeq(chainId)).toBe(4)
})
