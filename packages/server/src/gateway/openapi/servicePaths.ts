import type { JsonSchema } from '../operation/operation.ts'
import { ref, text } from '../operation/schemas.ts'

type Content = { type: string; schema: JsonSchema }

/** Of answers that have an ETag. */
export const unchangedResponse = {
  description: 'What `If-None-Match` names is still the answer; there is no body.',
}

const json = (schema: JsonSchema): Content => ({ type: 'application/json', schema })

function path(
  operationId: string,
  summary: string,
  answers: Readonly<Record<number, Content & { description: string }>>,
  { parameters = [], isTagged = false }: { parameters?: object[]; isTagged?: boolean } = {},
): object {
  const responses = Object.fromEntries(
    Object.entries(answers).map(([status, { description, type, schema }]) => [
      status,
      { description, content: { [type]: { schema } } },
    ]),
  )
  if (isTagged) Object.assign(responses, { 304: unchangedResponse })
  Object.assign(responses, { 429: { $ref: '#/components/responses/429' } })
  const free = { security: [], 'x-cu-cost': 0, parameters }
  return { get: { operationId, tags: ['service'], summary, ...free, responses } }
}

/** What is about the service itself, needs no key and costs nothing. */
export const servicePaths: Readonly<Record<string, object>> = {
  '/health/live': path('healthLive', 'Does the process run?', {
    200: { ...json(ref('Live')), description: 'It does.' },
  }),
  '/health/ready': path(
    'healthReady',
    'Can every chain be asked?',
    {
      200: {
        ...json(ref('Ready')),
        description: 'Every chain has a block; `warnings` may be there.',
      },
      400: { ...json(ref('Error')), description: 'There is no such chain.' },
      503: { ...json(ref('Ready')), description: 'Not yet; `reasons` say why.' },
    },
    {
      parameters: [
        {
          name: 'chain',
          in: 'query',
          required: false,
          schema: text,
          description:
            'Only this chain, as it is now: 200 when it is ready, else 503; without it all of them.',
        },
      ],
    },
  ),
  '/metrics': path('metrics', 'Figures of the service for Prometheus', {
    200: { type: 'text/plain', schema: text, description: 'Prometheus text format.' },
    404: {
      ...json(ref('Error')),
      description: 'Another machine asks, and `server.metrics_port` is not set.',
    },
  }),
  '/openapi.json': path(
    'openapi',
    'This document',
    { 200: { ...json({ type: 'object' }), description: 'OpenAPI 3.1.' } },
    { isTagged: true },
  ),
  '/asyncapi.json': path(
    'asyncapi',
    'The WebSocket interface as a document',
    { 200: { ...json({ type: 'object' }), description: 'AsyncAPI 3.0.' } },
    { isTagged: true },
  ),
}
