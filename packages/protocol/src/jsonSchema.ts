import { type Field, type Fields, type Row, type Shape, units } from './describe.ts'

/** JSON Schema with keywords that draft 07 (AsyncAPI) and 2020-12 (OpenAPI 3.1) share. */
export type JsonSchema = { readonly [word: string]: unknown }

const decimalPattern = '^(0|-?(0\\.\\d*[1-9]|[1-9]\\d*(\\.\\d*[1-9])?))$'
const digitsPattern = '^\\d+$'

/** A reference to a schema under `components` of a document. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The whole schema of a row; named rows inside of it are references. */
export function rowSchema({ meaning, fields }: Row): JsonSchema {
  return { ...objectSchema(fields), description: meaning }
}

/** An object that requires all members but the optional ones, and may have more. */
function objectSchema(fields: Fields): JsonSchema & { required: readonly string[] } {
  const entries = Object.entries(fields)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, one]) => [name, fieldSchema(one)])),
    required: entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
  }
}

function fieldSchema({ shape, meaning, unit, isNullable }: Field): JsonSchema {
  const schema = isNullable ? orNull(shapeSchema(shape)) : shapeSchema(shape)
  // Some documents ignore keywords beside a reference; its target has the description.
  if ('$ref' in schema) return schema
  return {
    ...schema,
    description: unit === undefined ? meaning : `${meaning} ${units[unit].sentence}`,
  }
}

/** Name of a row's schema that also allows an empty object. */
export function orEmptyName({ name }: Row): string {
  return `${name}OrEmpty`
}

/**
 * The row, or an empty object if nothing is known. One type whose absent members have defaults:
 * generated clients read members without asking first which of the two it is.
 */
export function orEmptySchema({ meaning, fields }: Row): JsonSchema {
  const { required, ...schema } = objectSchema(fields)
  const properties = Object.entries(fields).map(([name, one]) => {
    const unknown = one.isOptional ? undefined : unknownOf(one)
    const described = fieldSchema(one)
    return [name, unknown === undefined ? described : { ...described, default: unknown }]
  })
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    if: { minProperties: 1 },
    // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
    then: allOf(required),
    description: `${meaning} An empty object where it is not known.`,
  }
}

/**
 * Requires members that another schema of the object describes. Linters want each name described
 * beside `required`.
 */
export function allOf(required: readonly string[]): JsonSchema {
  return { properties: Object.fromEntries(required.map((name) => [name, {}])), required }
}

/** The value that means unknown; undefined if none exists. */
function unknownOf({ shape, isNullable }: Field): unknown {
  if (isNullable) return null
  if (shape.is === 'decimal' || shape.is === 'digits') return '0'
  if (shape.is === 'flag') return false
  if (shape.is === 'list') return []
  if (shape.is === 'constant') return shape.value
  if (shape.is === 'number' || shape.is === 'integer')
    return shape.min === undefined || shape.min <= 0 ? 0 : undefined
  if (shape.is !== 'text' || shape.minLength !== undefined) return undefined
  if (shape.pattern !== undefined) return new RegExp(shape.pattern).test('0') ? '0' : undefined
  return shape.format === undefined ? '' : '0001-01-01T00:00:00Z'
}

function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema.type !== 'string' || 'enum' in schema)
    return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [schema.type, 'null'] }
}

function bounds({ min, max }: { min?: number; max?: number }): JsonSchema {
  return {
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  }
}

function shapeSchema(shape: Shape): JsonSchema {
  switch (shape.is) {
    case 'text': {
      const { is: _, ...rules } = shape
      return { type: 'string', ...rules }
    }
    case 'decimal':
      return { type: 'string', pattern: decimalPattern }
    case 'digits':
      return { type: 'string', pattern: digitsPattern }
    case 'number':
    case 'integer':
      return { type: shape.is, ...bounds(shape) }
    case 'flag':
      return { type: 'boolean' }
    case 'words':
      return { type: typeof shape.words[0] === 'string' ? 'string' : 'integer', enum: shape.words }
    case 'constant':
      return { const: shape.value }
    case 'inner':
      return { type: 'string', contentMediaType: 'application/json' }
    case 'list': {
      const items = { type: 'array', items: shapeSchema(shape.of) }
      return shape.max === undefined ? items : { ...items, maxItems: shape.max }
    }
    case 'map':
      return { type: 'object', additionalProperties: shapeSchema(shape.of) }
    case 'row':
      return shape.row.name === null ? rowSchema(shape.row) : schemaRef(shape.row.name)
    case 'either': {
      const [first, second] = shape.shapes
      return first?.is === 'row' && first.row.name !== null && second?.is === 'empty'
        ? schemaRef(orEmptyName(first.row))
        : { anyOf: shape.shapes.map(shapeSchema) }
    }
    case 'empty':
      return { type: 'object', maxProperties: 0 }
    case 'any':
      return {}
  }
}
