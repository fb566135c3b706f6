import { expect, test } from 'vitest'
import { createLogger } from '../lib/logger.ts'
import { StoreUnreachableError } from './errors.ts'
import { createRequiredSeqs, type Store } from './openStore.ts'
import { createReplicaReads } from './replicaReads.ts'

/** A server with entries up to `seq` that identifies itself and can be unreachable. */
function createServer(name: string) {
  const server = { seq: 0, isAway: false }
  const answer = <result>(value: result) =>
    server.isAway
      ? Promise.reject(new StoreUnreachableError({ where: name, cause: 'away' }))
      : Promise.resolve(value)
  const store = {
    loadCursor: () => answer({ seq: server.seq, number: server.seq }),
    loadSwaps: () => answer([name]),
  } as unknown as Store
  return Object.assign(server, { store })
}

function createReads(entriesMax = 10) {
  const primary = createServer('primary')
  const replica = createServer('replica')
  const floor = createRequiredSeqs({ isFilled: true })
  const reads = createReplicaReads({
    primary: primary.store,
    replica: replica.store,
    floor,
    logger: createLogger('silent'),
    entriesMax,
  })
  return {
    primary,
    replica,
    floor,
    begin: (seq: number) => reads.startAt(1, seq),
    settle: async (appliedSeq: number) => (await reads.usableCursor(1, appliedSeq)).seq,
    readFrom: async () => (await reads.store.loadSwaps({ chainId: 1 } as never))[0] as unknown,
  }
}

test('default: rows count as far as the replica has them, and are read there', async () => {
  const { primary, replica, begin, settle, readFrom } = createReads()
  primary.seq = 8
  replica.seq = 5
  begin(4)
  expect(await settle(9)).toBe(5)
  expect(await readFrom()).toBe('replica')
})

test('behavior: a replica that lacks what memory never had is not read until it has it', async () => {
  const { primary, replica, begin, settle, readFrom } = createReads()
  primary.seq = 8
  replica.seq = 5
  begin(7)
  // The boundary stays: the replica lacks the primary's later entries.
  expect(await settle(9)).toBe(7)
  expect(await readFrom()).toBe('primary')
  replica.seq = 7
  expect(await settle(9)).toBe(7)
  expect(await readFrom()).toBe('replica')
})

test('behavior: memory holds only so much for a replica that is behind, which is read again when it has what memory let go of', async () => {
  const { primary, replica, begin, settle, readFrom, floor } = createReads(10)
  begin(5)
  replica.seq = 5
  primary.seq = 16
  expect(await settle(15)).toBe(5)
  expect(await settle(16)).toBe(16)
  expect(await readFrom()).toBe('primary')
  expect(floor.of(1)).toBe(16)
  replica.seq = 15
  primary.seq = 20
  expect(await settle(20)).toBe(16)
  expect(await readFrom()).toBe('primary')
  replica.seq = 18
  expect(await settle(20)).toBe(18)
  expect(await readFrom()).toBe('replica')
})

test('behavior: no row counts that memory has not applied', async () => {
  const { replica, begin, settle, floor } = createReads()
  begin(3)
  replica.seq = 9
  await settle(6)
  expect(floor.of(1)).toBe(6)
})

test('behavior: a replica that is away costs no answer', async () => {
  const { primary, replica, begin, settle, readFrom } = createReads()
  begin(5)
  primary.seq = replica.seq = 6
  await settle(6)
  replica.isAway = true
  expect(await readFrom()).toBe('primary')
  primary.seq = 9
  expect(await settle(9)).toBe(6)
  replica.isAway = false
  replica.seq = 8
  expect(await settle(9)).toBe(8)
  expect(await readFrom()).toBe('replica')
})

test('error: what both cannot answer is an error', async () => {
  const { primary, replica, begin, settle, readFrom } = createReads()
  begin(1)
  primary.seq = replica.seq = 2
  await settle(2)
  primary.isAway = replica.isAway = true
  await expect(readFrom()).rejects.toThrow(StoreUnreachableError)
})
