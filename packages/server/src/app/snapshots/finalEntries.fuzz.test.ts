import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import type { BlockRef } from '../../model/block.ts'
import type { LogEntryRef } from '../../store/read/log.ts'
import { FinalEntryQueue } from './snapshotter.ts'

type Step =
  | { type: 'commit' }
  | { type: 'late'; at: number }
  | { type: 'finalize'; at: number }
  | { type: 'revert'; depth: number }
type Row = { place: LogEntryRef; name: string }

/** Possible next steps of a chain; the numbers choose among the options. */
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 5, arbitrary: fc.record({ type: fc.constant('commit' as const) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('late' as const), at: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('revert' as const), depth: fc.nat(4) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('finalize' as const), at: fc.nat() }) },
  ),
  { minLength: 1, maxLength: 60 },
)

/**
 * A log as a pipeline writes it: late facts of any canonical block, reverts only of unfinalized
 * blocks.
 */
function logOf(plan: readonly Step[]) {
  const rows: Row[] = []
  const chain: BlockRef[] = []
  let finalized = -1
  let made = 0
  const push = (type: LogEntryRef['type'], { number, hash }: { number: number; hash: string }) => {
    const seq = rows.length + 1
    rows.push({ place: { seq, type, number, hash }, name: `${seq} ${type} ${hash}` })
  }
  for (const step of plan) {
    const head = chain.at(-1)
    if (step.type === 'commit') {
      const number = (head?.number ?? -1) + 1
      const parent = { parentNumber: head?.number ?? -1, parentHash: head?.hash ?? '' }
      const ref = { number, hash: `h${made++}`, ...parent, timeS: number }
      chain.push(ref)
      push('commit', ref)
    } else if (chain.length === 0) {
    } else if (step.type === 'late') {
      const ref = chain[step.at % chain.length]!
      push('late', ref)
    } else if (step.type === 'finalize') {
      const ref = chain[step.at % chain.length]!
      if (ref.number <= finalized) continue
      finalized = ref.number
      push('finalize', ref)
    } else {
      for (let depth = step.depth; depth > 0 && chain.at(-1)!.number > finalized; depth -= 1) {
        const ref = chain.pop()!
        push('revert', ref)
        if (chain.length === 0) break
      }
    }
  }
  return { rows, chain, finalized }
}

/** Returns the canonical entries that can never be reverted, in log order. */
function modelOf({ rows, chain, finalized }: ReturnType<typeof logOf>): string[] {
  const final = new Set(chain.filter(({ number }) => number <= finalized).map(({ hash }) => hash))
  const standing = rows.filter(
    ({ place: { type, hash } }) => (type === 'commit' || type === 'late') && final.has(hash),
  )
  // Entries after one that may still be reverted must wait for it.
  const open = rows.findIndex(({ place: { type, hash } }) => {
    if (type !== 'commit' && type !== 'late') return false
    return chain.some((ref) => ref.hash === hash && ref.number > finalized)
  })
  const firstOpenSeq = open < 0 ? Number.POSITIVE_INFINITY : rows[open]!.place.seq
  return standing.filter(({ place }) => place.seq < firstOpenSeq).map(({ name }) => name)
}

const finalOf = ({ place }: Row) => (place.type === 'finalize' ? place.number : -1)

function released(reader: FinalEntryQueue, rows: readonly Row[], all = rows): string[] {
  const bySeq = new Map(all.map((row) => [row.place.seq, row]))
  return rows
    .flatMap(({ place }) => reader.put(place))
    .map((seq) => bySeq.get(seq)!)
    .filter(({ place }) => place.type !== 'finalize')
    .map(({ name }) => name)
}

test('behavior: releases exactly what can never be reverted, in log order', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const log = logOf(plan)
      expect(released(new FinalEntryQueue(0, -1), log.rows)).toEqual(modelOf(log))
    }),
    { numRuns: propertyRuns(2_000) },
  )
})

test('behavior: a reader that continues after appliedSeq misses nothing and repeats nothing', () => {
  fc.assert(
    fc.property(steps, fc.nat(), (plan, cut) => {
      const log = logOf(plan)
      const first = new FinalEntryQueue(0, -1)
      const at = cut % (log.rows.length + 1)
      const early = released(first, log.rows.slice(0, at))
      const { appliedSeq } = first
      const finals = log.rows.slice(0, at).map(finalOf)
      const second = new FinalEntryQueue(appliedSeq, Math.max(-1, ...finals))
      expect(appliedSeq).toBeLessThanOrEqual(at)
      const rest = log.rows.filter(({ place }) => place.seq > appliedSeq)
      // Released entries lie before the cut; entries not released lie after it or were reverted.
      expect(early.every((name) => Number(name.split(' ')[0]) <= appliedSeq)).toBe(true)
      expect([...early, ...released(second, rest)]).toEqual(modelOf(log))
    }),
    { numRuns: propertyRuns(2_000) },
  )
})
