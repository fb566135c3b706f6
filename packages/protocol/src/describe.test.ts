import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { expect, expectTypeOf, test } from 'vitest'
import type { SwapTx } from './answers/txs.ts'
import {
  constant,
  count,
  decimal,
  each,
  either,
  list,
  nullable,
  object,
  optional,
  orEmpty,
  part,
  row,
  type TypeOf,
  text,
  words,
} from './describe.ts'
import { orEmptySchema, rowSchema } from './jsonSchema.ts'

const size = part('How large it is.', { usd: decimal('usd', 'Its worth.') })
const fish = row('Fish', 'A fish in the tank.', {
  name: text('What it is called.'),
  kind: words(['carp', 'pike'], 'What it is.'),
  age: nullable(count('Its age; null: not known.', 'seconds')),
  mark: optional(constant(true, 'It was caught before; else absent.')),
  size: object(size),
  parents: list(text('A name.'), 'Who it is from.', 2),
  home: orEmpty(object(size), 'Where it lives.'),
  depth: either([count('Metres.'), constant('deep', 'Too deep.')], 'Where it swims.'),
  ...each(['left', 'right'], { '*_fin': decimal('percent', 'Length of the * fin.') }),
})

test('default: a description is the type of the row', () => {
  expectTypeOf<TypeOf<typeof fish>>().toEqualTypeOf<{
    name: string
    kind: 'carp' | 'pike'
    age: number | null
    mark?: true
    size: { usd: string }
    parents: readonly string[]
    home: { usd: string } | Record<string, never>
    depth: number | 'deep'
    left_fin: string
    right_fin: string
  }>()
  expectTypeOf<SwapTx['from_token_amount']>().toEqualTypeOf<string>()
  expectTypeOf<SwapTx['wallet_tag']>().toEqualTypeOf<string | null>()
})

test('default: and its schema', () => {
  const { properties, required, ...rest } = rowSchema(fish) as {
    properties: Record<string, object>
    required: string[]
  }
  expect(rest).toEqual({ type: 'object', description: 'A fish in the tank.' })
  expect(required).toEqual(Object.keys(properties).filter((name) => name !== 'mark'))
  const sizeSchema = {
    type: 'object',
    required: ['usd'],
    description: 'How large it is.',
    properties: { usd: { ...decimalSchema, description: 'Its worth. In USD.' } },
  }
  expect(properties).toEqual({
    name: { type: 'string', description: 'What it is called.' },
    kind: { type: 'string', enum: ['carp', 'pike'], description: 'What it is.' },
    age: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Its age; null: not known. In seconds.',
    },
    mark: { const: true, description: 'It was caught before; else absent.' },
    size: sizeSchema,
    parents: {
      type: 'array',
      items: { type: 'string' },
      maxItems: 2,
      description: 'Who it is from.',
    },
    home: {
      anyOf: [sizeSchema, { type: 'object', maxProperties: 0 }],
      description: 'Where it lives.',
    },
    depth: {
      anyOf: [{ type: 'integer', minimum: 0 }, { const: 'deep' }],
      description: 'Where it swims.',
    },
    left_fin: { ...decimalSchema, description: 'Length of the left fin. In percent.' },
    right_fin: { ...decimalSchema, description: 'Length of the right fin. In percent.' },
  })
})

const decimalSchema = { type: 'string', pattern: expect.stringMatching(/^\^/) }

test('behavior: members of a row that may be empty have a default, unless they are optional', () => {
  const { properties } = orEmptySchema(fish) as { properties: Record<string, object> }
  const defaults = Object.entries(properties).flatMap(([name, one]) =>
    'default' in one ? [[name, one.default]] : [],
  )
  expect(Object.fromEntries(defaults)).toEqual({
    name: '',
    age: null,
    parents: [],
    left_fin: '0',
    right_fin: '0',
  })
})

test('behavior: a row with a name is a reference in others', () => {
  const tank = row('Tank', 'A tank.', { fish: list(object(fish), 'All fish.') })
  expect(rowSchema(tank)).toMatchObject({
    properties: { fish: { type: 'array', items: { $ref: '#/components/schemas/Fish' } } },
  })
})

test('behavior: who imports types and a function has no description in the bundle', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'protocol-client-'))
  const entry = join(folder, 'client.ts')
  const index = JSON.stringify(join(import.meta.dirname, 'index.ts'))
  await writeFile(
    entry,
    `import { parseId, type TokenRow } from ${index}
     export const idOf = (row: TokenRow) => parseId(row.token)`,
  )
  const output = await build({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry, formats: ['es'], fileName: 'client' } },
  })
  await rm(folder, { recursive: true })
  const [{ output: chunks }] = output as unknown as [{ output: { code: string }[] }]
  const code = chunks.map((chunk) => chunk.code).join()
  expect(code).toContain('parseId')
  expect(code).not.toMatch(/Address of|meaning|errorSpecs/)
  expect(code.length).toBeLessThan(1_000)
})
