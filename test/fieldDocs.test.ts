// docs/reference/fields.md is generated from the field descriptions, and every description has a
// meaning.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { answerRows, messageRows } from '../packages/protocol/src/allRows.ts'
import type { Field, Row, Shape } from '../packages/protocol/src/describe.ts'
import { fieldDocs } from '../packages/protocol/src/fieldDocs.ts'

const docs = readFileSync(resolve(import.meta.dirname, '../docs/reference/fields.md'), 'utf8')

test('default: docs/reference/fields.md is generated from the descriptions (npm run generate)', () => {
  expect(docs).toBe(fieldDocs())
})

/** Every field of a row, including nested rows, with its path. */
function* fieldsOf(row: Row, place: string): Generator<[string, Field]> {
  for (const [name, field] of Object.entries(row.fields)) {
    yield [`${place}.${name}`, field]
    const inside = insideOf(field.shape)
    if (inside?.name === null) yield* fieldsOf(inside, `${place}.${name}`)
  }
}

function insideOf(shape: Shape): Row | null {
  if (shape.is === 'row') return shape.row
  return shape.is === 'list' || shape.is === 'map' ? insideOf(shape.of) : null
}

const described = [...answerRows, ...messageRows].flatMap((row) => [...fieldsOf(row, row.name!)])

test('behavior: every meaning is a sentence', () => {
  expect(described.length).toBeGreaterThan(700)
  const faults = described.filter(([, { meaning }]) => !/^[^a-z\s].{3,}[^.\s]\.$/s.test(meaning))
  expect(faults.map(([place, { meaning }]) => `${place}: ${meaning}`)).toEqual([])
})

test('behavior: optional and nullable fields say when they are absent or null', () => {
  // Rows that state it once for all of their fields.
  const isOfRow = /^(ContractRisk|TokenHolder|ListedHolder)\./
  const faults = described.filter(
    ([place, { meaning, isOptional, isNullable }]) =>
      (isOptional && !/absent|left out|only /i.test(meaning) && !isOfRow.test(place)) ||
      (isNullable && !/null/.test(meaning)),
  )
  expect(faults.map(([place, { meaning }]) => `${place}: ${meaning}`)).toEqual([])
})

test('behavior: every amount has a unit', () => {
  const faults = described.filter(
    ([, { shape, unit, meaning }]) =>
      (shape.is === 'decimal' || shape.is === 'number') &&
      unit === undefined &&
      !/\bunit\b/.test(meaning),
  )
  expect(faults.map(([place]) => place)).toEqual([])
})
