import type { SchemaNode } from '../lib/schema.ts'
import { memberOfKind, membersByKind } from './schema/fields.ts'
import { type Config, configSchema } from './schema/schema.ts'

const masked = '<set>'

/** The effective configuration, with every secret as `<set>`. */
export function printableConfig(config: Config): Record<string, unknown> {
  const { fixed: _, ...settings } = config
  return mask(configSchema, settings) as Record<string, unknown>
}

function mask(node: SchemaNode, value: unknown): unknown {
  if (value === undefined) return undefined
  if (node.secret === 'value') return masked
  if (node.secret === 'url') return maskUrl(String(value))
  const kinds = membersByKind(node)
  if (kinds) return mask(memberOfKind(kinds, value)!, value)
  if (Array.isArray(value)) return value.map((item) => mask(node.items!, item))
  if (typeof value !== 'object' || value === null) return value
  const children = Object.values(node.patternProperties ?? {})[0]
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      mask(children ?? node.properties![key]!, item),
    ]),
  )
}

/**
 * Providers put keys into the path, the query or the user part, so only scheme and host are shown.
 */
function maskUrl(text: string): string {
  if (!URL.canParse(text)) return masked
  const url = new URL(text)
  const hasMore =
    url.pathname !== '/' || url.search !== '' || url.username !== '' || url.hash !== ''
  return `${url.protocol}//${url.host}${hasMore ? `/${masked}` : ''}`
}

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
