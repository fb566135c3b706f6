import { answerRows, rowSchema, schemaRef } from '@chaintape/protocol/descriptions'
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

/** Either this or the empty object that stands for what is not known. */
export function orEmpty(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'object', maxProperties: 0 }] }
}

/** A schema under `components` of the document. */
export const ref: (name: string) => JsonSchema = schemaRef

/** Every schema that has a name of its own in the OpenAPI document. */
export const components: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  answerRows.map((row) => [row.name, rowSchema(row)]),
)
