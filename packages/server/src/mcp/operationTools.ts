import type { Rest } from '@chaintape/client'
import type { JsonSchema, Operation } from '../gateway/operation/operation.ts'
import { components } from '../gateway/operation/schemas.ts'
import { operations } from '../gateway/operations.ts'
import { McpInputError } from './errors.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** Something a model may call. */
export type Tool = {
  name: string
  description: string
  inputSchema: JsonSchema
}

export type OperationTool = Tool & { run(rest: Rest, given: Arguments): Promise<unknown> }

// A model reads every row: a few tell as much as hundreds.
const rowsDefault = 10
const rowInputs = new Set(['limit', 'page_size', 'pageSize'])
const allFields = 'all'

const tokenFields = [
  ...['token_id', 'token', 'chain', 'symbol', 'name', 'current_price_usd', 'price_change_24h'],
  ...['tx_volume_u_24h', 'market_cap', 'main_pair', 'main_pair_tvl', 'holders', 'launch_at'],
]
const tradeFields = [
  ...['id', 'tx_hash', 'direction', 'amount_usd', 'wallet_address', 'from_token_symbol'],
  ...['from_token_amount', 'to_token_symbol', 'to_token_amount'],
]
const pairFields = [
  ...['pair_id', 'pair', 'chain', 'amm', 'token0_symbol', 'token1_symbol', 'token0_price_usd'],
  ...['token1_price_usd', 'price_change_24h', 'tvl'],
]

/** Of rows that are long, what is kept unless others are asked for. */
const keptByRow: Readonly<Record<string, readonly string[]>> = {
  TokenRow: tokenFields,
  MainToken: tokenFields,
  SwapTx: [...tradeFields, 'tx_time'],
  WalletTx: [...tradeFields, 'time'],
  TokenPair: pairFields,
  PairDetail: [...pairFields, 'target_token', 'volume_u_24h', 'created_at'],
}

/** What is kept of an answer, by the rows in it. Null: all of it, since none is long. */
function keptOf(schema: JsonSchema, prefix = ''): string[] | null {
  const { $ref, anyOf, items, properties, additionalProperties } = schema
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!
    const kept = keptByRow[name.replace(/OrEmpty$/, '')]
    return kept?.map((field) => prefix + field) ?? keptOf(components[name]!, prefix)
  }
  const nested = items ?? (Array.isArray(anyOf) ? anyOf[0] : additionalProperties)
  if (typeof nested === 'object' && nested !== null) return keptOf(nested as JsonSchema, prefix)
  const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, member]) => ({ name: prefix + name, kept: keptOf(member, `${prefix}${name}.`) }),
  )
  if (members.every(({ kept }) => kept === null)) return null
  return members.flatMap(({ name, kept }) => kept ?? [name])
}

/** The one answer that has the envelope by contract is selected from inside of it. */
function answerOf({ answer, isEnveloped = false }: Operation): JsonSchema {
  if (!isEnveloped) return answer
  const whole = components[String(answer.$ref).split('/').at(-1)!]!
  return (whole.properties as Record<string, JsonSchema>).data!
}

/** One for each operation that answers; charting libraries have their own. */
export const operationTools: readonly OperationTool[] = operations
  .filter(({ path, aliasOf }) => path.startsWith('/v2/') && aliasOf === undefined)
  .map(toolOf)

type Parameter = {
  name: string
  wireName: string
  isInPath: boolean
  isRequired: boolean
  schema: JsonSchema
}

function parametersOf({ inputs, body }: Operation): Parameter[] {
  const { properties = {}, required = [] } = (body?.schema ?? {}) as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  return [
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      wireName: name,
      schema,
      isInPath: false,
      isRequired: required.includes(name),
    })),
    ...Object.values(inputs).map(({ name, isRequired, schema, description, in: place }) => ({
      name: name.replaceAll('-', '_'),
      wireName: name,
      isInPath: place === 'path',
      isRequired,
      schema: { ...schema, description },
    })),
  ]
}

function toolOf(operation: Operation): OperationTool {
  const { id: name, cost, summary, description } = operation
  const parameters = parametersOf(operation)
  const kept = keptOf(answerOf(operation))?.join(',')
  return {
    name,
    description: [`${summary}.`, description, `Costs ${cost} credit units.`]
      .filter(Boolean)
      .join(' '),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((one) => [one.name, shownSchema(one, kept)])),
      required: parameters.filter(({ isRequired }) => isRequired).map((one) => one.name),
      additionalProperties: false,
    },
    run(rest, given) {
      checkNames(name, parameters, given)
      const ids = parameters.filter(({ isInPath }) => isInPath).map((one) => given[one.name])
      const params = { ...defaultsOf(parameters, kept), ...withoutIds(parameters, given) }
      if (params.fields === allFields) delete params.fields
      const methods = rest as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>
      return methods[name]!(...ids, params)
    },
  }
}

function shownSchema({ name, schema }: Parameter, kept: string | undefined): JsonSchema {
  if (rowInputs.has(name)) return { ...schema, default: rowsDefault }
  if (name !== 'fields' || kept === undefined) return schema
  return {
    ...schema,
    default: kept,
    description: `${schema.description} \`${allFields}\`: every member.`,
  }
}

function defaultsOf(parameters: readonly Parameter[], kept: string | undefined) {
  const defaults: Record<string, unknown> = kept === undefined ? {} : { fields: kept }
  for (const { name, wireName } of parameters)
    if (rowInputs.has(name)) defaults[wireName] = rowsDefault
  return defaults
}

function withoutIds(parameters: readonly Parameter[], given: Arguments): Record<string, unknown> {
  const ofQuery = parameters.filter(({ isInPath, name }) => !isInPath && given[name] !== undefined)
  return Object.fromEntries(ofQuery.map(({ name, wireName }) => [wireName, given[name]]))
}

/** A model corrects itself when it is told what there is. */
export function checkNames(
  tool: string,
  parameters: readonly { name: string; isRequired: boolean }[],
  given: Arguments,
): void {
  const names = parameters.map(({ name }) => name)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new McpInputError(
      `${tool} has no argument ${unknown}; it has: ${names.join(', ') || 'none'}.`,
    )
  const missing = parameters.find(({ name, isRequired }) => isRequired && given[name] === undefined)
  if (missing !== undefined) throw new McpInputError(`${tool} needs the argument ${missing.name}.`)
}
