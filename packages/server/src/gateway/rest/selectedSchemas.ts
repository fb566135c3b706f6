import { componentRef, componentSchemas, type JsonSchema } from '../ground/schemas.ts'
import type { Operation } from './operation.ts'

/**
 * Media type of answers reduced by `fields`. They need a separate type because their objects lack
 * members that complete answers always have.
 */
export const selectedMediaType = 'application/vnd.chaintape.selected+json'

/** Builds schemas of answers reduced by `fields`. Their rows get separate names in the document. */
export type SelectedSchemas = {
  /** Returns an answer's schema with every member optional. */
  schemaOf(answer: JsonSchema): JsonSchema
  /** Row schemas created so far, by name. */
  rows: Readonly<Record<string, JsonSchema>>
}

export function createSelectedSchemas(): SelectedSchemas {
  const rows: Record<string, JsonSchema> = {}

  function schemaOf(schema: JsonSchema): JsonSchema {
    const { $ref, anyOf, items, properties, additionalProperties } = schema
    if (typeof $ref === 'string') return rowOf($ref.split('/').at(-1)!)
    if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map(schemaOf) }
    if (isSchema(items)) return { ...schema, items: schemaOf(items) }
    if (isSchema(properties)) {
      const members = Object.entries(properties as Record<string, JsonSchema>).map(
        ([name, member]) => [name, memberOf(member)],
      )
      const { required: _, if: _if, then: _then, ...rest } = schema
      return { ...rest, properties: Object.fromEntries(members) }
    }
    return isSchema(additionalProperties)
      ? { ...schema, additionalProperties: schemaOf(additionalProperties) }
      : schema
  }

  /**
   * Drops the default: a member is absent because it was not selected, not because it has its
   * default value.
   */
  function memberOf(member: JsonSchema): JsonSchema {
    const { default: _, ...rest } = schemaOf(member)
    return rest
  }

  /**
   * Needs no separate "or empty" schema: with every member optional, the empty object of an unknown
   * id already matches.
   */
  function rowOf(name: string): JsonSchema {
    const selectedName = `${name.replace(/OrEmpty$/, '')}Selected`
    if (rows[selectedName] === undefined) {
      // The name is reserved before its schema exists, because a row may contain rows of its own
      // kind.
      rows[selectedName] = {}
      rows[selectedName] = schemaOf(componentSchemas[name]!)
    }
    return componentRef(selectedName)
  }

  return { schemaOf, rows }
}

/** True when the operation has the `fields` parameter. */
export function hasFieldsInput({ inputs }: Pick<Operation, 'inputs'>): boolean {
  return 'fields' in inputs
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
