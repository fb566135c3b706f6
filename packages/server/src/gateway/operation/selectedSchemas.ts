import type { JsonSchema, Operation } from './operation.ts'
import { components, ref } from './schemas.ts'

/** Media type of answers with the members alone that `fields` named: they lack what the plain ones always have. */
export const selectedType = 'application/vnd.chaintape.selected+json'

/** Schemas of such answers, with rows under names of their own. */
export type SelectedSchemas = {
  /** The same answer, any member of which may be absent. */
  of(answer: JsonSchema): JsonSchema
  /** Rows that were referred to so far, by name. */
  rows: Readonly<Record<string, JsonSchema>>
}

export function createSelectedSchemas(): SelectedSchemas {
  const rows: Record<string, JsonSchema> = {}

  function of(schema: JsonSchema): JsonSchema {
    const { $ref, anyOf, items, properties, additionalProperties } = schema
    if (typeof $ref === 'string') return rowOf($ref.split('/').at(-1)!)
    if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map(of) }
    if (isSchema(items)) return { ...schema, items: of(items) }
    if (isSchema(properties)) {
      const members = Object.entries(properties as Record<string, JsonSchema>).map(
        ([name, member]) => [name, memberOf(member)],
      )
      const { required: _, if: _if, then: _then, ...rest } = schema
      return { ...rest, properties: Object.fromEntries(members) }
    }
    return isSchema(additionalProperties)
      ? { ...schema, additionalProperties: of(additionalProperties) }
      : schema
  }

  /** An absent member was not asked for, so it has no default. */
  function memberOf(member: JsonSchema): JsonSchema {
    const { default: _, ...rest } = of(member)
    return rest
  }

  /** An empty object, the answer for an unknown id, is a selected row, too. */
  function rowOf(name: string): JsonSchema {
    const selectedName = `${name.replace(/OrEmpty$/, '')}Selected`
    if (rows[selectedName] === undefined) {
      // A row may have rows of its kind in it.
      rows[selectedName] = {}
      rows[selectedName] = of(components[name]!)
    }
    return ref(selectedName)
  }

  return { of, rows }
}

/** Can members of this operation's answer be selected? */
export function isSelectable({ inputs }: Pick<Operation, 'inputs'>): boolean {
  return 'fields' in inputs
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
