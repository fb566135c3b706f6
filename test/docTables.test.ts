// Tables of the docs are complete, docs/reference/rest.md describes inputs as the OpenAPI document
// does, and no command contains an API key.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { unmeteredOperations } from '../packages/server/src/gateway/http/openapi/unmeteredOperations.ts'
import { operations } from '../packages/server/src/gateway/rest/operations.ts'

const docs = resolve(import.meta.dirname, '../docs')
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.md'),
)
const read = (name: string) => readFileSync(join(docs, name), 'utf8')

test('behavior: every table has a header, and rows with as many cells', () => {
  const faults: string[] = []
  for (const name of pages) {
    const lines = read(name)
      .replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, ''))
      .split('\n')
    for (const [at, line] of lines.entries()) {
      if (!line.startsWith('|')) continue
      const isFirst = !lines[at - 1]?.startsWith('|')
      if (isFirst && !/^\|[-|: ]+\|$/.test(lines[at + 1] ?? '')) faults.push(`${name}:${at + 1}`)
      if (!isFirst && cellsOf(line) !== cellsOf(lines[at - 1]!)) faults.push(`${name}:${at + 1}`)
    }
  }
  expect(faults).toEqual([])
})

const cellsOf = (line: string) => line.replace(/\\\||`[^`]*`/g, '').split('|').length

test('behavior: no command passes a key as an argument, which every user of the machine could read', () => {
  for (const name of ['../README.md', '../deploy/README.md', ...pages])
    expect([name, /-H ['"]?X-\w+-KEY/i.exec(read(name))?.[0]]).toEqual([name, undefined])
})

type Described = { name: string; description: string }

/** Query parameters of each path in the OpenAPI document. */
const described = new Map<string, readonly Described[]>([
  ...operations.map(({ method, path, inputs }) => {
    const query = Object.values(inputs).filter(({ in: place }) => place === 'query')
    return [`${method} ${path}`, query] as const
  }),
  ...unmeteredOperations
    .filter(({ tag }) => tag === 'service')
    .map(({ method, path, parameters = [] }) => {
      return [`${method} ${path}`, parameters as Described[]] as const
    }),
])

/** Operations whose inputs are summarized in one table. */
const summed = /^GET \/v2\/screener/
/**
 * Inputs described elsewhere: `fields` once for all operations, and the ranges of the wallet
 * ranking in one row.
 */
const elsewhere = /^fields$|^(profit_.+|last_trade_time)_(min|max)$/

const sections = read('reference/rest.md')
  .split('\n### ')
  .slice(1)
  .map((text) => {
    const rows = [...text.matchAll(/^\| `([\w-]+)` \| (.+) \|$/gm)]
    return [text.split('\n')[0]!, new Map(rows.map(([, name, said]) => [name!, said!]))] as const
  })

test.each(sections.filter(([heading]) => described.has(heading) && !summed.test(heading)))(
  'default: inputs of %s are as the OpenAPI document describes them',
  (heading, rows) => {
    const inputs = described.get(heading)!.filter(({ name }) => !elsewhere.test(name))
    for (const { name, description } of inputs)
      expect([name, rows.get(name)]).toEqual([
        name,
        expect.stringContaining(description.replace(/\.$/, '')),
      ])
  },
)

test('behavior: fields.md and rest.md agree on the ticker', () => {
  expect(read('reference/rest.md')).not.toContain('`<pair_address>-<chain>` (the ticker)')
  const [said] = /^\| `ticker` \| .*$/m.exec(read('reference/fields.md'))!
  expect(said).toContain('a token that had several main pairs')
  expect(read('reference/rest.md').replaceAll('\n', ' ')).toContain(
    'a token that had several main pairs',
  )
})
