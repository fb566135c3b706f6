import type { ClientBase } from 'pg'
import { expect, test } from 'vitest'
import { createRequiredSeqs, type Store } from './openStore.ts'
import { createPrimaryReads } from './replicaReads.ts'

/** A server with these entries of chains; `asked` counts its statements. */
function openServer(seqs: Record<number, number>) {
  const server = { asked: 0 }
  const client = {
    async query(_: string, [ids]: [number[]]) {
      server.asked += 1
      const known = ids.filter((chain) => seqs[chain] !== undefined)
      return { rows: known.map((chain) => ({ chain, seq: seqs[chain] })) }
    },
  }
  return Object.assign(server, { client: client as unknown as ClientBase })
}

test('a floor starts at 0, rises, and never falls', () => {
  const floor = createRequiredSeqs({ isFilled: true })
  expect(floor.of(1)).toBe(0)
  floor.raise(1, 7)
  floor.raise(1, 5)
  floor.raise(2, 3)
  expect([floor.of(1), floor.of(2), floor.of(3)]).toEqual([7, 3, 0])
})

test.each([true, false])(
  'a server that lacks an entry is refused; waiting helps where it is filled: %s',
  async (isFilled) => {
    const floor = createRequiredSeqs({ isFilled })
    const fresh = openServer({ 1: 0 })
    await floor.check(fresh.client)
    expect(fresh.asked).toBe(0)
    floor.raise(1, 7)
    floor.raise(2, 3)
    await floor.check(openServer({ 1: 7, 2: 4 }).client)
    await floor.check(openServer({ 2: 3 }).client)
    await expect(floor.check(openServer({ 1: 6, 2: 3 }).client)).rejects.toMatchObject({
      code: 'STORE_BEHIND',
      retryable: isFilled,
    })
    await expect(floor.check(openServer({ 1: 7, 2: 2 }).client)).rejects.toMatchObject({
      code: 'STORE_BEHIND',
    })
  },
)

test('rows settle as far as both the store and memory have them', async () => {
  const floor = createRequiredSeqs({ isFilled: true })
  const cursor = { seq: 9, number: 4, hash: 'h' }
  const store = { loadCursor: async () => cursor } as unknown as Store
  const reads = createPrimaryReads(store, floor)
  reads.startAt(1, 2)
  expect(floor.of(1)).toBe(2)
  expect(await reads.usableCursor(1, 6)).toBe(cursor)
  expect(floor.of(1)).toBe(6)
  expect(await reads.usableCursor(1, 12)).toBe(cursor)
  expect(floor.of(1)).toBe(9)
})
