import type { SchemaNode } from '../../lib/schema.ts'
import { plans } from '../presets/plans.ts'
import { presets } from '../presets.ts'
import { memberOfKind, membersByKind } from './fields.ts'
import { configSchema } from './schema.ts'

type JsonSchema = Record<string, unknown>

/**
 * The configuration as JSON Schema for editors: completion, descriptions, and mistakes while
 * typing.
 */
export function editorSchema(): JsonSchema {
  const root = configSchema
  const whole = schemaOf(root) as JsonSchema & { properties: JsonSchema }
  const chains = recordOf('chain', root.properties!.chains!, presets, ['rpc'])
  const plansOf = recordOf('plan', root.properties!.plans!, plans, [])
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Chaintape configuration',
    ...whole,
    properties: {
      $schema: { type: 'string' },
      ...whole.properties,
      chains: chains.schema,
      plans: plansOf.schema,
    },
    definitions: { ...chains.definitions, ...plansOf.definitions },
  }
}

/**
 * Schema of a record by name, such as the chains: names with a built-in preset require fewer fields
 * than other names, so each has a definition of its own.
 */
function recordOf(
  name: string,
  node: SchemaNode,
  builtIn: Readonly<Record<string, object>>,
  required: readonly string[],
): { schema: JsonSchema; definitions: JsonSchema } {
  const [pattern, child] = Object.entries(node.patternProperties!)[0]!
  const kinds = membersByKind(child)
  const definitions: JsonSchema = {}
  // A built-in object has the fields of its kind.
  const known = (values: object) => {
    const member = kinds === null ? child : memberOfKind(kinds, values)!
    const kind = [...(kinds ?? [])].find(([, of]) => of === member)?.[0]
    const title = ['builtIn', kind, name].filter((word) => word !== undefined).join('_')
    definitions[title] ??= { ...schemaOf(member), required }
    return { $ref: `#/definitions/${title}` }
  }
  const schema = {
    type: 'object',
    description: node.description,
    propertyNames: { pattern },
    properties: Object.fromEntries(
      Object.entries(builtIn).map(([key, values]) => [key, known(values)]),
    ),
    additionalProperties: schemaOf(child),
  }
  return { schema, definitions }
}

const taken = [
  ...['description', 'default', 'enum', 'const', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'minItems', 'maxItems', 'type'],
] as const

function schemaOf(node: SchemaNode): JsonSchema {
  const kinds = membersByKind(node)
  if (kinds?.size === 1) return schemaOf([...kinds.values()][0]!)
  const words = Object.fromEntries(
    taken.flatMap((word) => (node[word] === undefined ? [] : [[word, node[word]]])),
  )
  if (node.anyOf) return { ...words, anyOf: node.anyOf.map(schemaOf) }
  if (node.items) return { ...words, items: schemaOf(node.items) }
  if (!node.properties) return words
  const children = Object.entries(node.properties)
  return {
    ...words,
    properties: Object.fromEntries(children.map(([key, child]) => [key, schemaOf(child)])),
    required: (node.required ?? []).filter((key) => node.properties![key]?.default === undefined),
    additionalProperties: false,
  }
}
