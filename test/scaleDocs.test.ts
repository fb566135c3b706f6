// The table of docs/operate/scale.md must follow from the unit costs.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { scaleDocs, scalePath } from '../packages/server/scripts/scaleTable.ts'

test('default: docs/operate/scale.md has the computed sizes of deployments (npm run generate)', () => {
  const docs = readFileSync(scalePath, 'utf8')
  expect(docs).toContain('| 130 chains at 50,000 swaps/s |')
  expect(docs).toBe(scaleDocs(docs))
})
