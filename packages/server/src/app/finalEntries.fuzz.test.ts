import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BlockRef } from '../model/block.ts'
import type { LogEntry } from '../model/logEntry.ts'
import { FinalEntries } from './finalEntries.ts'

type Step =
  | { type: 'commit' }
  | { type: 'persisted' }
  | { type: 'late'; at: number }
  | { type: 'finalize'; at: number }
  | { type: 'revert'; depth: number }
type Row = { seq: number; entry: LogEntry; name: string }

/** What a chain may do next; the numbers choose among what is possible. */
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 5, arbitrary: fc.record({ type: fc.constant('commit' as const) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('late' as const), at: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('revert' as const), depth: fc.nat(4) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('finalize' as const), at: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('persisted' as const) }) },
  ),
  { minLength: 1, maxLength: 60 },
)

function commitOf(ref: BlockRef): LogEntry {
  const block = { ref, receivedMs: 0, tokens: [], pairs: [], events: [], supplies: [] }
  return { type: 'commit', block: { ...block, nativeUsd: null } }
}

/** A log as a pipeline writes it: late facts of any block that stands, reverts of blocks that are not final. */
function logOf(plan: readonly Step[]) {
  const rows: Row[] = []
  const chain: BlockRef[] = []
  let finalized = -1
  let made = 0
  const push = (entry: LogEntry, name: string) =>
    rows.push({ seq: rows.length + 1, entry, name: `${rows.length + 1} ${name}` })
  for (const step of plan) {
    const head = chain.at(-1)
    if (step.type === 'commit') {
      const number = (head?.number ?? -1) + 1
      const ref = { number, hash: `h${made++}`, parentHash: head?.hash ?? '', timeS: number }
      chain.push(ref)
      push(commitOf(ref), `commit ${ref.hash}`)
    } else if (step.type === 'persisted') {
      push({ type: 'persisted', number: head?.number ?? -1 }, 'persisted')
    } else if (chain.length === 0) {
    } else if (step.type === 'late') {
      const ref = chain[step.at % chain.length]!
      push({ type: 'late', facts: { ref, tokens: [], supplies: [] } }, `late ${ref.hash}`)
    } else if (step.type === 'finalize') {
      const ref = chain[step.at % chain.length]!
      if (ref.number <= finalized) continue
      finalized = ref.number
      push({ type: 'finalize', ref }, `finalize ${ref.hash}`)
    } else {
      for (let depth = step.depth; depth > 0 && chain.at(-1)!.number > finalized; depth -= 1) {
        const ref = chain.pop()!
        push({ type: 'revert', ref }, `revert ${ref.hash}`)
        if (chain.length === 0) break
      }
    }
  }
  return { rows, chain, finalized }
}

/** Entries that stand in the end and can never be taken back, in log order. */
function modelOf({ rows, chain, finalized }: ReturnType<typeof logOf>): string[] {
  const final = new Set(chain.filter(({ number }) => number <= finalized).map(({ hash }) => hash))
  const standing = rows.filter(({ entry, name }) => {
    if (entry.type !== 'commit' && entry.type !== 'late') return false
    return final.has(name.split(' ').at(-1)!)
  })
  // In order: what stands behind a block that may still be taken back waits for it.
  const open = rows.findIndex(({ entry, name }) => {
    if (entry.type !== 'commit' && entry.type !== 'late') return false
    const hash = name.split(' ').at(-1)!
    return chain.some((ref) => ref.hash === hash && ref.number > finalized)
  })
  const firstOpenSeq = open < 0 ? Number.POSITIVE_INFINITY : rows[open]!.seq
  return standing.filter(({ seq }) => seq < firstOpenSeq).map(({ name }) => name)
}

const finalOf = (entry: LogEntry) => (entry.type === 'finalize' ? entry.ref.number : -1)

function released(reader: FinalEntries, rows: readonly Row[]): string[] {
  const names = new Map(rows.map(({ entry, name }) => [entry, name]))
  return rows
    .flatMap(({ seq, entry }) => reader.put(seq, entry))
    .filter(({ type }) => type !== 'finalize')
    .map((entry) => names.get(entry)!)
}

test('behavior: exactly what can never be taken back, in log order', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const log = logOf(plan)
      expect(released(new FinalEntries(0, -1), log.rows)).toEqual(modelOf(log))
    }),
    { numRuns: 2_000 },
  )
})

test('behavior: a reader that goes on after appliedSeq misses nothing and sees nothing twice', () => {
  fc.assert(
    fc.property(steps, fc.nat(), (plan, cut) => {
      const log = logOf(plan)
      const first = new FinalEntries(0, -1)
      const at = cut % (log.rows.length + 1)
      const early = released(first, log.rows.slice(0, at))
      const { appliedSeq } = first
      const finals = log.rows.slice(0, at).map(({ entry }) => finalOf(entry))
      const second = new FinalEntries(appliedSeq, Math.max(-1, ...finals))
      expect(appliedSeq).toBeLessThanOrEqual(at)
      const rest = log.rows.filter(({ seq }) => seq > appliedSeq)
      // All that was let through lies before the cut, all that was not lies behind it or was taken back.
      expect(early.every((name) => Number(name.split(' ')[0]) <= appliedSeq)).toBe(true)
      expect([...early, ...released(second, rest)]).toEqual(modelOf(log))
    }),
    { numRuns: 2_000 },
  )
})
