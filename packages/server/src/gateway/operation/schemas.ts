import {
  answerRows,
  orEmptyName,
  orEmptyRows,
  orEmptySchema,
  rowSchema,
  schemaRef,
} from '@chaintape/protocol/descriptions'
import type { JsonSchema } from './operation.ts'

/**
 * Basic schemas used in answers and bodies. Schemas of rows come from the protocol package's
 * descriptions.
 */

export const text = { type: 'string' } as const satisfies JsonSchema
export const flag = { type: 'boolean' } as const satisfies JsonSchema
/** Schema of a time in unix seconds. */
export const timeS = { type: 'integer', minimum: 0 } as const satisfies JsonSchema

export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/**
 * Returns the schema of an object. All properties are required unless listed in `optional`; extra
 * members are allowed.
 */
export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  { optional = [] }: { optional?: readonly string[] } = {},
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

/** References the schema of a row that may also be an empty object, which means "not found". */
export function orEmpty(name: string): JsonSchema {
  return ref(`${name}OrEmpty`)
}

/** References a schema under `components/schemas`. */
export const ref: (name: string) => JsonSchema = schemaRef

// Of the rows that may be empty, only these also appear in lists, where they are never empty.
const rowsOfLists: readonly (string | null)[] = ['TokenRow', 'PairDetail']
const listedRows = answerRows.filter(
  (row) => rowsOfLists.includes(row.name) || !orEmptyRows.includes(row),
)

/** Every named schema of the OpenAPI document. */
export const components: Readonly<Record<string, JsonSchema>> = Object.fromEntries([
  ...listedRows.map((row) => [row.name, rowSchema(row)]),
  ...orEmptyRows.map((row) => [orEmptyName(row), orEmptySchema(row)]),
])
