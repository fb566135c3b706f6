import { expect, test } from 'vitest'
import type { BlockRef } from '../../model/block.ts'
import type { LogBlocksQuery } from '../../store/read/log.ts'
import { loadOlderBlocks } from './loadKnownBlocks.ts'

const refAt = (number: number): BlockRef => ({
  number,
  hash: `h${number}`,
  parentNumber: number - 1,
  parentHash: `h${number - 1}`,
  timeS: number,
})
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => refAt(from + at))
const knownOf = (refs: readonly BlockRef[]) =>
  refs.map((ref) => ({ ref, undo: null, created: { tokens: [], pairs: [] } }))

function load(
  stored: readonly BlockRef[],
  options: { known: readonly BlockRef[]; finalizedNumber: number; countMax: number },
) {
  const store = {
    loadLogBlocks: async (_: number, { after, toNumber, limit }: LogBlocksQuery) =>
      stored
        .filter(({ number }) => number > after && number <= toNumber)
        .reverse()
        .slice(0, limit),
  }
  return loadOlderBlocks(store, { chainId: 1, ...options, known: knownOf(options.known) })
}

test('default: all between the final block and the known ones', async () => {
  const known = range(93, 100)
  const options = { known, finalizedNumber: 60, countMax: 1_000 }
  expect(await load(range(1, 92), options)).toEqual(range(61, 92))
})

test('args: countMax', async () => {
  const options = { known: range(93, 100), finalizedNumber: -1, countMax: 20 }
  expect(await load(range(1, 92), options)).toEqual(range(81, 92))
})

test('behavior: none when the known ones reach as deep', async () => {
  const options = { known: range(93, 100), finalizedNumber: 95, countMax: 20 }
  expect(await load(range(1, 92), options)).toEqual([])
  expect(await load(range(1, 92), { ...options, known: [] })).toEqual([])
})

test('behavior: ends where the log has a hole or does not link', async () => {
  const options = { known: range(93, 100), finalizedNumber: 60, countMax: 100 }
  expect(await load([...range(61, 79), ...range(81, 92)], options)).toEqual(range(81, 92))
  const other = { ...refAt(85), hash: 'other' }
  expect(await load([...range(61, 84), other, ...range(86, 92)], options)).toEqual(range(86, 92))
})
