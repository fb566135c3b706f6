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
    summary: 'Starts subscriptions: a topic, its items, and optional options.',
  },
  unsubscribe: {
    schema: 'UnsubscribeCall',
    title: 'Unsubscribe',
    summary:
      'Ends the subscriptions that the same params started; with empty params everything on the socket.',
  },
  ping: { schema: 'PingCall', title: 'Ping', summary: 'Checks that the service answers.' },
  subscribed: {
    schema: 'SubscribeAnswer',
    title: 'Subscribed',
    summary: 'Accepted and rejected items. Sent before the first push.',
  },
  unsubscribed: {
    schema: 'UnsubscribeAnswer',
    title: 'Unsubscribed',
    summary: 'Items that were unsubscribed, and items that were not subscribed.',
  },
  pong: { schema: 'PingAnswer', title: 'Pong', summary: 'The service answers.' },
  callError: {
    schema: 'CallError',
    title: 'Error',
    summary: 'A request failed, or a subscription cannot continue; `data.code` gives the reason.',
  },
  keyError: {
    schema: 'KeyError',
    title: 'Refused',
    summary:
      'The key is missing, unknown, expired or has too many sockets. The socket closes with 1008.',
  },
  txPush: { schema: 'TxPush', title: 'tx', summary: 'A swap of a subscribed pair.' },
  multiTxPush: {
    schema: 'MultiTxPush',
    title: 'multi_tx',
    summary: 'A swap in a pair of a subscribed token, without `profile` and `tx_seq`.',
  },
  liqPush: { schema: 'LiqPush', title: 'liq', summary: 'A liquidity change of a pair.' },
  klinePush: {
    schema: 'KlinePush',
    title: 'kline',
    summary: 'The kline after a block, for `kline` and `multi_kline`.',
  },
  switchPush: {
    schema: 'SwitchPush',
    title: 'switch_main_pair',
    summary:
      "A change of a token's main pair, sent to kline subscriptions of the old and the new pair.",
  },
  pricePush: {
    schema: 'PricePush',
    title: 'price',
    summary: 'First all current prices, then those that a block changed.',
  },
  trendingPush: { schema: 'TrendingPush', title: 'trending', summary: 'All ranks of a chain.' },
  newPairsPush: {
    schema: 'NewPairsPush',
    title: 'new_pairs',
    summary: 'A created pair, or the target of a graduated launch.',
  },
  walletPush: {
    schema: 'WalletPush',
    title: 'wallet',
    summary: 'A swap of a subscribed wallet in a trusted pool.',
  },
  tradesPush: {
    schema: 'TradesPush',
    title: 'trades',
    summary: 'A swap of a chain that passes the filter.',
  },
  launchesPush: {
    schema: 'LaunchesPush',
    title: 'launches',
    summary: 'A launch was created, its curve progressed by a tenth, or it graduated.',
  },
  holdersPush: {
    schema: 'HoldersPush',
    title: 'holders',
    summary: 'The holder count of a token, and changes among the largest holders.',
  },
  screenerPush: {
    schema: 'ScreenerPush',
    title: 'screener',
    summary: 'Rows that match a filter: first all, then changes.',
  },
  heartbeatPush: {
    schema: 'HeartbeatPush',
    title: 'heartbeat',
    summary: 'Health of the chain.',
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
