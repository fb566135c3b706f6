import { heartbeatRangeS } from '../feed/feedLimits.ts'
import { topicWords } from '../feed/topics.ts'
import type { JsonSchema } from '../operation/operation.ts'
import { flag, objectOf } from '../operation/schemas.ts'

/** Schema of the options that a client may add to a subscribe call. */

const optionsSchema: JsonSchema = {
  ...objectOf(
    {
      since: {
        anyOf: [{ type: 'string', pattern: '^\\d+-.{8}-\\d+$' }, { type: 'null' }],
        description: 'A cursor: what was missed since then comes first.',
      },
      snapshot: { ...flag, description: 'The newest state first.' },
      revisions: { ...flag, description: 'Tell what a reorg takes back.' },
      heartbeat: {
        anyOf: [
          { type: 'integer', minimum: heartbeatRangeS.min, maximum: heartbeatRangeS.max },
          { type: 'null' },
        ],
        description: 'Seconds between two messages on how the chain is doing.',
      },
    },
    { optional: ['since', 'snapshot', 'revisions', 'heartbeat'] },
  ),
  additionalProperties: false,
  description: 'With it, pushes carry `cursor`, `block_time` and `received_time`.',
}

const topicParams: JsonSchema = {
  anyOf: Array.from(topicWords.values(), ({ name, params }) => params.schema(name)),
  description: 'A topic, its items, and options where wanted.',
}

const id = {
  type: ['integer', 'string'],
  description: 'Repeated in the answer, and in every push of the subscription.',
}

function callOf(method: string, params: JsonSchema, optional: readonly string[]): JsonSchema {
  const members = {
    jsonrpc: { const: '2.0', description: 'Version of JSON-RPC.' },
    method: { const: method, description: 'What is asked for.' },
    params,
    id,
  }
  return objectOf(members, { optional })
}

export const callSchemas: Readonly<Record<string, JsonSchema>> = {
  Options: optionsSchema,
  SubscribeCall: callOf('subscribe', topicParams, ['id']),
  UnsubscribeCall: callOf(
    'unsubscribe',
    {
      anyOf: [topicParams, { type: 'array', items: {}, maxItems: 0 }],
      description: 'What the subscribe had; an empty list: everything on the socket.',
    },
    ['id'],
  ),
  PingCall: callOf('ping', { type: 'array', items: {}, description: 'Not looked at.' }, [
    'params',
    'id',
  ]),
}
