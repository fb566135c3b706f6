// What earlier versions stored is read by this one: fixtures are as they were written, and never written again.
import { expect, test } from 'vitest'
import { restoreEngine } from '../packages/server/src/engine/engine.ts'
import { decodeUndo } from '../packages/server/src/ledger/undo.ts'
import { decodeEntry } from '../packages/server/src/log/entryCodec.ts'
import { fromJson, readFixture, splitBytes, toJson } from './support/upgradeFixture.ts'
import { readMarket, upgradeLimits, upgradeProfile } from './support/upgradeMarket.ts'

const readJson = (name: string) => fromJson<unknown>(readFixture(name).toString())

/** What was not written apart, as `undefined` and -0, is not told apart. */
const asWritten = (value: unknown) => fromJson<unknown>(toJson(value))

test.each(['snapshot6'])('behavior: %s gives the market it was taken of, and goes on', (name) => {
  const { atSnapshot, atEnd } = readJson(`${name}.reads`) as Record<string, object>
  const engine = restoreEngine({ profile: upgradeProfile, ...upgradeLimits }, readFixture(name))
  expect(asWritten(readMarket(engine))).toMatchObject(atSnapshot!)
  for (const bytes of splitBytes(readFixture(`${name}.log`))) engine.apply(decodeEntry(bytes))
  expect(asWritten(readMarket(engine))).toMatchObject(atEnd!)
})

test.each(['entries2'])('behavior: %s are read as they were meant', (name) => {
  expect(splitBytes(readFixture(name)).map((bytes) => decodeEntry(bytes))).toMatchObject(
    readJson(`${name}.read`) as object[],
  )
})

test.each(['undos1'])('behavior: %s are read as they were meant', (name) => {
  expect(splitBytes(readFixture(name)).map(decodeUndo)).toMatchObject(
    readJson(`${name}.read`) as object[],
  )
})
