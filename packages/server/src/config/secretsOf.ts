import type { SchemaNode } from '../lib/schema.ts'
import { type Config, configSchema } from './schema/schema.ts'
import { memberOfKind, membersByKind } from './schema/schemaNode.ts'

/** All values that the schema marks as secret. */
export function configSecretsOf(config: Config): { urls: string[]; words: string[] } {
  const values = secretsIn(configSchema, config)
  return {
    urls: values.filter((value) => value.includes('://')),
    words: values.filter((value) => !value.includes('://')),
  }
}

function secretsIn(node: SchemaNode, value: unknown): string[] {
  if (value === undefined || value === null) return []
  if (node.secret !== undefined) return [String(value)]
  const kinds = membersByKind(node)
  if (kinds) return secretsIn(memberOfKind(kinds, value)!, value)
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(node.items!, item))
  if (typeof value !== 'object') return []
  const children = Object.values(node.patternProperties ?? {})[0]
  return Object.entries(value).flatMap(([key, item]) => {
    const child = children ?? node.properties?.[key]
    return child === undefined ? [] : secretsIn(child, item)
  })
}
