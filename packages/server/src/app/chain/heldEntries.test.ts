import { expect, test } from 'vitest'
import type { LogEntry } from '../../model/logEntry.ts'
import type { HandedEntry } from '../pipeline/handedEntry.ts'
import { createHeldEntries } from './heldEntries.ts'

function entryOf(type: LogEntry['type'], number: number): HandedEntry {
  const ref = { number, hash: `${number}`, parentNumber: number - 1, parentHash: '', timeS: 0 }
  return { type, ref, bytes: new Uint8Array(), changes: null, isFinal: false }
}

function open(last: { number: number }) {
  const applied: string[] = []
  const held = createHeldEntries({
    mayApply: (number) => number <= last.number,
    apply: (entries) => applied.push(...entries.map(({ type, ref }) => `${type} ${ref.number}`)),
  })
  return { held, applied }
}

test('default: what may be applied is, at once', () => {
  const { held, applied } = open({ number: 9 })
  held.put([entryOf('commit', 1), entryOf('late', 1), entryOf('commit', 2)])
  expect(applied).toEqual(['commit 1', 'late 1', 'commit 2'])
})

test('behavior: behind a block that may not be applied all wait, in order', () => {
  const last = { number: 1 }
  const { held, applied } = open(last)
  held.put([entryOf('commit', 1), entryOf('commit', 2), entryOf('revert', 2)])
  held.put([entryOf('commit', 2), entryOf('finalize', 1)])
  held.proceed()
  expect(applied).toEqual(['commit 1'])
  last.number = 2
  held.proceed()
  held.proceed()
  expect(applied).toEqual(['commit 1', 'commit 2', 'revert 2', 'commit 2', 'finalize 1'])
})
