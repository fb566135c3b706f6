import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { createEngine, restoreEngine } from '../engine.ts'
import { runsOf } from '../tables/bytes.ts'
import type { FormTable, SnapshotForm } from './formTypes.ts'
import { snapshotFormat } from './snapshotChanges.ts'
import { decodeForm, encodeForm } from './snapshotForm.ts'
import { rowOf } from './snapshotRows.ts'

const profile = { ...generatorProfile, reorgDepthMax: 0 }

/** As format 12 had it: the day of a pair is in its own row. */
function asBefore(form: SnapshotForm): SnapshotForm {
  const active = form.tables.get('activePairs')!
  const pairs = form.tables.get('pairs')!
  const days = active.columns.slice(2)
  const activeRow = pairs.columns.indexOf('activeRow')
  const pairRows = Array.from({ length: pairs.count }, (_, row) => {
    const own = rowOf(pairs, row)
    return [...own, ...rowOf(active, row === 0 ? 0 : own[activeRow]!).slice(2)]
  })
  const activeRows = Array.from({ length: active.count }, (_, row) =>
    rowOf(active, row).subarray(0, 2),
  )
  const tables = new Map(form.tables)
  tables.set('pairs', tableOf(pairs, [...pairs.columns, ...days], pairRows))
  tables.set('activePairs', tableOf(active, active.columns.slice(0, 2), activeRows))
  return { ...form, format: 12, tables }
}

function tableOf(
  table: FormTable,
  columns: readonly string[],
  rows: readonly Iterable<number>[],
): FormTable {
  const doubles = Float64Array.from(rows.flatMap((row) => [...row]))
  return { ...table, columns, runs: runsOf(new Uint8Array(doubles.buffer)) }
}

test('default: a snapshot of the format before gives the same market, and it goes on in the same way', () => {
  const generator = new BlockGenerator({ seed: 5, stepSMax: 90 })
  const engine = createEngine({ profile })
  for (let made = 0; made < 150; made += 1)
    engine.apply({ type: 'commit', block: generator.next() })
  const form = decodeForm(engine.snapshot(), snapshotFormat)
  expect(form.tables.get('activePairs')!.count).toBeGreaterThan(2)
  const restored = restoreEngine({ profile }, encodeForm(asBefore(form)))
  expect(restored.stateHash()).toBe(engine.stateHash())
  for (let made = 0; made < 50; made += 1) {
    const entry = { type: 'commit' as const, block: generator.next() }
    expect(restored.apply(entry)).toEqual(engine.apply(entry))
  }
  expect(restored.stateHash()).toBe(engine.stateHash())
})
