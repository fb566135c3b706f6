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
  description: 'Only this chain, as it is now: 200 if ready, else 503. Default: all chains.',
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
    summary: 'Check that the process runs',
    answer: componentRef('Live'),
  },
  {
    ...service,
    id: 'healthReady',
    path: '/health/ready',
    summary: 'Check that every chain can be queried',
    parameters: [chainParameter],
    answer: componentRef('Ready'),
    otherAnswers: {
      400: { description: 'The chain does not exist.', schema: componentRef('Error') },
      503: { description: 'Not ready; `reasons` has the reasons.', schema: componentRef('Ready') },
    },
  },
  {
    ...service,
    id: 'metrics',
    path: '/metrics',
    summary: 'Prometheus metrics of the service',
    answer: textSchema,
    contentType: 'text/plain',
    otherAnswers: {
      404: {
        description:
          'The request comes from another machine, and `server.metrics_port` is not set.',
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
    description: 'Each with its usage in this period. 404 if no admin key is configured.',
    answer: componentRef('ListedKeys'),
  },
  {
    ...adminPost,
    id: 'createKey',
    path: '/admin/keys',
    summary: 'Create an API key',
    description: '`key` is shown only once; the service stores its hash.',
    body: {
      isRequired: true,
      description: 'The plan of the key.',
      schema: openObjectSchema(
        {
          plan: word('Name of a plan.'),
          name: word('Label for the owner or purpose of the key.'),
          expires_in: seconds('Seconds until it expires; null or absent: never.', 1),
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
      'The new key has the same account and plan. The old key stays valid for `grace` seconds.',
    body: {
      isRequired: false,
      description: 'How long the old key stays valid.',
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
    summary: 'Expire an API key',
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
    summary: 'Revoke an API key',
    answer: componentRef('ApiKey'),
  },
  {
    ...admin,
    ...ofKey,
    id: 'keyUsage',
    path: '/admin/keys/{id}/usage',
    summary: 'Usage of an API key',
    description:
      'The same as `/v2/usage` for the owner of the key, except that `rate_limit.remaining` is null.',
    answer: componentRef('Usage'),
  },
  {
    ...admin,
    id: 'listNodes',
    path: '/admin/nodes',
    summary: 'State of the nodes',
    description:
      'Health and status only give the kind of an error and the index of the endpoint. Keys and passwords in configured URLs are `<hidden>` here, too.',
    answer: componentRef('Nodes'),
  },
]
