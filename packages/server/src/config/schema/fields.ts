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
