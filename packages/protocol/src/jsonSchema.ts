import { type Field, type Fields, type Row, type Shape, units } from './describe.ts'

/** JSON Schema in the words that draft 07 (AsyncAPI) and 2020-12 (OpenAPI 3.1) share. */
export type JsonSchema = { readonly [word: string]: unknown }

const decimalPattern = '^(0|-?(0\\.\\d*[1-9]|[1-9]\\d*(\\.\\d*[1-9])?))$'
const digitsPattern = '^\\d+$'

/** A schema under `components` of a document. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The whole schema of a row; rows with a name inside of it are references. */
export function rowSchema({ meaning, fields }: Row): JsonSchema {
  return { ...objectSchema(fields), description: meaning }
}

/** An object whose members are all there but the optional ones, and which may have more. */
function objectSchema(fields: Fields): JsonSchema {
  const entries = Object.entries(fields)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, one]) => [name, fieldSchema(one)])),
    required: entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
  }
}

function fieldSchema({ shape, meaning, unit, isNullable }: Field): JsonSchema {
  const schema = isNullable ? orNull(shapeSchema(shape)) : shapeSchema(shape)
  // Words beside a reference are not read in every document; what it refers to says what it is.
  if ('$ref' in schema) return schema
  return {
    ...schema,
    description: unit === undefined ? meaning : `${meaning} ${units[unit].sentence}`,
  }
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
    case 'either':
      return { anyOf: shape.shapes.map(shapeSchema) }
    case 'empty':
      return { type: 'object', maxProperties: 0 }
    case 'any':
      return {}
  }
}
