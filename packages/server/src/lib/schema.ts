/** The used keywords of JSON Schema as plain data, and some of our own. */
export type SchemaNode = {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  description?: string
  default?: unknown
  properties?: Record<string, SchemaNode>
  required?: readonly string[]
  patternProperties?: Record<string, SchemaNode>
  items?: SchemaNode
  anyOf?: readonly SchemaNode[]
  enum?: readonly string[]
  const?: string
  pattern?: string
  /** The pattern in words. */
  form?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  flag?: string
  secret?: 'value' | 'url'
  address?: boolean
}

/** A schema with the type of its values; at run time only the node. */
export type Schema<value = unknown> = SchemaNode & { readonly '~value'?: value }

/** The type of a schema's values. */
export type Static<schema> = schema extends { readonly '~value'?: infer value } ? value : never

type OptionalField = { optional: Schema }
type Fields = Readonly<Record<string, Schema | OptionalField>>
type OptionalKey<fields> = {
  [key in keyof fields]: fields[key] extends OptionalField ? key : never
}[keyof fields]
type ObjectOf<fields> = {
  [key in Exclude<keyof fields, OptionalKey<fields>>]: Static<fields[key]>
} & {
  [key in OptionalKey<fields>]?: fields[key] extends { optional: infer schema }
    ? Static<schema>
    : never
}
type Flat<type> = { [key in keyof type]: type[key] }

/**
 * Creates schemas, with TypeBox's names: loading TypeBox's 373 files took a command longer than all
 * of ours. Tests compare with TypeBox's checker.
 */
export const Type = {
  String: (words: SchemaNode = {}): Schema<string> => ({ type: 'string', ...words }),
  Integer: (words: SchemaNode = {}): Schema<number> => ({ type: 'integer', ...words }),
  Number: (words: SchemaNode = {}): Schema<number> => ({ type: 'number', ...words }),
  Boolean: (words: SchemaNode = {}): Schema<boolean> => ({ type: 'boolean', ...words }),
  Literal: <const value extends string>(value: value, words: SchemaNode = {}): Schema<value> => ({
    type: 'string',
    const: value,
    ...words,
  }),
  Enum: <const value extends string>(
    values: readonly value[],
    words: SchemaNode = {},
  ): Schema<value> => ({ enum: values, ...words }),
  Array: <item extends Schema>(items: item, words: SchemaNode = {}): Schema<Static<item>[]> => ({
    type: 'array',
    items,
    ...words,
  }),
  Union: <const member extends Schema>(
    anyOf: readonly member[],
    words: SchemaNode = {},
  ): Schema<Static<member>> => ({ anyOf, ...words }),
  /** An object whose names match a pattern. */
  Record: <item extends Schema>(
    pattern: string,
    item: item,
    words: SchemaNode = {},
  ): Schema<Record<string, Static<item>>> => ({
    type: 'object',
    patternProperties: { [pattern]: item },
    ...words,
  }),
  /** An optional field of an object. */
  Optional: <schema extends Schema>(optional: schema): { optional: schema } => ({ optional }),
  Object: objectSchema,
}

function objectSchema<fields extends Fields>(
  fields: fields,
  words: SchemaNode = {},
): Schema<Flat<ObjectOf<fields>>> & { properties: Record<string, SchemaNode> } {
  const entries = Object.entries(fields)
  const properties = Object.fromEntries(
    entries.map(([key, field]) => [key, isOptional(field) ? field.optional : field]),
  )
  const required = entries.filter(([, field]) => !isOptional(field)).map(([key]) => key)
  return { type: 'object', required, properties, ...words }
}

function isOptional(field: Schema | OptionalField): field is OptionalField {
  return 'optional' in field
}
