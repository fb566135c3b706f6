import { klineIntervalNames } from '../../model/kline.ts'
import { heartbeatRangeS } from '../feed/feedLimits.ts'
import { type FeedTopic, feedTopics } from '../feed/params/itemKey.ts'
import type { JsonSchema } from '../operation.ts'
import { arrayOf, flag, objectOf, ref } from '../schemas/words.ts'

/** What clients send. */

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

const topicParams: JsonSchema = {
  anyOf: feedTopics.map((topic) => paramsOf[topic]),
  description: 'A topic, its items, and options where wanted.',
}

const id = {
  type: 'integer',
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
      anyOf: [topicParams, { type: 'array', maxItems: 0 }],
      description: 'What the subscribe had; an empty list: everything on the socket.',
    },
    ['id'],
  ),
  PingCall: callOf('ping', { type: 'array', description: 'Not looked at.' }, ['params', 'id']),
}
