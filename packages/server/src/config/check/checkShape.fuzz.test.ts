// Sets random places of a valid config to random values and asks two independent checkers: ours,
// which words the messages, and TypeBox's. They must agree.
import fc from 'fast-check'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { loadConfig } from '../load.ts'
import { configSchema } from '../schema/schema.ts'
import { checkShape } from './checkShape.ts'

const chains = { eth: { rpc: [{ http_url: 'http://node.example' }] } }
const valid = loadConfig({ env: { CHAINTAPE_CHAINS: JSON.stringify(chains) } }).config

function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]]
  const inside = Object.entries(value).flatMap(([key, item]) =>
    pathsOf(item).map((path) => [key, ...path]),
  )
  return [[], ...inside]
}

const paths = pathsOf(valid).filter((path) => path.length > 0)

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.integer(),
  fc.integer({ min: 0, max: 100_000 }),
  fc.double(),
  fc.constantFrom('latest', 'finalized', 'info', 'contract', 'evm', '', 'https://x', null, []),
)

test('behavior: our checks and the schema agree', () => {
  let validCount = 0
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...paths), junk), { minLength: 1, maxLength: 2 }),
      (changes) => {
        const changed = structuredClone(valid) as unknown
        for (const [path, value] of changes) {
          let parent = changed as Record<string, unknown>
          for (const key of path.slice(0, -1)) {
            const child = parent[key]
            if (typeof child !== 'object' || child === null) return
            parent = child as Record<string, unknown>
          }
          parent[path.at(-1)!] = value
        }
        const { problems, value } = checkShape(configSchema, changed)
        // The schema itself allows unknown keys; only our checker forbids them.
        const others = problems.filter(
          ({ message }) => !/not a known key|is not a valid name/.test(message),
        )
        expect(others.length === 0).toBe(Value.Check(configSchema, value))
        if (others.length === 0) validCount += 1
      },
    ),
    { numRuns: propertyRuns(3_000) },
  )
  expect(validCount).toBeGreaterThan(propertyRuns(200))
})
