import { chain } from '../answers/shared.ts'
import {
  constant,
  count,
  type Fields,
  flag,
  list,
  nullable,
  object,
  optional,
  part,
  type Row,
  row,
  type TypeOf,
  text,
  timeS,
  words,
} from '../describe.ts'
import { intervals, pushInterval } from '../intervals.ts'
import { rpcId } from './calls.ts'
import { klineUnits, mainPairSwitch } from './kline.ts'
import { heartbeat, holders, launch, newPair, pushedPrice, trendingToken } from './market.ts'
import { screenedRow } from './screened.ts'
import { liquidity, pairSwap, tokenSwap } from './trade.ts'

/** Marks of pushes that are not new events; they precede the other members. */
export const marks = {
  snapshot: optional(constant(true, 'Part of the state that was asked for first; else absent.')),
  retracted: optional(constant(true, 'Reverted by a reorg; else absent.')),
} as const

const topic = <const word extends string>(word: word) => constant(word, 'What this message is.')
const pairAddress = text('Address or id of the pool.')
const pairId = text('The pair, `<address>-<chain>`.')

/** Result of a `tx` subscription. */
export const txResult = part('A swap of a subscribed pair.', {
  ...marks,
  id: pairAddress,
  topic: topic('tx'),
  tx: object(pairSwap),
})
/** Result of a `multi_tx` subscription: its topic is `tx`, too. */
export const multiTxResult = part('A swap of a pair of a subscribed token.', {
  ...txResult.fields,
  tx: object(tokenSwap),
})
export const liqResult = part('A liquidity change of a subscribed pair.', {
  ...marks,
  id: pairAddress,
  topic: topic('liq'),
  tx: object(liquidity),
})

const intervalWords = (Object.keys(intervals) as (keyof typeof intervals)[]).map(pushInterval)

/** Only in subscriptions with revisions. */
export const revisionMarks = {
  retracted: marks.retracted,
  revision: optional(
    count('How often a reorg corrected this kline; absent unless revisions were asked for.'),
  ),
  final: optional(flag('The kline has ended; absent unless revisions were asked for.')),
} as const

export const klineResult = part('The kline of a pair as a block left it.', {
  ...revisionMarks,
  id: pairId,
  interval: words(intervalWords, 'Length of the kline: `s1`, or minutes.'),
  kline: object(klineUnits),
  topic: topic('kline'),
})
export const switchResult = part('The main pair of a token is another one.', {
  data: object(mainPairSwitch),
  status: constant('ok', 'Always `ok`.'),
})
export const priceResult = part('Prices that a block changed; at first all.', {
  prices: list(object(pushedPrice), 'Each pair once.'),
  topic: topic('price'),
})
export const trendingResult = part('All ranks of a chain.', {
  chain,
  tokens: list(object(trendingToken), 'By rank.'),
  topic: topic('trending'),
})
export const newPairsResult = part('A pair was created, or a launch graduated to it.', {
  ...marks,
  event: words(['created', 'graduated'], 'What has happened.'),
  id: pairId,
  pair: object(newPair),
  topic: topic('new_pairs'),
})

export const walletResult = part('A swap of a subscribed wallet, in a trusted pool.', {
  ...marks,
  id: text('The wallet, `<address>-<chain>`.'),
  topic: topic('wallet'),
  tx: object(tokenSwap),
})
export const tradesResult = part('A swap of a chain.', {
  ...marks,
  id: pairId,
  topic: topic('trades'),
  tx: object(tokenSwap),
})

const tokenId = text('The token, `<address>-<chain>`.')

export const launchesResult = part('A launch: made, filled by another tenth, or graduated.', {
  ...marks,
  event: words(
    ['created', 'progress', 'graduated'],
    'What has happened; `progress`: its curve is fuller or emptier by a tenth.',
  ),
  id: tokenId,
  launch: object(launch),
  topic: topic('launches'),
})
export const holdersResult = part('Holders of a token: at first all, then what changed.', {
  ...marks,
  id: tokenId,
  holders: object(holders),
  topic: topic('holders'),
})

