import { type ErrorCode, errorSpecs, type ResponseEnvelope } from '@chaintape/protocol'
import { componentRef, componentSchemas, type JsonSchema } from '../../ground/schemas.ts'
import type { Input } from '../../inputs/inputs.ts'
import {
  hasEnvelope,
  isCompatibilityMode,
  responseBodySchema,
  wrapInEnvelope,
} from '../../rest/envelope.ts'
import { isChartOperation, type Operation } from '../../rest/operation.ts'
import {
  createSelectedSchemas,
  hasFieldsInput,
  type SelectedSchemas,
  selectedMediaType,
} from '../../rest/selectedSchemas.ts'
import { type OperationExample, readExamples } from './examples.ts'
import { type UnmeteredOperation, unmeteredOperations } from './unmeteredOperations.ts'

// Version of the public interface, independent of the program's version.
const interfaceVersion = '2.1.0'

/**
 * Builds the OpenAPI 3.1 document from the operations and their recorded examples. The envelope
 * mode decides which answers are wrapped.
 */
export function openApiDocument(
  operations: readonly Operation[],
  baseUrls: readonly string[],
  responseEnvelope: ResponseEnvelope,
): object {
  const selected = createSelectedSchemas()
  const paths = pathsOf(operations, responseEnvelope, selected)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Chaintape',
      version: interfaceVersion,
      summary: 'Market data of on-chain markets',
      description:
        'Prices, pairs, klines, transactions and holders of the chains this service reads. Amounts are whole tokens, ' +
        'times are unix seconds, decimals are plain digits without exponent. `x-cu-cost` is the price of a successful request in ' +
        'credit units; a failed one costs nothing.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: {
      description: 'The WebSocket interface, as AsyncAPI 3.0.',
      url: `${baseUrls[0] ?? ''}/asyncapi.json`,
    },
    servers: baseUrls.map((url) => ({ url })),
    security: [{ apiKey: [] }],
    tags: [
      ...[...new Set(operations.map(({ tag }) => tag))].map((name) => ({
        name,
        description: tagMeanings[name],
      })),
      {
        name: 'admin',
        description: 'API keys. Requires `admin_key` in the configuration.',
      },
    ],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
        adminKey: { type: 'apiKey', in: 'header', name: 'X-ADMIN-KEY' },
      },
      schemas: { ...componentSchemas, ...selected.rows },
      responses: Object.fromEntries(
        errorStatuses.flatMap((status) => [
          [status, errorResponse(status, 'Error')],
          [`${chartPrefix}${status}`, errorResponse(status, 'UdfError')],
        ]),
      ),
    },
  }
}

const tagMeanings: Readonly<Record<Operation['tag'], string>> = {
  tokens: 'Tokens: search, prices, details, holders, risk and lists.',
  pairs: 'Pairs.',
  klines: 'Klines, also as a chart feed.',
  transactions: 'Swaps and liquidity changes.',
  ranks: 'Ranked tokens by topic.',
  wallets: 'Wallets: their trades, tokens and profit.',
  service: 'The service itself.',
}

const codes = Object.keys(errorSpecs) as ErrorCode[]

/** Every HTTP status an operation may fail with. */
const errorStatuses = [...new Set(codes.map((code) => errorSpecs[code].httpStatus))].sort()

// Error responses of chart operations have their own names, because the UDF protocol has its own
// error format.
const chartPrefix = 'Udf'

function errorResponse(status: number, schema: 'Error' | 'UdfError'): object {
  const meanings = codes
    .filter((code) => errorSpecs[code].httpStatus === status)
    .map((code) => `\`${code}\`: ${errorSpecs[code].meaning}`)
  return {
    description: meanings.join(' '),
    content: { 'application/json': { schema: componentRef(schema) } },
  }
}

function pathsOf(
  operations: readonly Operation[],
  responseEnvelope: ResponseEnvelope,
  selected: SelectedSchemas,
) {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const { method, path, compatPath } = operation
    const answer: AnswerSchemas = {
      whole: responseBodySchema(operation, responseEnvelope),
      selected: hasFieldsInput(operation)
        ? responseBodySchema(operation, responseEnvelope, selected.schemaOf)
        : null,
    }
    const shown = paidObject(operation, answer, exampleOf(operation, responseEnvelope))
    paths[path] = { ...paths[path], [method.toLowerCase()]: shown }
    if (compatPath !== undefined && isCompatibilityMode(responseEnvelope)) {
      const operationId = `${operation.id}Compat`
      paths[compatPath] = { [method.toLowerCase()]: { ...shown, operationId } }
    }
  }
  for (const operation of unmeteredOperations) {
    const { method, path } = operation
    paths[path] = { ...paths[path], [method.toLowerCase()]: otherObject(operation) }
  }
  return paths
}

