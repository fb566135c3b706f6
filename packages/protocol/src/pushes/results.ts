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
  snapshot: optional(
    constant(true, 'True: part of the requested initial state; absent otherwise.'),
  ),
  retracted: optional(constant(true, 'True: reverted by a reorg; absent otherwise.')),
} as const

const topic = <const word extends string>(word: word) => constant(word, 'Topic of this message.')
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
export const multiTxResult = part('A swap in a pair of a subscribed token.', {
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
  revision: optional(count('Number of reorg corrections of this kline; only with revisions.')),
  final: optional(flag('Whether the kline has ended; only with revisions.')),
} as const

export const klineResult = part('The kline of a pair after a block.', {
  ...revisionMarks,
  id: pairId,
  interval: words(intervalWords, 'Length of the kline: `s1`, or minutes.'),
  kline: object(klineUnits),
  topic: topic('kline'),
})
export const switchResult = part("A change of a token's main pair.", {
  data: object(mainPairSwitch),
  status: constant('ok', 'Always `ok`.'),
})
export const priceResult = part('Prices that a block changed; the first push has all of them.', {
  prices: list(object(pushedPrice), 'Each pair at most once.'),
  topic: topic('price'),
})
export const trendingResult = part('All ranks of a chain.', {
  chain,
  tokens: list(object(trendingToken), 'By rank.'),
  topic: topic('trending'),
})
export const newPairsResult = part('A created pair, or the target of a graduated launch.', {
  ...marks,
  event: words(['created', 'graduated'], 'Kind of event.'),
  id: pairId,
  pair: object(newPair),
  topic: topic('new_pairs'),
})

export const walletResult = part('A swap of a subscribed wallet in a trusted pool.', {
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

export const launchesResult = part('A launch: created, progressed by a tenth, or graduated.', {
  ...marks,
  event: words(
    ['created', 'progress', 'graduated'],
    'Kind of event; `progress`: the filled part of its curve rose or fell by a tenth.',
  ),
  id: tokenId,
  launch: object(launch),
  topic: topic('launches'),
})
export const holdersResult = part('Holders of a token: first all, then changes.', {
  ...marks,
  id: tokenId,
  holders: object(holders),
  topic: topic('holders'),
})

export const screenerResult = part('Rows that match a filter: first all, then changes.', {
  snapshot: marks.snapshot,
  entered: list(object(screenedRow), 'Rows that started to match; in a snapshot, all rows.'),
  id: text('The chain and the normalized filter: `<chain>:<query>`.'),
  left: list(text('`<address>-<chain>`'), 'Ids of rows that no longer match.'),
  of: words(['tokens', 'pairs'], 'Kind of rows.'),
  order: list(
    text('`<address>-<chain>`'),
    'Ids of all matching rows in order; empty: the order is unchanged.',
  ),
  topic: topic('screener'),
  updated: list(object(screenedRow), 'Rows with changed fields.'),
})

const jsonrpc = constant('2.0', 'JSON-RPC version.')
const subscriptionId = rpcId('Id of the request that made the subscription; 0 if it had none.')

/** Cursors and times, only in subscriptions that ask for them. */
export const pushDetails = {
  cursor: optional(
    nullable(text('Position of the reader after this message, null: none yet; only with options.')),
  ),
  block_time: optional(
    nullable(timeS('Block time, null before the first block; only with options.')),
  ),
  received_time: optional(
    nullable(
      count('Time the block arrived from the node, null: unknown; only with options.', 'unixMs'),
    ),
  ),
} as const

export const sentTime = count('Time the message was made.', 'unixMs')

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
  'A periodic push to subscriptions with `heartbeat`.',
  heartbeat,
)
export type HeartbeatPush = TypeOf<typeof heartbeatPush>

/** Sent to kline subscriptions of the old and the new pair; the only push without `sent_time`. */
export const switchPush = row('SwitchPush', 'A change of the main pair.', {
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
    part('Position to resume from.', {
      status: constant('lagged', 'Always `lagged`.'),
      cursor: text('Cursor to resume from.'),
    }),
  ),
})
export type LaggedNotice = TypeOf<typeof laggedNotice>