export const screenerResult = part('Rows that a filter selects: at first all, then what changed.', {
  snapshot: marks.snapshot,
  entered: list(object(screenedRow), 'Those that were not among them; in a snapshot all.'),
  id: text('The chain and the filter, as a query in one order: `<chain>:<query>`.'),
  left: list(text('`<address>-<chain>`'), 'Ids of those that are not among them any more.'),
  of: words(['tokens', 'pairs'], 'What they are.'),
  order: list(
    text('`<address>-<chain>`'),
    'Ids of all of them, the first first; empty: as before.',
  ),
  topic: topic('screener'),
  updated: list(object(screenedRow), 'Those of which something is another.'),
})

const jsonrpc = constant('2.0', 'Version of JSON-RPC.')
const subscriptionId = rpcId('Of the request that made the subscription; 0 if it had none.')

/** Cursors and times, only in subscriptions that ask for them. */
export const pushDetails = {
  cursor: optional(
    nullable(text('Where the reader is after this message, null: nowhere yet; only with options.')),
  ),
  block_time: optional(
    nullable(timeS('Time of the block, null before the first; only with options.')),
  ),
  received_time: optional(
    nullable(
      count('When the block came from the node, null: not known; only with options.', 'unixMs'),
    ),
  ),
} as const

export const sentTime = count('When the message was made.', 'unixMs')

function pushOf<fields extends Fields>(name: string, meaning: string, result: Row<fields>) {
  return row(name, meaning, {
    id: subscriptionId,
    jsonrpc,
    result: object(result),
    ...pushDetails,
    sent_time: sentTime,
  })
}

export const txPush = pushOf('TxPush', 'A push of `tx`.', txResult)
export type TxPush = TypeOf<typeof txPush>
export const multiTxPush = pushOf('MultiTxPush', 'A push of `multi_tx`.', multiTxResult)
export type MultiTxPush = TypeOf<typeof multiTxPush>
export const liqPush = pushOf('LiqPush', 'A push of `liq`.', liqResult)
export type LiqPush = TypeOf<typeof liqPush>
export const klinePush = pushOf('KlinePush', 'A push of `kline` and `multi_kline`.', klineResult)
export type KlinePush = TypeOf<typeof klinePush>
export const pricePush = pushOf('PricePush', 'A push of `price`.', priceResult)
export type PricePush = TypeOf<typeof pricePush>
export const trendingPush = pushOf('TrendingPush', 'A push of `trending`.', trendingResult)
export type TrendingPush = TypeOf<typeof trendingPush>
export const newPairsPush = pushOf('NewPairsPush', 'A push of `new_pairs`.', newPairsResult)
export type NewPairsPush = TypeOf<typeof newPairsPush>
export const walletPush = pushOf('WalletPush', 'A push of `wallet`.', walletResult)
export type WalletPush = TypeOf<typeof walletPush>
export const tradesPush = pushOf('TradesPush', 'A push of `trades`.', tradesResult)
export type TradesPush = TypeOf<typeof tradesPush>
export const launchesPush = pushOf('LaunchesPush', 'A push of `launches`.', launchesResult)
export type LaunchesPush = TypeOf<typeof launchesPush>
export const holdersPush = pushOf('HoldersPush', 'A push of `holders`.', holdersResult)
export type HoldersPush = TypeOf<typeof holdersPush>
export const screenerPush = pushOf('ScreenerPush', 'A push of `screener`.', screenerResult)
export type ScreenerPush = TypeOf<typeof screenerPush>
export const heartbeatPush = pushOf(
  'HeartbeatPush',
  'What a subscription with `heartbeat` gets now and then.',
  heartbeat,
)
export type HeartbeatPush = TypeOf<typeof heartbeatPush>

/** Sent to kline subscriptions of the old and the new pair; the only push without `sent_time`. */
export const switchPush = row('SwitchPush', 'A switch of the main pair.', {
  id: subscriptionId,
  jsonrpc,
  result: object(switchResult),
  ...pushDetails,
})
export type SwitchPush = TypeOf<typeof switchPush>

export const laggedNotice = row('LaggedNotice', 'The reader was too slow; the socket closes.', {
  id: subscriptionId,
  jsonrpc,
  result: object(
    part('Where to go on.', {
      status: constant('lagged', 'Always `lagged`.'),
      cursor: text('Where to resume.'),
    }),
  ),
})
export type LaggedNotice = TypeOf<typeof laggedNotice>
