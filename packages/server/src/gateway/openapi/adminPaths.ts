import { graceSDefault, idDigitsMax, secondsMax, textCharsMax } from '../admin/adminInputs.ts'
import type { JsonSchema } from '../operation/operation.ts'
import { objectOf, ref } from '../operation/schemas.ts'

export const adminTag = 'admin'
export const adminScheme = { type: 'apiKey', in: 'header', name: 'X-ADMIN-KEY' }

const idParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `id` of the key.',
  schema: { type: 'integer', minimum: 0, maximum: 10 ** idDigitsMax - 1 },
}

function seconds(description: string, minimum: number, fallback?: number): JsonSchema {
  return {
    type: ['integer', 'null'],
    minimum,
    maximum: secondsMax,
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  }
}

const word = (description: string) => ({
  type: 'string',
  minLength: 1,
  maxLength: textCharsMax,
  description,
})

// Whoever has the admin key has no plan, neither rates nor credits; who has not may try so often.
const failures = [400, 401, 404, 429, 500, 503]

type AdminOperation = {
  operationId: string
  summary: string
  status: 200 | 201
  answer: JsonSchema
  description?: string
  body?: { isRequired: boolean; description: string; schema: JsonSchema; example: object }
  hasId?: boolean
}

function adminOperation(operation: AdminOperation): object {
  const { operationId, summary, description, body, status, answer, hasId = true } = operation
  return {
    operationId,
    tags: [adminTag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: [{ adminKey: [] }],
    'x-cu-cost': 0,
    parameters: hasId ? [idParameter] : [],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.isRequired,
            description: body.description,
            content: { 'application/json': { schema: body.schema, example: body.example } },
          },
        }),
    responses: {
      [status]: {
        description: 'The answer.',
        content: { 'application/json': { schema: answer } },
      },
      ...Object.fromEntries(
        failures.map((code) => [code, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  }
}

/** Paths that need the admin key. They exist only where one is configured. */
export const adminPaths: Readonly<Record<string, object>> = {
  '/admin/keys': {
    get: adminOperation({
      operationId: 'listKeys',
      summary: 'All API keys',
      status: 200,
      hasId: false,
      description:
        'With what each of them used in this period. 404 where no admin key is configured.',
      answer: ref('ListedKeys'),
    }),
    post: adminOperation({
      operationId: 'createKey',
      summary: 'Make an API key',
      status: 201,
      hasId: false,
      description: '`key` is shown here only: its hash is what is stored.',
      body: {
        isRequired: true,
        description: 'The plan of the key.',
        schema: objectOf(
          {
            plan: word('Name of a plan.'),
            name: word('Whose it is, or what for.'),
            expires_in: seconds('Seconds until it expires; null or none: never.', 1),
          },
          { optional: ['name', 'expires_in'] },
        ),
        example: { plan: 'free', name: 'app' },
      },
      answer: ref('MadeKey'),
    }),
  },
  '/admin/keys/{id}/rotate': {
    post: adminOperation({
      operationId: 'rotateKey',
      summary: 'Replace an API key',
      status: 201,
      description:
        'The new one has the same account and plan; the old one works on for `grace` seconds.',
      body: {
        isRequired: false,
        description: 'How long the old key works on.',
        schema: objectOf({ grace: seconds('Seconds.', 0, graceSDefault) }, { optional: ['grace'] }),
        example: { grace: graceSDefault },
      },
      answer: ref('RotatedKey'),
    }),
  },
  '/admin/keys/{id}/expire': {
    post: adminOperation({
      operationId: 'expireKey',
      summary: 'Let an API key expire',
      status: 200,
      body: {
        isRequired: false,
        description: 'When.',
        schema: objectOf({ in: seconds('Seconds from now.', 0, 0) }, { optional: ['in'] }),
        example: { in: 0 },
      },
      answer: ref('ApiKey'),
    }),
  },
  '/admin/keys/{id}/revoke': {
    post: adminOperation({
      operationId: 'revokeKey',
      summary: 'End an API key at once',
      status: 200,
      answer: ref('ApiKey'),
    }),
  },
  '/admin/keys/{id}/usage': {
    get: adminOperation({
      operationId: 'keyUsage',
      summary: 'What an API key has used',
      status: 200,
      description: 'As `/v2/usage` tells the holder of the key; `rate_limit.remaining` is null.',
      answer: ref('Usage'),
    }),
  },
  '/admin/nodes': {
    get: adminOperation({
      operationId: 'listNodes',
      summary: 'What the nodes said',
      status: 200,
      hasId: false,
      description:
        'Health and status give the kind of an error and the place of the endpoint alone. Keys and passwords of configured addresses are `<hidden>` here, too.',
      answer: ref('Nodes'),
    }),
  },
}
