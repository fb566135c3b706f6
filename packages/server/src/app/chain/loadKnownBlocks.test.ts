import { expect, test } from 'vitest'
import { encodeUndo } from '../../ledger/undo.ts'
import { encodeEntry } from '../../log/entryCodec.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LogEntry } from '../../model/logEntry.ts'
import type { PairRecord } from '../../model/pair.ts'
import type { TokenRecord } from '../../model/token.ts'
import type { LogBlocksQuery } from '../../store/read/log.ts'
import { loadKnownBlocks, loadOlderBlocks } from './loadKnownBlocks.ts'

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

test('default: loads every block between the final block and the known blocks', async () => {
  const known = range(93, 100)
  const options = { known, finalizedNumber: 60, countMax: 1_000 }
  expect(await load(range(1, 92), options)).toEqual(range(61, 92))
})

test('args: countMax', async () => {
  const options = { known: range(93, 100), finalizedNumber: -1, countMax: 20 }
  expect(await load(range(1, 92), options)).toEqual(range(81, 92))
})

test('behavior: loads none if the known blocks reach the final block', async () => {
  const options = { known: range(93, 100), finalizedNumber: 95, countMax: 20 }
  expect(await load(range(1, 92), options)).toEqual([])
  expect(await load(range(1, 92), { ...options, known: [] })).toEqual([])
})

test('behavior: stops at a gap or a broken parent link', async () => {
  const options = { known: range(93, 100), finalizedNumber: 60, countMax: 100 }
  expect(await load([...range(61, 79), ...range(81, 92)], options)).toEqual(range(81, 92))
  const other = { ...refAt(85), hash: 'other' }
  expect(await load([...range(61, 84), other, ...range(86, 92)], options)).toEqual(range(86, 92))
})

test('a known block names what it answered, in the block and in later facts', async () => {
  const supply = { tokenId: 3, total: 9n, burnt: 0n, locked: 0n, other: 0n, holders: 1 }
  const blockAt = (number: number): LogEntry => ({
    type: 'commit',
    block: {
      ref: refAt(number),
      receivedMs: 0,
      tokens: [],
      pairs: [],
      events: [],
      supplies: [],
      nativeUsd: null,
    },
  })
  const entries: LogEntry[] = [
    blockAt(1),
    blockAt(2),
    {
      type: 'late',
      facts: {
        ref: { number: 1, hash: 'h1' },
        tokens: [],
        supplies: [],
        creations: [{ pairId: 5, createdAtS: 7 }],
        tokenCreations: [{ tokenId: 6, createdAtS: 7 }],
      },
    },
    {
      type: 'late',
      facts: {
        ref: { number: 1, hash: 'h1' },
        tokens: [],
        supplies: [],
        shares: [{ pairId: 8, total: 1n }],
      },
    },
  ]
  const counted = (id: number, wasComplete: boolean) => ({
    before: { ...supply, tokenId: id, isComplete: wasComplete },
    after: { ...supply, tokenId: id, isComplete: true },
  })
  const undo = encodeUndo({
    changes: [],
    supplies: [counted(3, false), counted(4, true)],
    pools: [
      { pairId: 9, before: null, wasUnknown: true },
      { pairId: 10, before: null, wasUnknown: false },
    ],
    unreportedAfter: null,
  })
  const noUndo = encodeUndo({ changes: [], supplies: [], pools: [], unreportedAfter: null })
  const store = {
    readLogTail: async () => [
      { seq: 1, undo },
      { seq: 2, undo: noUndo },
    ],
    async *readLog() {
      for (const [at, entry] of entries.entries()) yield { seq: at + 1, bytes: encodeEntry(entry) }
    },
  }
  const known = await loadKnownBlocks(store as never, 1, 2, {
    pairById: (id) => ({ id, createdAtS: 7 }) as PairRecord,
    tokenById: (id) => ({ id }) as TokenRecord,
  })
  expect(known.map(({ ref }) => ref.number)).toEqual([1, 2])
  expect(known[0]!.created.answeredQuestions).toEqual({
    incompleteTokens: [{ id: 3 }],
    unknownPools: [{ id: 9, createdAtS: 7 }],
    uncreatedPairs: [{ id: 5, createdAtS: 0 }],
    uncreatedTokens: [{ id: 6 }],
    unsharedPairs: [{ id: 8, createdAtS: 7 }],
  })
  expect(known[1]!.created.answeredQuestions).toEqual({ incompleteTokens: [], unknownPools: [] })
})
