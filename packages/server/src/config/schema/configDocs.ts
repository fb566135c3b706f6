import type { SchemaNode } from '../../lib/schema.ts'
import { configFileEnvName } from '../load.ts'
import { presets } from '../presets.ts'
import { configFields, expectationOf, membersByKind } from './fields.ts'
import { configSchema } from './schema.ts'

const intro = `# Configuration

Generated from the schema by \`chaintape config docs\`; do not edit.

Without a configuration \`chaintape start\` runs and serves a local chain. A configuration is one object in a file
(\`--config FILE\`, or the variable \`${configFileEnvName}\`): JSON, JSON with comments, or YAML.

- Flags override environment variables, variables override the file, the file overrides defaults. Variables of
  lists and objects contain JSON.
- \`chaintape config check\` reports every mistake with its line and column. \`chaintape config print\` prints the
  resulting configuration.
- Editors complete and check the file with its JSON schema. A running service serves it at \`/config.schema.json\`,
  \`chaintape config schema\` prints it, and the repository has it as
  [config.schema.json](../../packages/server/static/config.schema.json). Name it in \`"$schema"\`, or in YAML in a first
  line \`# yaml-language-server: $schema=...\`.

The chains ${Object.keys(presets)
  .map((name) => `\`${name}\``)
  .join(', ')} have presets and need only \`rpc\`:

\`\`\`json
{ "chains": { "eth": { "rpc": [{ "http_url": "https://node.example/KEY" }] } } }
\`\`\`

A field in your file replaces the whole field of the preset.
`

type Row = { key: string; node: SchemaNode }

/** Content of docs/reference/config.md. */
export function configDocs(): string {
  const root = configSchema
  const sections = Object.entries(root.properties!)
  const plain = sections.filter(([, node]) => !node.properties && !node.patternProperties)
  const parts = [
    intro,
    section('General', undefined, plain.map(toRow)),
    ...sections
      .filter(([, node]) => node.properties)
      .map(([key, node]) => section(key, node.description, rowsOf(key, node))),
    ...sections
      .filter(([, node]) => node.patternProperties)
      .flatMap(([key, node]) => recordSections(key, node)),
  ]
  return parts.join('\n')
}

/**
 * One section; one for each kind if the objects have several kinds, the first under the key itself.
 */
function recordSections(key: string, node: SchemaNode): string[] {
  const child = Object.values(node.patternProperties!)[0]!
  const own = { key, node }
  const kinds = membersByKind(child)
  if (!kinds) return [section(key, node.description, [own, ...rowsOf(`${key}.<name>`, child)])]
  return Array.from(kinds, ([kind, member], i) => {
    const rows = rowsOf(`${key}.<name>`, member)
    const title = `${key} of kind ${kind}`
    return section(title, node.description, i === 0 ? [own, ...rows] : rows)
  })
}

function toRow([key, node]: [string, SchemaNode]): Row {
  return { key, node }
}

/** The leaves below a node; lists of objects continue with `[]`. */
function rowsOf(prefix: string, node: SchemaNode): Row[] {
  return Object.entries(node.properties!).flatMap(([key, child]) => {
    const path = `${prefix}.${key}`
    if (child.properties) return rowsOf(path, child)
    if (child.items?.properties)
      return [{ key: path, node: child }, ...rowsOf(`${path}[]`, child.items)]
    return [{ key: path, node: child }]
  })
}

function section(title: string, description: string | undefined, rows: readonly Row[]): string {
  const fields = new Map(configFields().map((field) => [field.path, field]))
  const lines = rows.map(({ key, node }) => {
    const field = fields.get(key)
    const names = field ? [...field.envNames] : []
    if (field?.flag) names.unshift(`--${field.flag}`)
    const from = names.map((name) => `\`${name}\``).join(' ')
    return `| \`${key}\` | ${cell(typeText(node))} | ${defaultText(node)} | ${from} | ${cell(node.description ?? '')} |`
  })
  const table = [
    '| key | type | default | flag, variable | meaning |',
    '|---|---|---|---|---|',
    ...lines,
  ]
  const text = description === undefined ? '' : `${description}\n\n`
  return `## ${title}\n\n${text}${table.join('\n')}\n`
}

function typeText(node: SchemaNode): string {
  const base =
    node.type === 'array' && node.items?.properties ? 'list of objects' : expectationOf(node)
  return node.secret === 'value' ? `${base} (secret)` : base
}

function defaultText(node: SchemaNode): string {
  if (node.default === undefined) return ''
  return `\`${cell(JSON.stringify(node.default))}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
