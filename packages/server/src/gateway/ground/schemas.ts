import {
  answerRows,
  orEmptyName,
  orEmptyRows,
  orEmptySchema,
  rowSchema,
  schemaRef,
} from '@chaintape/protocol/descriptions'

/** A JSON Schema in the 2020-12 dialect, which OpenAPI 3.1 uses. */
export type JsonSchema = { readonly [word: string]: unknown }

/**
 * Basic schemas used in answers and bodies. Schemas of rows come from the protocol package's
 * descriptions.
 */

export const textSchema = { type: 'string' } as const satisfies JsonSchema
export const flagSchema = { type: 'boolean' } as const satisfies JsonSchema
/** Schema of a time in unix seconds. */
export const timeSchema = { type: 'integer', minimum: 0 } as const satisfies JsonSchema

export function arraySchema(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/**
 * Returns the schema of an object. All properties are required unless listed in `optional`; extra
 * members are allowed.
 */
export function openObjectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  { optional = [] }: { optional?: readonly string[] } = {},
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

/** References the schema of a row that may also be an empty object, which means "not found". */
export function rowOrEmptyRef(name: string): JsonSchema {
  return componentRef(`${name}OrEmpty`)
}

/** References a schema under `components/schemas`. */
export const componentRef: (name: string) => JsonSchema = schemaRef

// Of the rows that may be empty, only these also appear in lists, where they are never empty.
const rowsOfLists: readonly (string | null)[] = ['TokenRow', 'PairDetail']
const listedRows = answerRows.filter(
  (row) => rowsOfLists.includes(row.name) || !orEmptyRows.includes(row),
)

/** Every named schema of the OpenAPI document. */
export const componentSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries([
  ...listedRows.map((row) => [row.name, rowSchema(row)]),
  ...orEmptyRows.map((row) => [orEmptyName(row), orEmptySchema(row)]),
])
