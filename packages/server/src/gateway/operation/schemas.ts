import {
  answerRows,
  orEmptyName,
  orEmptyRows,
  orEmptySchema,
  rowSchema,
  schemaRef,
} from '@chaintape/protocol/descriptions'
import type { JsonSchema } from './operation.ts'

/** The few words that operations say of their answers and bodies; what rows have is in the descriptions. */

export const text = { type: 'string' } as const satisfies JsonSchema
export const flag = { type: 'boolean' } as const satisfies JsonSchema
/** Unix seconds. */
export const timeS = { type: 'integer', minimum: 0 } as const satisfies JsonSchema

export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/** An object whose members are all there, and which may have more. */
export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  { optional = [] }: { optional?: readonly string[] } = {},
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

/** The row of this name, or the empty object that stands for what is not known. */
export function orEmpty(name: string): JsonSchema {
  return ref(`${name}OrEmpty`)
}

/** A schema under `components` of the document. */
export const ref: (name: string) => JsonSchema = schemaRef

// Of the others that may be empty there is no answer where they may not.
const rowsOfLists: readonly (string | null)[] = ['TokenRow', 'PairDetail']
const listedRows = answerRows.filter(
  (row) => rowsOfLists.includes(row.name) || !orEmptyRows.includes(row),
)

/** Every schema that has a name of its own in the OpenAPI document. */
export const components: Readonly<Record<string, JsonSchema>> = Object.fromEntries([
  ...listedRows.map((row) => [row.name, rowSchema(row)]),
  ...orEmptyRows.map((row) => [orEmptyName(row), orEmptySchema(row)]),
])
