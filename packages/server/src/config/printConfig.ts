import type { SchemaNode } from '../lib/schema.ts'
import { type Config, configSchema } from './schema/schema.ts'
import { memberOfKind, membersByKind } from './schema/schemaNode.ts'

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
