import { expect, test } from 'vitest'
import type { LogEntry } from '../../model/logEntry.ts'
import { createRecentEntries } from './recentEntries.ts'

function commit(number: number, fork = ''): LogEntry {
  const ref = { number, hash: `${number}${fork}`, parentHash: '', timeS: number }
  const block = { ref, receivedMs: 0, tokens: [], pairs: [], events: [], supplies: [] }
  return { type: 'commit', block: { ...block, nativeUsd: null } }
}

function revert(number: number, fork = ''): LogEntry {
  return {
    type: 'revert',
    ref: { number, hash: `${number}${fork}`, parentHash: '', timeS: number },
  }
}

function createRecent(...entries: LogEntry[]) {
  const recent = createRecentEntries({ seq: 100, number: 9 })
  const applyAll = (more: readonly LogEntry[]) => {
    for (const entry of more) recent.applied(entry, [])
  }
  applyAll(entries)
  return { ...recent, apply: (...more: LogEntry[]) => applyAll(more) }
}

function hashes(view: ReturnType<ReturnType<typeof createRecentEntries>['open']>) {
  return view.blocks()?.map(({ ref }) => ref.hash) ?? null
}

test('default: the cut is what was stored before, and the blocks are those applied since', () => {
  const recent = createRecent(commit(10), commit(11))
  const view = recent.open()
  expect(view.cutNumber).toBe(9)
  expect(hashes(view)).toEqual(['10', '11'])
})

test('behavior: persisting moves the cut for views to come, not for those that are open', () => {
  const recent = createRecent(commit(10), commit(11), commit(12))
  const before = recent.open()
  recent.persisted(102)
  const after = recent.open()
  expect([before.cutNumber, hashes(before)]).toEqual([9, ['10', '11', '12']])
  expect([after.cutNumber, hashes(after)]).toEqual([11, ['12']])
})

test('behavior: an open view sees the blocks applied after it', () => {
  const recent = createRecent(commit(10))
  const view = recent.open()
  recent.apply(commit(11))
  recent.persisted(102)
  expect(hashes(view)).toEqual(['10', '11'])
})

test('behavior: a closed view lets its blocks go', () => {
  const recent = createRecent(commit(10), commit(11))
  const view = recent.open()
  recent.persisted(102)
  view.close()
  expect(hashes(view)).toEqual([])
})

test('behavior: other entries count in the sequence', () => {
  const finalize: LogEntry = { type: 'finalize', ref: { number: 9, hash: '9' } }
  const recent = createRecent(commit(10), finalize, commit(11))
  recent.persisted(102)
  expect(recent.open().cutNumber).toBe(10)
  recent.persisted(103)
  expect(recent.open().cutNumber).toBe(11)
})

test('behavior: a block taken back before it was stored leaves nothing', () => {
  const recent = createRecent(commit(10), commit(11), revert(11), commit(11, 'b'))
  const view = recent.open()
  expect([view.cutNumber, hashes(view)]).toEqual([9, ['10', '11b']])
})

test('behavior: what is stored of a block that was taken back is under no cut', () => {
  const recent = createRecent(commit(10), commit(11), revert(11), commit(11, 'b'))
  // The store has the old block 11 now, and not yet its revert.
  recent.persisted(102)
  expect([recent.open().cutNumber, hashes(recent.open())]).toEqual([10, ['11b']])
  recent.persisted(104)
  expect([recent.open().cutNumber, hashes(recent.open())]).toEqual([11, []])
})

test('behavior: a stored block that is taken back lowers the cut', () => {
  const recent = createRecent(commit(10), commit(11))
  recent.persisted(102)
  recent.apply(revert(11), revert(10), commit(10, 'b'))
  expect([recent.open().cutNumber, hashes(recent.open())]).toEqual([9, ['10b']])
})

test('behavior: a view below whose cut a block is taken back gives nothing', () => {
  const recent = createRecent(commit(10), commit(11))
  recent.persisted(102)
  const view = recent.open()
  recent.apply(revert(11), commit(11, 'b'))
  expect(hashes(view)).toBe(null)
  expect(hashes(recent.open())).toEqual(['11b'])
})
