import type { SchemaNode } from '../../lib/schema.ts'
import { configSchema } from './schema.ts'

/** A setting that a flag or the environment can give: everything outside of lists and chains. */
export type ConfigField = {
  /** As in the file, for example `server.port`. */
  path: string
  node: SchemaNode
  /** Names of environment variables; the documented one comes first. Never empty. */
  envNames: readonly string[]
  flag: string | null
}

/** Returns all settings that the environment or a flag can set, in the order of the schema. */
export function configFields(): readonly ConfigField[] {
  return fieldsOf(configSchema, [])
}

function fieldsOf(node: SchemaNode, path: readonly string[]): ConfigField[] {
  if (!node.properties) return [fieldOf(node, path)]
  return Object.entries(node.properties).flatMap(([key, child]) => fieldsOf(child, [...path, key]))
}

function fieldOf(node: SchemaNode, path: readonly string[]): ConfigField {
  const flag = node.flag ?? null
  const envNames = new Set([envName(path.join('_'))])
  // A flag and its variable share a name: --port is also CHAINTAPE_PORT.
  if (flag !== null) envNames.add(envName(flag.replaceAll('-', '_')))
  return { path: path.join('.'), node, envNames: [...envNames], flag }
}

/** Name of a setting's environment variable. */
export function envName(text: string): string {
  return `CHAINTAPE_${text.toUpperCase()}`
}

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
