import { type ErrorCode, errorSpecs, type ResponseEnvelope } from '@chaintape/protocol'
import { bodySchemaOf, isCompatible } from '../operation/envelope.ts'
import { type Input, isOfCharts, type JsonSchema, type Operation } from '../operation/operation.ts'
import { components, ref } from '../operation/schemas.ts'
import {
  createSelectedSchemas,
  isSelectable,
  type SelectedSchemas,
  selectedType,
} from '../operation/selectedSchemas.ts'
import { adminPaths, adminScheme, adminTag } from './adminPaths.ts'
import { servicePaths, unchangedResponse } from './servicePaths.ts'

type OpenApiOptions = {
  operations: readonly Operation[]
  baseUrls: readonly string[]
  /** Says which answers are in the envelope. */
  responseEnvelope: ResponseEnvelope
  /** Real inputs and answers of the running market, by operation id; empty while there is no market. */
  examples: ReadonlyMap<string, OperationExample>
}

export type OperationExample = {
  /** By input name. */
  inputs: Readonly<Record<string, string | number>>
  body?: unknown
  /** The whole body of the answer, in its envelope where it has one. */
  answer?: unknown
}

// The version of the interface, not of this program.
const interfaceVersion = '2.1.0'

/** The service as an OpenAPI 3.1 document, made from the operations alone. */
export function openApiDocument(options: OpenApiOptions): object {
  const { operations, baseUrls } = options
  const selected = createSelectedSchemas()
  const paths = pathsOf(options, selected)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Chaintape',
      version: interfaceVersion,
      summary: 'Market data of on-chain markets',
      description:
        'Prices, pairs, klines, transactions and holders of the chains this service reads. Amounts are whole tokens, ' +
        'times unix seconds, decimals plain digits without exponent. `x-cu-cost` is what a successful request costs in ' +
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
        name: adminTag,
        description: 'API keys, for whoever has `admin_key` of the configuration.',
      },
    ],
    paths: { ...paths, ...servicePaths, ...adminPaths },
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
        adminKey: adminScheme,
      },
      schemas: { ...components, ...selected.rows },
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
  klines: 'Klines, and the same as a chart feed.',
  transactions: 'Swaps and liquidity changes.',
  ranks: 'Ranked tokens by topic.',
  wallets: 'Wallets: what they traded, have and earned.',
  service: 'The service itself.',
}

const codes = Object.keys(errorSpecs) as ErrorCode[]

/** Every status an operation may fail with, each with the codes it carries. */
const errorStatuses = [...new Set(codes.map((code) => errorSpecs[code].httpStatus))].sort()

// Charts are told of errors in words of their own.
const chartPrefix = 'Udf'

function errorResponse(status: number, schema: 'Error' | 'UdfError'): object {
  const meanings = codes
    .filter((code) => errorSpecs[code].httpStatus === status)
    .map((code) => `\`${code}\`: ${errorSpecs[code].meaning}`)
  return {
    description: meanings.join(' '),
    content: { 'application/json': { schema: ref(schema) } },
  }
}

function pathsOf(
  { operations, examples, responseEnvelope }: OpenApiOptions,
  selected: SelectedSchemas,
) {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const { id, method, path, compatPath } = operation
    const answer: AnswerSchemas = {
      whole: bodySchemaOf(operation, responseEnvelope),
      selected: isSelectable(operation)
        ? bodySchemaOf(operation, responseEnvelope, selected.of)
        : null,
    }
    const shown = operationObject(operation, answer, examples.get(id))
    paths[path] = { ...paths[path], [method.toLowerCase()]: shown }
    if (compatPath !== undefined && isCompatible(responseEnvelope))
      paths[compatPath] = { [method.toLowerCase()]: { ...shown, operationId: `${id}Compat` } }
  }
  return paths
}

/** Schemas of a whole body and of a body with the members that `fields` names; null: no `fields`. */
type AnswerSchemas = { whole: JsonSchema; selected: JsonSchema | null }

function operationObject(
  operation: Operation,
  answer: AnswerSchemas,
  example: OperationExample | undefined,
): object {
  const { id, tag, summary, description, cost, inputs, body } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    'x-cu-cost': cost,
    ...(isOfCharts(operation) ? { security: [{ apiKey: [] }, { apiKeyInQuery: [] }] } : {}),
    parameters: Object.values(inputs).map((input) => parameterObject(input, example)),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            description: body.description,
            content: {
              'application/json': { schema: body.schema, example: example?.body ?? body.example },
            },
          },
        }),
    responses: {
      200: {
        description: 'The answer.',
        content: {
          'application/json': {
            schema: answer.whole,
            ...(example?.answer === undefined ? {} : { example: example.answer }),
          },
          ...(answer.selected === null ? {} : { [selectedType]: { schema: answer.selected } }),
        },
      },
      ...(operation.isTagged === true ? { 304: unchangedResponse } : {}),
      ...Object.fromEntries(
        errorStatuses.map((status) => [
          status,
          { $ref: `#/components/responses/${isOfCharts(operation) ? chartPrefix : ''}${status}` },
        ]),
      ),
    },
  }
}

function parameterObject(input: Input<unknown>, example: OperationExample | undefined): object {
  const given = example?.inputs[input.name] ?? input.example
  // An example has the type of its schema.
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
