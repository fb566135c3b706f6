import { expect, test } from 'vitest'
import {
  decodeChanges,
  decodeUndo,
  decodeUnreportedAfter,
  encodeChanges,
  encodeUndo,
} from './undo.ts'

test('error: damaged undo bytes', () => {
  const bytes = encodeUndo({ changes: [], supplies: [], pools: [], unreportedAfter: null })
  expect(() => decodeUndo(bytes.subarray(0, 3))).toThrow('An undo record cannot be read')
  for (const text of ['1 x 0 0', '0 0 0 0'])
    expect(() => decodeUndo(new TextEncoder().encode(text))).toThrow('cannot be read')
})

test('error: undo bytes of a newer version', () => {
  const read = () => decodeUndo(new TextEncoder().encode('2 0 0 0 0'))
  expect(read).toThrow(
    expect.objectContaining({
      code: 'LEDGER_UNDO_TOO_NEW',
      meta: expect.arrayContaining(['An undo record has version: 2', 'Newest known here: 1']),
    }),
  )
})

test('behavior: venue numbers are encoded and decoded', () => {
  const before = { reserve0: 1n, reserve1: 2n, priceRaw: 0.5 }
  const pools = [
    { pairId: 1, before: { ...before, venueState: [5n, -(2n ** 200n)] }, wasUnknown: false },
    { pairId: 2, before, wasUnknown: true },
  ]
  const undo = { changes: [], supplies: [], pools, unreportedAfter: null }
  expect(decodeUndo(encodeUndo(undo))).toEqual(undo)
})

test('behavior: balance changes are read from an undo record or from a final block', () => {
  const changes = [
    { tokenId: 3, wallet: '0xa', before: 0n, after: 2n ** 200n },
    { tokenId: 4, wallet: '0xb', before: 17n, after: 0n },
  ]
  const supply = {
    tokenId: 3,
    total: 9n,
    burnt: 0n,
    locked: 0n,
    other: 0n,
    holders: 1,
    isComplete: true,
  }
  const undo = {
    changes,
    supplies: [{ before: null, after: supply }],
    pools: [],
    unreportedAfter: null,
  }
  expect(decodeChanges(encodeUndo(undo))).toEqual(changes)
  expect(decodeChanges(encodeChanges(changes))).toEqual(changes)
  const text = new TextDecoder().decode(encodeChanges(changes))
  for (const wrong of [text.slice(0, -2), text.replace(' 11 ', ' 1x ')])
    expect(() => decodeChanges(new TextEncoder().encode(wrong))).toThrow('cannot be read')
})

test('behavior: pool states and their unknown marks are encoded and decoded', () => {
  const before = { reserve0: 2n ** 130n, reserve1: 0n, priceRaw: 1.5 }
  const pools = [before, null].flatMap((state, i) => [
    { pairId: 2 * i, before: state, wasUnknown: false },
    { pairId: 2 * i + 1, before: state, wasUnknown: true },
  ])
  const undo = { changes: [], supplies: [], pools, unreportedAfter: null }
  expect(decodeUndo(encodeUndo(undo))).toEqual(undo)
})

test('behavior: the block after which changes are unreported is encoded and decoded', () => {
  const changes = [{ tokenId: 3, wallet: '0xa', before: 0n, after: 5n }]
  const told = { changes, supplies: [], pools: [], unreportedAfter: null }
  expect(new TextDecoder().decode(encodeUndo(told))).toBe('1 1 0 0 0 3 0xa 0 5')
  expect(decodeUnreportedAfter(encodeUndo(told))).toBe(null)
  const untold = { ...told, unreportedAfter: { number: 7, hash: '0xb7' } }
  expect(decodeUndo(encodeUndo(untold))).toEqual(untold)
  expect(decodeUnreportedAfter(encodeUndo(untold))).toEqual({ number: 7, hash: '0xb7' })
  expect(decodeChanges(encodeUndo(untold))).toEqual(changes)
})
