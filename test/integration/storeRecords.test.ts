import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { silentLogger } from '../support/postgres.ts'
import { createTape, pairRecord } from '../support/storeWrites.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

let postgres: TestPostgres
let store: Store
let chainId: number

beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres.stop())

beforeEach(async () => {
  store = await openStore({ connection: await postgres.createDatabase(), logger: silentLogger })
  chainId = await store.ensureChain('local')
  return () => store.close()
})

const openWriter = () => store.openWriter({ chainId, chain: 'local' })

test('behavior: records are found by address', async () => {
  const writer = await openWriter()
  const pair = { ...pairRecord(3), feePpm: null, platform: 'curve' }
  const launch = { type: 'launch', state: 'graduated', tokenId: 0, pairId: 3 } as const
  const tape = createTape(chainId)
  expect(await store.maxIds(chainId)).toEqual({ tokenId: -1, pairId: -1 })
  writer.append(tape.commit({ events: [{ type: 'pair', pair }, launch] }))
  await writer.flush()
  expect(await store.findPairs(chainId, ['pair3', 'other'])).toEqual([pair])
  expect(await store.maxIds(chainId)).toEqual({ tokenId: -1, pairId: 3 })
  expect(await store.loadLaunches(chainId, [0])).toEqual([
    { tokenId: 0, state: 'graduated', pairId: 3, blockNumber: 0, timeS: tape.head()!.timeS },
  ])
})

test('behavior: pairs of one kind are listed by id, in pages', async () => {
  const writer = await openWriter()
  const kinds = [
    'concentrated',
    'curve',
    'concentrated',
    'constantProduct',
    'concentrated',
  ] as const
  const pairs = kinds.map((kind, id) => ({ ...pairRecord(id), kind }))
  const events = pairs.map((pair) => ({ type: 'pair', pair }) as const)
  writer.append(createTape(chainId).commit({ events }))
  await writer.flush()
  const list = { kind: 'concentrated', limit: 2 } as const
  const [first, , second, , third] = pairs.map(({ id, address }) => ({ id, address }))
  expect(await store.listPairs(chainId, { ...list, afterId: -1 })).toEqual([first, second])
  expect(await store.listPairs(chainId, { ...list, afterId: 2 })).toEqual([third])
  expect(await store.listPairs(chainId + 1, { ...list, afterId: -1 })).toEqual([])
})
