// The tables of docs/reference/sql.md; test/database/sqlRole.test.ts compares their columns with a
// real schema.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { storedTables } from '../packages/server/src/store/backup/format.ts'

const page = readFileSync(resolve(import.meta.dirname, '../docs/reference/sql.md'), 'utf8')
const sections = page.split('\n### ').slice(1)
const titles = sections.slice(0, -1).map((section) => section.slice(0, section.indexOf('\n')))
const unread = [...sections.at(-1)!.matchAll(/`(\w+)`/g)].map(([, name]) => name!)

test('behavior: every table is explained or listed as internal', () => {
  expect([...titles, ...unread].toSorted()).toEqual([...storedTables, 'schema_versions'].toSorted())
})

test('behavior: the role is granted exactly the explained tables', () => {
  const granted = /GRANT SELECT ON\s+([\w,\s]+?)\s+TO analyst/.exec(page)![1]!
  expect(granted.split(/,\s*/)).toEqual(titles)
})
