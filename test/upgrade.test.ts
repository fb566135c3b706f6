// This version reads the stores of earlier versions. From 1.0.0 on, fixtures must stay as they were
// written.
import { expect, test } from 'vitest'
import { createEngine, restoreEngine } from '../packages/server/src/engine/engine.ts'
import { snapshotFormat } from '../packages/server/src/engine/snapshot/snapshotChanges.ts'
import { decodeSnapshot } from '../packages/server/src/engine/snapshot/snapshotEncoding.ts'
import { decodeUndo, encodeUndo, undoVersion } from '../packages/server/src/ledger/undo.ts'
import { decodeEntry, encodeEntry, entryVersion } from '../packages/server/src/log/entryCodec.ts'
import {
  fixturesOf,
  fromJson,
  joinBytes,
  readExpected,
  readFixture,
  splitBytes,
  toJson,
} from './support/upgradeFixture.ts'
import { readMarket, upgradeLimits, upgradeProfile } from './support/upgradeMarket.ts'
import { upgradeEntries, upgradeUndos } from './support/upgradeRecords.ts'

const options = { profile: upgradeProfile, ...upgradeLimits }

const readOf = (name: string) => fromJson<unknown>(readExpected(name, 'read').toString())

/** Normalizes values that the fixtures do not distinguish, such as `undefined` and -0. */
const asWritten = (value: unknown) => fromJson<unknown>(toJson(value))

/** Shown when the stored format changed without a new version. */
const raise = 'What is stored has changed: see "Change what is stored" in CONTRIBUTING.md.'

test.each(fixturesOf('snapshot'))(
  'behavior: %s gives the market it was taken of, and goes on',
  (name) => {
    const { atSnapshot, atEnd } = readOf(name) as Record<string, object>
    const engine = restoreEngine(options, [readFixture(name)])
    expect(asWritten(readMarket(engine))).toMatchObject(atSnapshot!)
    // The market survives a round trip through this version's snapshot.
    const again = restoreEngine(options, engine.snapshot())
    for (const bytes of splitBytes(readExpected(name, 'log'))) {
      const entry = decodeEntry(bytes)
      engine.apply(entry)
      again.apply(entry)
    }
    expect(asWritten(readMarket(engine))).toMatchObject(atEnd!)
    expect(again.stateHash()).toBe(engine.stateHash())
  },
)

test.each(fixturesOf('entries'))('behavior: %s are read as they were meant', (name) => {
  const entries = splitBytes(readFixture(name)).map((bytes) => decodeEntry(bytes))
  expect(entries).toMatchObject(readOf(name) as object[])
  expect(entries.map((entry) => decodeEntry(encodeEntry(entry)))).toEqual(entries)
})

test.each(fixturesOf('undos'))('behavior: %s are read as they were meant', (name) => {
  const undos = splitBytes(readFixture(name)).map(decodeUndo)
  expect(undos).toMatchObject(readOf(name) as object[])
  expect(undos.map((undo) => decodeUndo(encodeUndo(undo)))).toEqual(undos)
})

test('guard: what is written has the version it says, and a fixture', () => {
  const written = joinBytes(upgradeEntries.map((entry) => encodeEntry(entry)))
  expect(written.equals(readFixture(`entries${entryVersion}`)), raise).toBe(true)
  const undos = joinBytes(upgradeUndos.map(encodeUndo))
  expect(undos.equals(readFixture(`undos${undoVersion}`)), raise).toBe(true)
})

test('guard: tables, columns, fields and units of a snapshot are those of its format', () => {
  const empty = layoutOf([...createEngine(options).snapshot()])
  expect(empty, raise).toEqual(layoutOf([readFixture(`snapshot${snapshotFormat}`)]))
})

function layoutOf(parts: readonly Uint8Array[]) {
  const { format, units, lists, tables, logs } = decodeSnapshot(parts, snapshotFormat)
  const names = (
    map: ReadonlyMap<string, { columns: readonly string[]; header?: readonly string[] }>,
  ) => [...map].map(([name, { columns, header }]) => ({ name, header, columns }))
  const fields = [...lists].map(([name, list]) => ({
    name,
    fields: [...list.fields].map(([field, type]) => `${field}: ${type}`),
  }))
  return { format, units: [...units], fields, tables: names(tables), logs: names(logs) }
}