/**
 * Returns the recorded example, wrapped in the envelope where answers are. The example has no
 * answer where compatibility mode changes the answer's shape.
 */
function exampleOf(operation: Operation, responseEnvelope: ResponseEnvelope) {
  const example: Partial<OperationExample> = readExamples().operations[operation.id] ?? {}
  const { answer, ...asked } = example
  if (answer === undefined || !hasEnvelope(operation, responseEnvelope)) return example
  if (operation.envelopedAnswer !== undefined) return asked
  return { ...asked, answer: JSON.parse(wrapInEnvelope(JSON.stringify(answer))) as unknown }
}

const json = (schema: JsonSchema, more: object = {}) => ({
  'application/json': { schema, ...more },
})

function failuresOf(statuses: readonly number[], prefix = '') {
  const references = statuses.map((status) => {
    return [status, { $ref: `#/components/responses/${prefix}${status}` }]
  })
  return Object.fromEntries(references) as Record<number, object>
}

type Shown = Pick<Operation, 'id' | 'summary' | 'cost'> & {
  tag: string
  description?: string | undefined
  /** Security schemes of the operation. @default an API key */
  security?: readonly object[]
  parameters: readonly object[]
  body: { isRequired: boolean; description: string; content: object } | undefined
  responses: Readonly<Record<number, object>>
}

/**
 * Builds an OpenAPI operation object. Undefined members disappear when the document is serialized.
 */
function operationObject(shown: Shown): object {
  const { id, tag, summary, description, cost, security, parameters, body, responses } = shown
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    'x-cu-cost': cost,
    security,
    parameters,
    requestBody: body && {
      required: body.isRequired,
      description: body.description,
      content: body.content,
    },
    responses,
  }
}

// Statuses of admin operations. The admin key has no rate limit and no credits; 429 is for
// addresses that send a wrong key.
const adminFailures = [400, 401, 404, 429, 500, 503]

function otherObject(operation: UnmeteredOperation): object {
  const { tag, parameters = [], body, status = 200, answer, hasEtag, otherAnswers = {} } = operation
  const { contentType = 'application/json' } = operation
  const others = Object.entries(otherAnswers).map(([code, { description, schema }]) => {
    return [code, { description, content: json(schema) }]
  })
  return operationObject({
    ...operation,
    cost: 0,
    security: tag === 'admin' ? [{ adminKey: [] }] : [],
    parameters,
    body: body && { ...body, content: json(body.schema, { example: body.example }) },
    responses: {
      [status]: { description: 'The answer.', content: { [contentType]: { schema: answer } } },
      ...(hasEtag === true ? { 304: unchangedResponse } : {}),
      ...failuresOf(tag === 'admin' ? adminFailures : [429]),
      ...Object.fromEntries(others),
    },
  })
}

const unchangedResponse = {
  description: 'The answer is unchanged since the `If-None-Match` version; no body.',
}

/**
 * Schemas of a complete answer, and of an answer reduced by `fields`. `selected` is null for
 * operations without `fields`.
 */
type AnswerSchemas = { whole: JsonSchema; selected: JsonSchema | null }

function paidObject(
  operation: Operation,
  answer: AnswerSchemas,
  example: Partial<OperationExample>,
): object {
  const { inputs, body } = operation
  const isCharts = isChartOperation(operation)
  const { answer: shownAnswer, body: shownBody = body?.example } = example
  return operationObject({
    ...operation,
    ...(isCharts ? { security: [{ apiKey: [] }, { apiKeyInQuery: [] }] } : {}),
    parameters: Object.values(inputs).map((input) => parameterObject(input, example)),
    body: body && {
      isRequired: true,
      description: body.description,
      content: json(body.schema, { example: shownBody }),
    },
    responses: {
      200: {
        description: 'The answer.',
        content: {
          ...json(answer.whole, shownAnswer === undefined ? {} : { example: shownAnswer }),
          ...(answer.selected === null ? {} : { [selectedMediaType]: { schema: answer.selected } }),
        },
      },
      ...(operation.hasEtag === true ? { 304: unchangedResponse } : {}),
      ...failuresOf(errorStatuses, isCharts ? chartPrefix : ''),
    },
  })
}

function parameterObject(input: Input<unknown>, { inputs }: Partial<OperationExample>): object {
  const given = inputs?.[input.name] ?? input.example
  // Numeric examples must be JSON numbers to match the parameter's schema.
  const shown = input.schema.type === 'integer' && given !== undefined ? Number(given) : given
  return {
    name: input.name,
    in: input.in,
    required: input.isRequired,
    description: input.description,
    schema: input.schema,
    ...(shown === undefined || shown === '' ? {} : { example: shown }),
  }
}
