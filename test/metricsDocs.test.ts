// docs/operate/operating.md must list exactly the metrics that the service exports.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createMetrics } from '../packages/server/src/lib/metrics.ts'

const docs = readFileSync(resolve(import.meta.dirname, '../docs/operate/operating.md'), 'utf8')

test('behavior: documented metrics equal the exported ones', async () => {
  const metrics = await createMetrics().registry.getMetricsAsJSON()
  const own = metrics.map(({ name }) => name).filter((name) => name.startsWith('chaintape_'))
  const documented = new Set([...docs.matchAll(/`(chaintape_\w+)`/g)].map(([, name]) => name!))
  expect([...documented].sort()).toEqual(own.sort())
})
