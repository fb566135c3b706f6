import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configDocs } from './configDocs.ts'
import { configFields } from './fields.ts'

const file = join(import.meta.dirname, '../../../../../docs/reference/config.md')

test('default: docs/reference/config.md is what the schema says (chaintape config docs > docs/reference/config.md)', () => {
  expect(readFileSync(file, 'utf8')).toBe(configDocs())
})

test('behavior: every field has a sentence and stands in the docs', () => {
  const docs = configDocs()
  for (const { path, node, envNames } of configFields()) {
    expect(node.description, path).toMatch(/\.$/)
    expect(docs).toContain(`| \`${path}\` |`)
    for (const name of envNames) expect(docs).toContain(`\`${name}\``)
  }
})
