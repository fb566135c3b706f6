import { readFileSync } from 'node:fs'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import type { SchemaNode } from '../../lib/schema.ts'
import { editorSchema } from './editorSchema.ts'
import { configSchema } from './schema.ts'

const schema = editorSchema()
const fits = (value: unknown) => Value.Check(schema, value)
const rpc = [{ http_url: 'https://node.example' }]

test('default: the file that is served is this one', () => {
  const file = new URL('../../../static/config.schema.json', import.meta.url)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(schema)))
})

test('behavior: what a config may leave out, and what it may not', () => {
  expect(fits({})).toBe(true)
  expect(fits({ $schema: 'x', server: { port: 1 }, chains: { eth: { rpc } } })).toBe(true)
  expect(fits({ plans: { pro: { requests_per_s: 5 } } })).toBe(true)
  expect(fits({ chains: { eth: {} } })).toBe(false)
  expect(fits({ chains: { solana: { rpc, commitment: 'finalized' } } })).toBe(true)
  // A built-in chain has the fields of its kind.
  expect(fits({ chains: { solana: { rpc, multicall3: '0x' } } })).toBe(false)
  // No preset provides its native coin.
  expect(fits({ chains: { other: { rpc } } })).toBe(false)
  expect(fits({ sever: {} })).toBe(false)
  expect(fits({ chains: { eth: { rpc: [{ url: 'https://node.example' }] } } })).toBe(false)
})

test('behavior: every pattern has words', () => {
  const patterns = (node: SchemaNode): SchemaNode[] => [
    ...(node.pattern === undefined ? [] : [node]),
    ...Object.values(node.properties ?? {}).flatMap(patterns),
    ...Object.values(node.patternProperties ?? {}).flatMap(patterns),
    ...[...(node.anyOf ?? []), ...(node.items ? [node.items] : [])].flatMap(patterns),
  ]
  const found = patterns(configSchema)
  expect(found.length).toBeGreaterThan(8)
  for (const { pattern, form } of found)
    expect([pattern, form]).toEqual([pattern, expect.any(String)])
})
