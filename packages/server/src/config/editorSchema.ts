import { plans } from './presets/plans.ts'
import { presets } from './presets.ts'
import { configSchema } from './schema.ts'
import { kindsOf, memberOf, type SchemaNode } from './schemaNode.ts'

type JsonSchema = Record<string, unknown>

/** The configuration as a JSON Schema for editors: completion, descriptions, and mistakes as they are typed. */
export function editorSchema(): JsonSchema {
  const root = configSchema as SchemaNode
  const whole = schemaOf(root) as JsonSchema & { properties: JsonSchema }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Chaintape configuration',
    ...whole,
    properties: {
      $schema: { type: 'string' },
      ...whole.properties,
      chains: recordOf(root.properties!.chains!, presets, ['rpc']),
      plans: recordOf(root.properties!.plans!, plans, []),
    },
  }
}

/** Names with built-in values need only these fields; others need what has no default. */
function recordOf(
  node: SchemaNode,
  builtIn: Readonly<Record<string, object>>,
  required: readonly string[],
): JsonSchema {
  const [pattern, child] = Object.entries(node.patternProperties!)[0]!
  const kinds = kindsOf(child)
  // Built-in values are of one kind, and have its fields.
  const known = (values: object) => {
    const member = kinds === null ? child : memberOf(kinds, values)!
    return { ...schemaOf(member), required }
  }
  return {
    type: 'object',
    description: node.description,
    propertyNames: { pattern },
    properties: Object.fromEntries(
      Object.entries(builtIn).map(([name, values]) => [name, known(values)]),
    ),
    additionalProperties: schemaOf(child),
  }
}

const taken = [
  ...['description', 'default', 'enum', 'const', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'minItems', 'maxItems', 'type'],
] as const

function schemaOf(node: SchemaNode): JsonSchema {
  const kinds = kindsOf(node)
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
