import { expect, test } from 'vitest'
import type { LogEntry } from '../../model/logEntry.ts'
import { RecentBlocks, type RecentBlocksView } from './recentBlocks.ts'

const hashOf = (number: number, fork: string) => `${number}${fork}`

/** A block of a fork. All forks part at block 11. */
function refOf(number: number, fork: string) {
  const parentHash = hashOf(number - 1, number > 11 ? fork : '')
  return { number, hash: hashOf(number, fork), parentNumber: number - 1, parentHash, timeS: number }
}

function commit(number: number, fork = ''): LogEntry {
  const block = { receivedMs: 0, tokens: [], pairs: [], events: [], supplies: [] }
  return { type: 'commit', block: { ref: refOf(number, fork), ...block, nativeUsd: null } }
}

function revert(number: number, fork = ''): LogEntry {
  return { type: 'revert', ref: refOf(number, fork) }
}

function createRecent(...entries: LogEntry[]) {
  const limits = { recentBlocksMax: 0 }
  const recent = new RecentBlocks({ seq: 100, number: 9, reorgDepthMax: 1, limits })
  let seq = 100
  const apply = (...more: LogEntry[]) => {
    for (const entry of more) {
      seq += 1
      recent.applied({ seq, entry, events: [] })
    }
  }
  apply(...entries)
  return {
    apply,
    open: () => recent.openView(),
    persisted: (stored: number) => recent.persisted(stored),
    kept: () => [...recent.blocksFrom(0)].map(({ ref }) => ref.hash),
    recent,
  }
}

function hashes(view: RecentBlocksView) {
  return view.blocks()?.map(({ ref }) => ref.hash) ?? null
}

test('default: the cut is at the last stored block, and blocks applied since are above it', () => {
  const recent = createRecent(commit(10), commit(11))
  const view = recent.open()
  expect(view.cutNumber).toBe(9)
  expect(hashes(view)).toEqual(['10', '11'])
})

test('behavior: persisting moves the cut of new views, not of open ones', () => {
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

test('behavior: closing a view releases its blocks', () => {
  const recent = createRecent(commit(10), commit(11))
  const view = recent.open()
  recent.persisted(102)
  recent.apply(commit(12))
  expect(recent.kept()).toEqual(['10', '11', '12'])
  view.close()
  recent.apply(commit(13))
  expect(recent.kept()).toEqual(['12', '13'])
})

test('behavior: a stored block stays in memory until it is final', () => {
  const recent = new RecentBlocks({
    seq: 0,
    number: -1,
    reorgDepthMax: 2,
    limits: { recentBlocksMax: 0 },
  })
  const kept = () => [...recent.blocksFrom(0)].map(({ ref }) => ref.number)
  let seq = 0
  const apply = (entry: LogEntry) => {
    seq += 1
    recent.applied({ seq, entry, events: [] })
    recent.persisted(seq)
  }
  for (const number of [1, 2, 3, 4]) apply(commit(number))
  expect(kept()).toEqual([3, 4])
  apply({ type: 'finalize', ref: { number: 4, hash: '4' } })
  apply(commit(5))
  expect(kept()).toEqual([5])
})

test('behavior: the block that the newest entry reverted is available, older ones are not', () => {
  const { recent, apply } = createRecent(commit(10), commit(11))
  expect(recent.lastReverted).toBe(null)
  apply(revert(11))
  expect(recent.lastReverted?.ref.hash).toBe('11')
  apply(commit(11, 'b'))
  expect(recent.lastReverted).toBe(null)
})

test('behavior: seq continues after that of a replaced chain, while persisted() takes log sequences', () => {
  const recent = new RecentBlocks({ seq: 0, number: -1, reorgDepthMax: 2, afterSeq: 5_000 })
  expect(recent.seq).toBe(5_000)
  recent.applied({ seq: 1, entry: commit(1), events: [] })
  recent.applied({ seq: 2, entry: commit(2), events: [] })
  expect([recent.first?.seq, recent.seq]).toEqual([5_001, 5_002])
  recent.persisted(1)
  expect(recent.openView().cutNumber).toBe(1)
})

test('behavior: entries other than commits count in seq', () => {
  const finalize: LogEntry = { type: 'finalize', ref: { number: 9, hash: '9' } }
  const recent = createRecent(commit(10), finalize, commit(11))
  recent.persisted(102)
  expect(recent.open().cutNumber).toBe(10)
  recent.persisted(103)
  expect(recent.open().cutNumber).toBe(11)
})

test('behavior: a block reverted before it was stored leaves nothing', () => {
  const recent = createRecent(commit(10), commit(11), revert(11), commit(11, 'b'))
  const view = recent.open()
  expect([view.cutNumber, hashes(view)]).toEqual([9, ['10', '11b']])
})

test('behavior: stored rows of a reverted block are never below the cut', () => {
  const recent = createRecent(commit(10), commit(11), revert(11), commit(11, 'b'))
  // The store has the old block 11 now, but not its revert yet.
  recent.persisted(102)
  expect([recent.open().cutNumber, hashes(recent.open())]).toEqual([10, ['11b']])
  recent.persisted(104)
  expect([recent.open().cutNumber, hashes(recent.open())]).toEqual([11, []])
})

test('behavior: reverting a stored block lowers the cut', () => {
  const recent = createRecent(commit(10), commit(11))
  recent.persisted(102)
  recent.apply(revert(11), revert(10), commit(10, 'b'))
  expect([recent.open().cutNumber, hashes(recent.open())]).toEqual([9, ['10b']])
})

test('behavior: a view is void if a block below its cut is reverted', () => {
  const recent = createRecent(commit(10), commit(11))
  recent.persisted(102)
  const view = recent.open()
  recent.apply(revert(11), commit(11, 'b'))
  expect(hashes(view)).toBe(null)
  expect(hashes(recent.open())).toEqual(['11b'])
})

test('behavior: where numbers skip, reverting a block moves the cut to its parent', () => {
  const recent = new RecentBlocks({ seq: 0, number: -1, reorgDepthMax: 9 })
  const link = (number: number, parentNumber: number, fork = '') => {
    const refs = { hash: hashOf(number, fork), parentNumber, parentHash: hashOf(parentNumber, '') }
    return { number, ...refs, timeS: number }
  }
  const lists = { tokens: [], pairs: [], events: [], supplies: [], nativeUsd: null, receivedMs: 0 }
  const chain = [link(3, -1), link(7, 3), link(8, 7), link(20, 8)]
  for (const [at, ref] of chain.entries())
    recent.applied({ seq: at + 1, entry: { type: 'commit', block: { ref, ...lists } }, events: [] })
  recent.persisted(4)
  const view = recent.openView()
  expect([view.cutNumber, hashes(view)]).toEqual([20, []])
  recent.applied({ seq: 5, entry: { type: 'revert', ref: chain[3]! }, events: [] })
  expect(hashes(view)).toBe(null)
  const ref = link(19, 8, 'b')
  recent.applied({ seq: 6, entry: { type: 'commit', block: { ref, ...lists } }, events: [] })
  expect([recent.openView().cutNumber, hashes(recent.openView())]).toEqual([8, ['19b']])
  expect(recent.find(19)?.parent).toEqual({ number: 8, hash: '8' })
  expect([recent.findUpTo(18)?.ref.number, recent.find(18)]).toEqual([8, undefined])
})
