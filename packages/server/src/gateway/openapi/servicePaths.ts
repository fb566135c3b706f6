import type { JsonSchema } from '../operation.ts'
import { arrayOf, count, flag, objectOf, text, timeS } from '../schemas/words.ts'

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] }
}

const liveSchema = objectOf({ live: { const: true }, version: text, uptime_s: count })

const chainHealthSchema = objectOf({
  ready: flag,
  state: { type: 'string', enum: ['starting', 'backfill', 'live', 'paused'] },
  head_block: orNull(count),
  head_time: orNull(timeS),
  head_age_s: orNull(count),
  finalized_block: orNull({ type: 'integer' }),
  tip_block: orNull(count),
  lag_blocks: orNull(count),
  persisted_block: orNull(count),
  queue_blocks: count,
  queue_blocks_max: count,
  paused_reason: orNull(text),
  database_error: orNull(text),
  rpc_error: orNull(text),
})

const readySchema = objectOf({
  ready: flag,
  reasons: arrayOf(text),
  warnings: arrayOf(text),
  chains: { type: 'object', additionalProperties: chainHealthSchema },
})

type Content = { type: string; schema: JsonSchema }

const json = (schema: JsonSchema): Content => ({ type: 'application/json', schema })

function path(
  operationId: string,
  summary: string,
  answers: Readonly<Record<number, Content & { description: string }>>,
): object {
  const responses = Object.fromEntries(
    Object.entries(answers).map(([status, { description, type, schema }]) => [
      status,
      { description, content: { [type]: { schema } } },
    ]),
  )
  const free = { security: [], 'x-cu-cost': 0, parameters: [] }
  return { get: { operationId, tags: ['service'], summary, ...free, responses } }
}

/** What is about the service itself, needs no key and costs nothing. */
export const servicePaths: Readonly<Record<string, object>> = {
  '/health/live': path('healthLive', 'Does the process run?', {
    200: { ...json(liveSchema), description: 'It does.' },
  }),
  '/health/ready': path('healthReady', 'Can every chain be asked?', {
    200: { ...json(readySchema), description: 'Every chain has a block; `warnings` may be there.' },
    503: { ...json(readySchema), description: 'Not yet; `reasons` say why.' },
  }),
  '/metrics': path('metrics', 'Figures of the service for Prometheus', {
    200: { type: 'text/plain', schema: text, description: 'Prometheus text format.' },
  }),
  '/openapi.json': path('openapi', 'This document', {
    200: { ...json({ type: 'object' }), description: 'OpenAPI 3.1.' },
  }),
  '/asyncapi.json': path('asyncapi', 'The WebSocket interface as a document', {
    200: { ...json({ type: 'object' }), description: 'AsyncAPI 3.0.' },
  }),
}
