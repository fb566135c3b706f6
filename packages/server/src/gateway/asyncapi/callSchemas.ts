import { errorSpecs } from '@chaintape/protocol'
import { klineIntervalNames } from '../../model/kline.ts'
import { heartbeatRangeS } from '../feed/feedLimits.ts'
import { type FeedTopic, feedTopics } from '../feed/itemKey.ts'
import type { JsonSchema } from '../operation.ts'
import { arrayOf, flag, objectOf, ref, text } from '../schemas/words.ts'

/** What clients send, and what they are answered. */

const address = { type: 'string', minLength: 1 }
const chain = { type: 'string', minLength: 1, description: 'As /v2/supported_chains names it.' }
const interval = { enum: klineIntervalNames, description: '`s1` a second, `k15` 15 minutes.' }

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
  description: 'With it, pushes carry `cursor`, `block_time` and `received_time`.',
}

/** Tuples in the words of draft 07, which the document's schemas are read by. */
function tuple(...items: readonly JsonSchema[]): JsonSchema {
  return { type: 'array', items, minItems: items.length, additionalItems: ref('Options') }
}

const klineItem: JsonSchema = {
  type: 'array',
  items: [address, interval, chain],
  minItems: 3,
  additionalItems: false,
}

const topicOf = (topic: FeedTopic): JsonSchema => ({ const: topic })

const paramsOf: Record<FeedTopic, JsonSchema> = {
  tx: tuple(topicOf('tx'), address, chain),
  multi_tx: tuple(topicOf('multi_tx'), address, chain),
  liq: tuple(topicOf('liq'), address, chain),
  kline: tuple(topicOf('kline'), address, interval, chain),
  multi_kline: {
    type: 'array',
    items: [topicOf('multi_kline')],
    minItems: 2,
    additionalItems: { anyOf: [klineItem, ref('Options')] },
  },
  price: tuple(topicOf('price'), {
    ...arrayOf({ type: 'string', pattern: '^.+-[^-]+$', description: 'token-id or pair-id' }),
    minItems: 1,
  }),
  trending: tuple(topicOf('trending'), chain),
  new_pairs: tuple(topicOf('new_pairs'), chain),
}

const topicParams: JsonSchema = { anyOf: feedTopics.map((topic) => paramsOf[topic]) }

const id = {
  type: 'integer',
  description: 'Repeated in the answer, and in every push of the subscription.',
}

function callOf(method: string, params: JsonSchema, optional: readonly string[]): JsonSchema {
  const members = { jsonrpc: { const: '2.0' }, method: { const: method }, params, id }
  return objectOf(members, { optional })
}

const rejected = arrayOf(objectOf({ param: {}, reason: text }))

function answerOf(result: JsonSchema): JsonSchema {
  return objectOf({ jsonrpc: { const: '2.0' }, id, result })
}

const errorData: JsonSchema = objectOf(
  {
    code: { enum: Object.keys(errorSpecs) },
    param: text,
    rejected,
    limit: { type: 'string', description: 'Name of the limit.' },
    max: { type: 'integer' },
    cursor: { type: ['string', 'null'], description: 'Where to resume.' },
  },
  { optional: ['param', 'rejected', 'limit', 'max', 'cursor'] },
)

export const callSchemas: Readonly<Record<string, JsonSchema>> = {
  Options: optionsSchema,
  SubscribeCall: callOf('subscribe', topicParams, ['id']),
  UnsubscribeCall: callOf('unsubscribe', { anyOf: [topicParams, { type: 'array', maxItems: 0 }] }, [
    'id',
  ]),
  PingCall: callOf('ping', { type: 'array' }, ['params', 'id']),
  SubscribeAnswer: answerOf(
    objectOf({ status: { const: 'ok' }, subscribed: arrayOf({}), rejected }),
  ),
  UnsubscribeAnswer: answerOf(
    objectOf({ status: { const: 'ok' }, unsubscribed: arrayOf({}), rejected }),
  ),
  PingAnswer: answerOf({ const: 'pong' }),
  CallError: objectOf({
    jsonrpc: { const: '2.0' },
    id: { type: ['integer', 'null'] },
    error: objectOf(
      { code: { type: 'integer' }, message: text, data: errorData },
      { optional: ['data'] },
    ),
  }),
  KeyError: objectOf({
    error: objectOf({
      code: { type: 'integer' },
      message: text,
    }),
  }),
}
