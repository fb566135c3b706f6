import { expect, test } from 'vitest'
import type { LogEntryRef } from '../../store/read/log.ts'
import { FinalEntryQueue } from './snapshotter.ts'

type Entry = Omit<LogEntryRef, 'seq'>

const placeOf = (seq: number, entry: Entry): LogEntryRef => ({ seq, ...entry })

const commit = (number: number, fork = ''): Entry => {
  return { type: 'commit', number, hash: `h${number}${fork}` }
}
const late = (number: number): Entry => ({ type: 'late', number, hash: `h${number}` })
const revert = (number: number): Entry => ({ type: 'revert', number, hash: `h${number}` })
const finalize = (number: number): Entry => ({ type: 'finalize', number, hash: `h${number}` })

/** Returns what each entry releases, as words, and the seq where a reader would continue. */
function read(entries: readonly Entry[], reader = new FinalEntryQueue(0, -1)) {
  return entries.map((entry, at) => {
    const words = reader.put(placeOf(at + 1, entry)).map((seq) => {
      const { type, hash } = placeOf(seq, entries[seq - 1]!)
      return type === 'finalize' ? type : `${type} ${hash}`
    })
    return [...words, reader.appliedSeq].join(', ')
  })
}

test('default: releases a block when it is final', () => {
  expect(read([commit(0), commit(1), finalize(0), finalize(1)])).toEqual([
    '0',
    '0',
    'commit h0, finalize, 1',
    'commit h1, finalize, 4',
  ])
})

test('behavior: skips a reverted block and releases its replacement', () => {
  expect(read([commit(0), commit(1), revert(1), commit(1, 'b'), finalize(1)])).toEqual([
    '0',
    '0',
    '0',
    '0',
    'commit h0, commit h1b, finalize, 5',
  ])
})

test('behavior: late facts wait for their block to be final', () => {
  expect(read([commit(0), late(0), finalize(0)])[2]).toBe('commit h0, late h0, finalize, 3')
  expect(read([commit(0), commit(1), late(1), revert(1), finalize(0)])[4]).toBe(
    'commit h0, finalize, 5',
  )
})

test('behavior: late facts of a final block keep their position in the log', () => {
  expect(read([commit(0), finalize(0), late(0)])[2]).toBe('late h0, 3')
  expect(read([commit(0), commit(1), finalize(0), late(0), finalize(1)])).toEqual([
    '0',
    '0',
    'commit h0, finalize, 1',
    '1',
    'commit h1, late h0, finalize, 5',
  ])
})

test('behavior: releases entries that waited for a block when it is reverted', () => {
  expect(read([commit(0), commit(1), finalize(0), late(0), revert(1)])[4]).toBe('late h0, 5')
})

test('behavior: a continuing reader knows the final block', () => {
  const reader = new FinalEntryQueue(7, 3)
  expect(reader.appliedSeq).toBe(7)
  expect(reader.put(placeOf(8, late(3)))).toEqual([8])
})

test('error: rejects a gap in the log', () => {
  expect(() => new FinalEntryQueue(7, 3).put(placeOf(9, late(3)))).toThrow('the log has no hole')
})
