import { allOf, messageRows, rowSchema } from '@chaintape/protocol/descriptions'
import { heartbeatRangeS } from '../../feed/feed.ts'
import { topicVariants } from '../../feed/topics.ts'
import { flagSchema, type JsonSchema, openObjectSchema } from '../../ground/schemas.ts'
import { type MessageName, messageNames, messageObject } from './messages.ts'

// Version of the public interface, independent of the program's version.
const interfaceVersion = '2.1.0'

const channelRef = { $ref: '#/channels/socket' }

const messageRef = (name: MessageName) => ({ $ref: `#/channels/socket/messages/${name}` })

/**
 * Describes the WebSocket interface as an AsyncAPI 3 document from the service's side: the service
 * receives calls and sends pushes.
 */
export function asyncApiDocument(baseUrls: readonly string[]): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Chaintape',
      version: interfaceVersion,
      description:
        'Swaps, liquidity, klines and prices of on-chain markets as they happen, over JSON-RPC 2.0 on a WebSocket. ' +
        'The socket is at `/ws` and at `/`. Amounts are whole tokens, times are unix seconds, decimals are plain digits ' +
        'without exponent.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: Object.fromEntries(baseUrls.map((url, at) => [`server${at}`, serverOf(url)])),
    channels: {
      socket: {
        address: '/ws',
        title: 'The socket',
        description: 'One connection carries several topics and subscriptions.',
        messages: Object.fromEntries(
          messageNames.map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: socketBinding },
      },
    },
    operations: {
      subscribe: callOperation('subscribe', 'subscribed', 'Start subscriptions'),
      unsubscribe: callOperation('unsubscribe', 'unsubscribed', 'End subscriptions'),
      ping: callOperation('ping', 'pong', 'Check that the service answers'),
      refuse: sendOperation(['keyError'], 'Reject a socket before closing it'),
      pushTx: sendOperation(['txPush'], 'Swaps of a pair'),
      pushMultiTx: sendOperation(['multiTxPush'], 'Swaps of every pair of a token'),
      pushLiq: sendOperation(['liqPush'], 'Liquidity changes of a pair'),
      pushKline: sendOperation(['klinePush', 'switchPush'], 'Klines of pairs'),
      pushPrice: sendOperation(['pricePush'], 'Prices of tokens and pairs'),
      pushTrending: sendOperation(['trendingPush'], 'Ranks of a chain'),
      pushNewPairs: sendOperation(['newPairsPush'], 'New pairs of a chain'),
      pushWallet: sendOperation(['walletPush'], 'Swaps of wallets'),
      pushTrades: sendOperation(['tradesPush'], 'Swaps of a chain'),
      pushLaunches: sendOperation(['launchesPush'], 'Launches of a chain'),
      pushHolders: sendOperation(['holdersPush'], 'Holders of a token'),
      pushScreener: sendOperation(['screenerPush'], 'Tokens or pairs that match a filter'),
      pushHeartbeat: sendOperation(['heartbeatPush'], 'Health of a chain'),
      tellLagged: sendOperation(['laggedNotice'], 'Tell a slow reader where to resume'),
    },
    components: {
      messages: Object.fromEntries(messageNames.map((name) => [name, messageObject(name)])),
      schemas: { ...callSchemas, ...pushSchemas },
      securitySchemes: {
        header: {
          type: 'httpApiKey',
          name: 'X-API-KEY',
          in: 'header',
          description: 'An API key.',
        },
        query: {
          type: 'httpApiKey',
          name: 'api_key',
          in: 'query',
          description: 'The API key for browsers, which cannot set headers.',
        },
      },
    },
  }
}

const socketBinding = {
  method: 'GET',
  query: {
    type: 'object',
    properties: { api_key: { type: 'string', description: 'An API key.' } },
  },
  headers: {
    type: 'object',
    properties: { 'X-API-KEY': { type: 'string', description: 'An API key.' } },
  },
  bindingVersion: '0.1.0',
}

function serverOf(baseUrl: string): object {
  const { host, pathname, protocol } = new URL(baseUrl)
  const path = pathname.replace(/\/$/, '')
  return {
    host,
    ...(path === '' ? {} : { pathname: path }),
    protocol: protocol === 'https:' ? 'wss' : 'ws',
    security: [
      { $ref: '#/components/securitySchemes/header' },
      { $ref: '#/components/securitySchemes/query' },
    ],
  }
}

function callOperation(call: MessageName, answer: MessageName, summary: string): object {
  return {
    action: 'receive',
    channel: channelRef,
    summary,
    messages: [messageRef(call)],
    reply: { channel: channelRef, messages: [messageRef(answer), messageRef('callError')] },
  }
}

function sendOperation(messages: readonly MessageName[], summary: string): object {
  return { action: 'send', channel: channelRef, summary, messages: messages.map(messageRef) }
}

const described: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  messageRows.map((row) => [row.name, rowSchema(row)]),
)

/** Schemas of everything the service sends, by schema name. */
export const pushSchemas: Readonly<Record<string, JsonSchema>> = {
  ...described,
  // Schemas allow extra members, so `profile` and `tx_seq` are excluded here: only these two
  // members distinguish `tx` swaps from `multi_tx` swaps.
  TokenSwap: {
    ...described.TokenSwap,
    not: { anyOf: [allOf(['profile']), allOf(['tx_seq'])] },
  },
}

/** Schema of the options that a client may add to a subscribe call. */

const optionsSchema: JsonSchema = {
  ...openObjectSchema(
    {
      since: {
        anyOf: [{ type: 'string', pattern: '^\\d+-.{8}-\\d+$' }, { type: 'null' }],
        description: 'A cursor: missed pushes come first.',
      },
      snapshot: { ...flagSchema, description: 'Send the current state first.' },
      revisions: { ...flagSchema, description: 'Push what a reorg reverts.' },
      heartbeat: {
        anyOf: [
          { type: 'integer', minimum: heartbeatRangeS.min, maximum: heartbeatRangeS.max },
          { type: 'null' },
        ],
        description: 'Seconds between two pushes about the health of the chain.',
      },
    },
    { optional: ['since', 'snapshot', 'revisions', 'heartbeat'] },
  ),
  additionalProperties: false,
  description: 'With it, pushes carry `cursor`, `block_time` and `received_time`.',
}

const topicParams: JsonSchema = {
  anyOf: Array.from(topicVariants.values(), ({ name, params }) => params.schema(name)),
  description: 'A topic, its items, and optional options.',
}

const id = {
  type: ['integer', 'string'],
  description: 'Repeated in the answer and in every push of the subscription.',
}

function callOf(method: string, params: JsonSchema, optional: readonly string[]): JsonSchema {
  const members = {
    jsonrpc: { const: '2.0', description: 'JSON-RPC version.' },
    method: { const: method, description: 'Method to call.' },
    params,
    id,
  }
  return openObjectSchema(members, { optional })
}

export const callSchemas: Readonly<Record<string, JsonSchema>> = {
  Options: optionsSchema,
  SubscribeCall: callOf('subscribe', topicParams, ['id']),
  UnsubscribeCall: callOf(
    'unsubscribe',
    {
      anyOf: [topicParams, { type: 'array', items: {}, maxItems: 0 }],
      description: 'The params of the subscribe; an empty list: everything on the socket.',
    },
    ['id'],
  ),
  PingCall: callOf('ping', { type: 'array', items: {}, description: 'Ignored.' }, ['params', 'id']),
}
