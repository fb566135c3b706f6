// Writes the methods of packages/client: one for each REST operation, with the types of its params
// and its answer.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonSchema } from '../src/gateway/ground/schemas.ts'
import type { Input } from '../src/gateway/inputs/inputs.ts'
import type { Operation } from '../src/gateway/rest/operation.ts'
import { operations as allOperations } from '../src/gateway/rest/operations.ts'

export const clientOperationsPath = resolve(
  import.meta.dirname,
  '../../client/src/rest/operations.ts',
)

const operations = allOperations.filter(({ aliasOf }) => aliasOf === undefined)

const lineCharsMax = 100
/** Types whose name in packages/protocol is not that of their schema. */
const typeNames: Readonly<Record<string, string>> = {
  Usage: 'UsageBody',
  MainToken: 'TokenRow',
}

/** Text of the generated source file. */
export function clientOperations(): string {
  const imported = new Set<string>()
  const methods = operations.map((operation) => methodText(operation, imported)).join('\n')
  return `import type {
${[...imported]
  .sort()
  .map((name) => `  ${name},\n`)
  .join('')}} from '@chaintape/protocol'
import type { CallOptions } from './send.ts'

/** What is not known. */
export type Empty = Readonly<Record<string, never>>

/**
 * A method for each operation under /v2 and /udf, which docs/reference/rest.md describes. Ids are
 * \`<address>-<chain>\`; \`fields\` has names of members, separated by commas, and the answer then
 * has no others. Generated from the table of operations by \`npm run generate\`; do not edit.
 */
export type Operations = {
${methods}}

/** Where each is asked; a GET unless it says POST. */
export const routes: Readonly<Record<keyof Operations, string>> = {
${operations.map(({ id, method, path }) => `  ${id}: '${method === 'GET' ? '' : 'POST '}${path}',\n`).join('')}}
`
}

function methodText(operation: Operation, imported: Set<string>): string {
  const { id, method, path, cost, summary } = operation
  const inputs = Object.values(operation.inputs)
  const ids = inputs.filter((input) => input.in === 'path').map(({ name }) => camelCase(name))
  const members = [
    ...bodyMembers(operation.body?.schema),
    ...inputs.filter((input) => input.in === 'query').map(queryMember),
  ]
  const mark = members.some(({ isRequired }) => isRequired) ? '' : '?'
  const params =
    members.length === 0
      ? 'params?: Empty'
      : `params${mark}: {\n${members.map(memberText).join('')}    }`
  const answer = answerType(operation, imported)
  const given = [...ids.map((name) => `${name}: string`), params, 'call?: CallOptions']
  const oneLine = `  ${id}(${given.join(', ')}): Promise<${answer}>`
  // Several lines where they do not fit on one, as the formatter has it.
  const broken = `  ${id}(\n${given.map((text) => `    ${text},\n`).join('')}  ): Promise<${answer}>`
  const isShort = members.length === 0 && oneLine.length <= lineCharsMax
  return `  /** ${summary}. ${method} ${path}, ${cost} credit units. */\n${isShort ? oneLine : broken}\n`
}

type Member = { name: string; isRequired: boolean; schema: JsonSchema; description?: string }

function queryMember({ name, isRequired, schema, description }: Input<unknown>): Member {
  return { name, isRequired, schema, ...(name === 'fields' ? {} : { description }) }
}

function bodyMembers(schema: JsonSchema | undefined): Member[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, member]) => ({
    name,
    schema: member,
    isRequired: required.includes(name),
    ...(typeof member.description === 'string' ? { description: member.description } : {}),
  }))
}

function memberText({ name, isRequired, schema, description }: Member): string {
  const comment = description === undefined ? '' : `      /** ${description} */\n`
  const type = typeOf(schema)
  const words = [...type.split(' | '), ...(isRequired ? [] : ['undefined'])]
  const start = `      ${name}${isRequired ? '' : '?'}:`
  const line = `${start} ${words.join(' | ')}`
  if (line.length <= lineCharsMax) return `${comment}${line}\n`
  return `${comment}${start}\n${words.map((word) => `        | ${word}\n`).join('')}`
}

function answerType({ answer, isEnveloped = false }: Operation, imported: Set<string>): string {
  return isEnveloped ? `${typeOf(answer, imported)}['data']` : typeOf(answer, imported)
}

function typeOf(schema: JsonSchema, imported = new Set<string>()): string {
  const { $ref, anyOf, items, additionalProperties, type, enum: words } = schema
  if (typeof $ref === 'string') return namedType($ref.split('/').at(-1)!, imported)
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(one, imported)).join(' | ')
  if (Array.isArray(words)) {
    // A flag, which the query has as a word.
    if (words.includes('true')) return 'boolean'
    return words.map((word) => (typeof word === 'string' ? `'${word}'` : word)).join(' | ')
  }
  if (type === 'array') return `readonly ${typeOf(items as JsonSchema, imported)}[]`
  if (type === 'object')
    return `Readonly<Record<string, ${typeOf(additionalProperties as JsonSchema, imported)}>>`
  return type === 'integer' ? 'number' : String(type)
}

function namedType(schemaName: string, imported: Set<string>): string {
  const name = schemaName.replace(/OrEmpty$/, '')
  const type = typeNames[name] ?? name
  imported.add(type)
  return name === schemaName ? type : `${type} | Empty`
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(clientOperationsPath, clientOperations())
