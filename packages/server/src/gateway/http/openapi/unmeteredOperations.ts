import {
  componentRef,
  type JsonSchema,
  openObjectSchema,
  textSchema,
} from '../../ground/schemas.ts'
import { defaultGraceS, idDigitsMax, secondsMax, textCharsMax } from '../admin/adminInputs.ts'

/**
 * An operation that needs no API key: open to anyone (`service`), or limited to the admin key
 * (`admin`).
 */
export type UnmeteredOperation = {
  id: string
  method: 'GET' | 'POST'
  path: string
  tag: 'service' | 'admin'
  summary: string
  description?: string
  parameters?: readonly object[]
  body?: { isRequired: boolean; description: string; schema: JsonSchema; example: object }
  /** Status of a successful answer. @default 200 */
  status?: 201
  answer: JsonSchema
  /** Content type of the answer. @default application/json */
  contentType?: string
  /** True when the answer has an ETag. */
  hasEtag?: boolean
  /** Extra answers by status, in addition to the failures common to the tag. */
  otherAnswers?: Readonly<Record<number, { description: string; schema: JsonSchema }>>
}

const idParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The `id` of the key.',
  schema: { type: 'integer', minimum: 0, maximum: 10 ** idDigitsMax - 1 },
}

const chainParameter = {
  name: 'chain',
  in: 'query',
  required: false,
  schema: textSchema,
  description:
    'Only this chain, as it is now: 200 when it is ready, else 503; without it all of them.',
}

const seconds = (description: string, minimum: number, fallback?: number): JsonSchema => ({
  type: ['integer', 'null'],
  minimum,
  maximum: secondsMax,
  description,
  ...(fallback === undefined ? {} : { default: fallback }),
})

const word = (description: string): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength: textCharsMax,
  description,
})

const service = { method: 'GET', tag: 'service' } as const
const admin = { method: 'GET', tag: 'admin' } as const
const adminPost = { method: 'POST', tag: 'admin' } as const
const ofKey = { parameters: [idParameter] }

/**
 * Documented operations that operations.ts does not list. Admin operations exist only when
 * `admin_key` is configured.
 */
export const unmeteredOperations: readonly UnmeteredOperation[] = [
  {
    ...service,
    id: 'healthLive',
    path: '/health/live',
    summary: 'Does the process run?',
    answer: componentRef('Live'),
  },
  {
    ...service,
    id: 'healthReady',
    path: '/health/ready',
    summary: 'Can every chain be asked?',
    parameters: [chainParameter],
    answer: componentRef('Ready'),
    otherAnswers: {
      400: { description: 'There is no such chain.', schema: componentRef('Error') },
      503: { description: 'Not yet; `reasons` say why.', schema: componentRef('Ready') },
    },
  },
  {
    ...service,
    id: 'metrics',
    path: '/metrics',
    summary: 'Figures of the service for Prometheus',
    answer: textSchema,
    contentType: 'text/plain',
    otherAnswers: {
      404: {
        description: 'Another machine asks, and `server.metrics_port` is not set.',
        schema: componentRef('Error'),
      },
    },
  },
  {
    ...service,
    id: 'openapi',
    path: '/openapi.json',
    summary: 'This document',
    answer: { type: 'object' },
    hasEtag: true,
  },
  {
    ...service,
    id: 'asyncapi',
    path: '/asyncapi.json',
    summary: 'The WebSocket interface as a document',
    answer: { type: 'object' },
    hasEtag: true,
  },
  {
    ...admin,
    id: 'listKeys',
    path: '/admin/keys',
    summary: 'All API keys',
    description:
      'With what each of them used in this period. 404 where no admin key is configured.',
    answer: componentRef('ListedKeys'),
  },
  {
    ...adminPost,
    id: 'createKey',
    path: '/admin/keys',
    summary: 'Make an API key',
    description: '`key` is shown here only: its hash is what is stored.',
    body: {
      isRequired: true,
      description: 'The plan of the key.',
      schema: openObjectSchema(
        {
          plan: word('Name of a plan.'),
          name: word('Whose it is, or what for.'),
          expires_in: seconds('Seconds until it expires; null or none: never.', 1),
        },
        { optional: ['name', 'expires_in'] },
      ),
      example: { plan: 'free', name: 'app' },
    },
    status: 201,
    answer: componentRef('MadeKey'),
  },
  {
    ...adminPost,
    ...ofKey,
    id: 'rotateKey',
    path: '/admin/keys/{id}/rotate',
    summary: 'Replace an API key',
    description:
      'The new one has the same account and plan; the old one works on for `grace` seconds.',
    body: {
      isRequired: false,
      description: 'How long the old key works on.',
      schema: openObjectSchema(
        { grace: seconds('Seconds.', 0, defaultGraceS) },
        { optional: ['grace'] },
      ),
      example: { grace: defaultGraceS },
    },
    status: 201,
    answer: componentRef('RotatedKey'),
  },
  {
    ...adminPost,
    ...ofKey,
    id: 'expireKey',
    path: '/admin/keys/{id}/expire',
    summary: 'Let an API key expire',
    body: {
      isRequired: false,
      description: 'When.',
      schema: openObjectSchema({ in: seconds('Seconds from now.', 0, 0) }, { optional: ['in'] }),
      example: { in: 0 },
    },
    answer: componentRef('ApiKey'),
  },
  {
    ...adminPost,
    ...ofKey,
    id: 'revokeKey',
    path: '/admin/keys/{id}/revoke',
    summary: 'End an API key at once',
    answer: componentRef('ApiKey'),
  },
  {
    ...admin,
    ...ofKey,
    id: 'keyUsage',
    path: '/admin/keys/{id}/usage',
    summary: 'What an API key has used',
    description: 'As `/v2/usage` tells the holder of the key; `rate_limit.remaining` is null.',
    answer: componentRef('Usage'),
  },
  {
    ...admin,
    id: 'listNodes',
    path: '/admin/nodes',
    summary: 'What the nodes said',
    description:
      'Health and status give the kind of an error and the place of the endpoint only. Keys and passwords of configured addresses are `<hidden>` here, too.',
    answer: componentRef('Nodes'),
  },
]
