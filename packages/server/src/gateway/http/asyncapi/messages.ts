import { componentRef, type JsonSchema } from '../../ground/schemas.ts'
import { readExamples } from '../openapi/examples.ts'

type MessageSpec = {
  /** Name of the payload's schema under `components/schemas`. */
  schema: string
  title: string
  summary: string
}

/** Every WebSocket message by its name in the AsyncAPI document. */
export const messageSpecs = {
  subscribe: {
    schema: 'SubscribeCall',
    title: 'Subscribe',
    summary: 'Starts subscriptions: a topic, its items, and options where wanted.',
  },
  unsubscribe: {
    schema: 'UnsubscribeCall',
    title: 'Unsubscribe',
    summary: 'Ends what the same params started; with empty params everything on the socket.',
  },
  ping: { schema: 'PingCall', title: 'Ping', summary: 'Asks whether the service answers.' },
  subscribed: {
    schema: 'SubscribeAnswer',
    title: 'Subscribed',
    summary: 'What was accepted and what was refused. Precedes the first push.',
  },
  unsubscribed: {
    schema: 'UnsubscribeAnswer',
    title: 'Unsubscribed',
    summary: 'What has ended, and what was not subscribed.',
  },
  pong: { schema: 'PingAnswer', title: 'Pong', summary: 'The service answers.' },
  callError: {
    schema: 'CallError',
    title: 'Error',
    summary: 'A request failed, or a subscription cannot go on; `data.code` says why.',
  },
  keyError: {
    schema: 'KeyError',
    title: 'Refused',
    summary:
      'The key is missing, unknown, expired or over its sockets. The socket closes with 1008.',
  },
  txPush: { schema: 'TxPush', title: 'tx', summary: 'A swap of a subscribed pair.' },
  multiTxPush: {
    schema: 'MultiTxPush',
    title: 'multi_tx',
    summary: 'A swap of a pair of a subscribed token: without `profile` and `tx_seq`.',
  },
  liqPush: { schema: 'LiqPush', title: 'liq', summary: 'A change of a pair’s liquidity.' },
  klinePush: {
    schema: 'KlinePush',
    title: 'kline',
    summary: 'The kline as a block left it; of `kline` and `multi_kline`.',
  },
  switchPush: {
    schema: 'SwitchPush',
    title: 'switch_main_pair',
    summary:
      'The main pair of a token is another one; to kline subscriptions of the old or the new.',
  },
  pricePush: {
    schema: 'PricePush',
    title: 'price',
    summary: 'All current prices at first, then those that a block changed.',
  },
  trendingPush: { schema: 'TrendingPush', title: 'trending', summary: 'All ranks of a chain.' },
  newPairsPush: {
    schema: 'NewPairsPush',
    title: 'new_pairs',
    summary: 'A pair was created, or a launch graduated to it.',
  },
  walletPush: {
    schema: 'WalletPush',
    title: 'wallet',
    summary: 'A swap of a subscribed wallet, in a trusted pool.',
  },
  tradesPush: {
    schema: 'TradesPush',
    title: 'trades',
    summary: 'A swap of a chain that the filter lets through.',
  },
  launchesPush: {
    schema: 'LaunchesPush',
    title: 'launches',
    summary: 'A launch was made, its curve is fuller by a tenth, or it graduated.',
  },
  holdersPush: {
    schema: 'HoldersPush',
    title: 'holders',
    summary: 'How many hold a token, and what changed among the largest.',
  },
  screenerPush: {
    schema: 'ScreenerPush',
    title: 'screener',
    summary: 'What a filter selects: at first all rows, then what changed.',
  },
  heartbeatPush: {
    schema: 'HeartbeatPush',
    title: 'heartbeat',
    summary: 'How the chain is doing.',
  },
  laggedNotice: {
    schema: 'LaggedNotice',
    title: 'lagged',
    summary: 'The reader was too slow; resume at the cursor. The socket closes with 4001.',
  },
} as const satisfies Readonly<Record<string, MessageSpec>>

export type MessageName = keyof typeof messageSpecs

export const messageNames = Object.keys(messageSpecs) as MessageName[]

/** Returns the AsyncAPI message object of a message, with recorded examples. */
export function messageObject(name: MessageName): object {
  const { schema, title, summary } = messageSpecs[name]
  const payload: JsonSchema = componentRef(schema)
  return {
    name,
    title,
    summary,
    contentType: 'application/json',
    payload,
    examples: readExamples().messages[name]!.map((frame) => ({ payload: frame })),
  }
}
