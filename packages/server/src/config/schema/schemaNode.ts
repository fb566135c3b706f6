import type { SchemaNode } from '../../lib/schema.ts'

/** Describes the accepted values: `integer from 0 to 65535`, `contract or always`. */
export function expectationOf(node: SchemaNode): string {
  if (node.const !== undefined) return node.const
  if (node.enum) return node.enum.join(' or ')
  if (node.anyOf) return node.anyOf.map(expectationOf).join(' or ')
  if (node.address) return 'address'
  if (node.patternProperties) return 'object by name'
  if (node.type === 'array') return `list of ${expectationOf(node.items!)}`
  if (node.form !== undefined) return node.form
  const { minimum, maximum } = node
  if (minimum !== undefined && maximum !== undefined)
    return `${node.type} from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `${node.type} of at least ${minimum}`
  return node.type!
}

/** Members of a union of objects, by their `kind`; null if the node is not such a union. */
export function membersByKind(node: SchemaNode): ReadonlyMap<string, SchemaNode> | null {
  const members = node.anyOf?.filter(({ properties }) => properties?.kind !== undefined) ?? []
  if (members.length === 0) return null
  return new Map(members.map((member) => [member.properties!.kind!.const!, member]))
}

/** The member for a value's kind; undefined if the kind is unknown. */
export function memberOfKind(
  kinds: ReadonlyMap<string, SchemaNode>,
  value: unknown,
): SchemaNode | undefined {
  const given =
    typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
  if (given !== undefined) return typeof given === 'string' ? kinds.get(given) : undefined
  return [...kinds.values()].find(({ properties }) => properties!.kind!.default !== undefined)
}
