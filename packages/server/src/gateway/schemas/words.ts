import type { JsonSchema } from '../operation.ts'

/** The few words that every answer schema is made of. */

/** Plain digits: no exponent, no trailing zeros after the point, never -0. */
export const decimal = {
  type: 'string',
  pattern: '^(0|-?(0\\.\\d*[1-9]|[1-9]\\d*(\\.\\d*[1-9])?))$',
} as const satisfies JsonSchema

export const text = { type: 'string' } as const satisfies JsonSchema
export const flag = { type: 'boolean' } as const satisfies JsonSchema
export const number = { type: 'number' } as const satisfies JsonSchema
export const count = { type: 'integer', minimum: 0 } as const satisfies JsonSchema
export const integer = { type: 'integer' } as const satisfies JsonSchema
/** Unix seconds; 0: not known or never. */
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

/** A schema under `components` of the OpenAPI document. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}
