// Writes what packages/mcp knows of the REST operations: inputs, answers and costs.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { componentSchemas, type JsonSchema } from '../src/gateway/ground/schemas.ts'
import type { Operation } from '../src/gateway/rest/operation.ts'
import { operations } from '../src/gateway/rest/operations.ts'

export const mcpOperationsPath = resolve(import.meta.dirname, '../../mcp/src/operations.ts')

// The members of an input that a tool shows. Descriptions of arguments are in packages/mcp, once
// for all operations.
const shownWords = ['type', 'enum']

/** Text of the generated source file. */
export function mcpOperations(): string {
  const facts = operations
    .filter(({ path, aliasOf }) => path.startsWith('/v2/') && aliasOf === undefined)
    .map((operation) => `  ${operation.id}: ${JSON.stringify(factsOf(operation))},\n`)
  return `import type { OperationFacts } from './operationFacts.ts'

/** Generated from the table of operations by \`npm run generate\`; do not edit. */
// biome-ignore format: one line for each operation
export const operations = {
${facts.join('')}} as const satisfies Readonly<Record<string, OperationFacts>>
`
}

function factsOf(operation: Operation) {
  const { summary, cost, inputs, body } = operation
  const given = Object.values(inputs)
  const { properties = {}, required = [] } = (body?.schema ?? {}) as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  const schemas = [
    ...Object.entries(properties),
    ...given.map(({ name, schema }) => [name, schema] as const),
  ]
  return {
    summary,
    cost,
    ids: given.filter((input) => input.in === 'path').map(({ name }) => name),
    required: [...required, ...given.filter((input) => input.isRequired).map(({ name }) => name)],
    inputs: Object.fromEntries(schemas.map(([name, schema]) => [name, shown(schema)])),
    answer: answerOf(operation),
  }
}

function shown(schema: JsonSchema): JsonSchema {
  const { items, ...words } = schema as { items?: { type: unknown } }
  const kept = Object.entries(words).filter(([word]) => shownWords.includes(word))
  return {
    ...Object.fromEntries(kept),
    ...(items === undefined ? {} : { items: { type: items.type } }),
  }
}

/** The client unwraps the one answer that has the envelope by contract. */
function answerOf({ answer, isEnveloped = false }: Operation): JsonSchema {
  if (!isEnveloped) return answer
  const whole = componentSchemas[String(answer.$ref).split('/').at(-1)!]!
  return (whole.properties as Record<string, JsonSchema>).data!
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(mcpOperationsPath, mcpOperations())
