// docs/reference/cli.md and docs/reference/metrics.md are generated, and docs/operate/operating.md
// names every metric.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { cliDocs, metricsDocs } from '../packages/server/scripts/writeReference.ts'
import { createMetrics } from '../packages/server/src/lib/metrics.ts'

const read = (name: string) => readFileSync(resolve(import.meta.dirname, '../docs', name), 'utf8')

test('default: the reference of the command line is generated (npm run generate)', async () => {
  expect(read('reference/cli.md')).toBe(await cliDocs())
})

test('default: the reference of metrics is generated (npm run generate)', async () => {
  expect(read('reference/metrics.md')).toBe(await metricsDocs())
})

test('behavior: metrics of the guide equal the exported ones', async () => {
  const metrics = await createMetrics().registry.getMetricsAsJSON()
  const own = metrics.map(({ name }) => name).filter((name) => name.startsWith('chaintape_'))
  const page = read('operate/operating.md')
  const documented = new Set([...page.matchAll(/`(chaintape_\w+)`/g)].map(([, name]) => name!))
  expect([...documented].sort()).toEqual(own.sort())
})
