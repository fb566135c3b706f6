import { expect, test } from 'vitest'
import type { Store } from '../../packages/server/src/store/openStore.ts'
import { dumpTables, type TestConnection } from '../support/postgres.ts'
import { createWriteSequence, pairRecord } from '../support/storeWrites.ts'
import { useStore } from '../support/useStore.ts'

let connection: TestConnection
let store: Store
let chainId: number

const openWriter = useStore((opened) => {
  ;({ connection, store, chainId } = opened)
})

test('behavior: records are found by address', async () => {
  const writer = await openWriter()
  const pair = { ...pairRecord(3), feePpm: null, platform: 'curve' }
  const launch = { type: 'launch', state: 'graduated', tokenId: 0, pairId: 3 } as const
  const tape = createWriteSequence(chainId)
  writer.append(tape.commit({ events: [{ type: 'pair', pair }, launch] }))
  await writer.flush()
  expect(await store.findPairs(chainId, ['pair3', 'other'])).toEqual([pair])
  expect(await dumpTables(connection, ['launches'])).toEqual({
    launches: [`(${chainId},0,graduated,3,0,${tape.head()!.timeS})`],
  })
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
  writer.append(createWriteSequence(chainId).commit({ events }))
  await writer.flush()
  const list = { kind: 'concentrated', limit: 2 } as const
  const [first, , second, , third] = pairs.map(({ id, address }) => ({ id, address }))
  expect(await store.listPairs(chainId, { ...list, afterId: -1 })).toEqual([first, second])
  expect(await store.listPairs(chainId, { ...list, afterId: 2 })).toEqual([third])
  expect(await store.listPairs(chainId + 1, { ...list, afterId: -1 })).toEqual([])
})
