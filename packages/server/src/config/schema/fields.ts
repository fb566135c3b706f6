import type { SchemaNode } from '../../lib/schema.ts'
import { configSchema } from './schema.ts'

/** A setting that the environment or a flag can give: everything above the inside of lists and chains. */
export type ConfigField = {
  /** As in the file, for example `server.port`. */
  path: string
  node: SchemaNode
  /** Environment names, the first is the one documented first. Never empty. */
  envNames: readonly string[]
  flag: string | null
}

/** Every such setting, in the order of the schema. */
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
  // A flag and its variable share a name, so that --port is CHAINTAPE_PORT too.
  if (flag !== null) envNames.add(envName(flag.replaceAll('-', '_')))
  return { path: path.join('.'), node, envNames: [...envNames], flag }
}

/** The variable of the environment for a setting. */
export function envName(text: string): string {
  return `CHAINTAPE_${text.toUpperCase()}`
}
