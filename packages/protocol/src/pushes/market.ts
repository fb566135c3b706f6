import { chain, partMark, unknownMark, usdReason } from '../answers/shared.ts'
import { chainState } from '../answers/status.ts'
import {
  constant,
  count,
  decimal,
  digits,
  flag,
  integer,
  list,
  nullable,
  object,
  optional,
  row,
  type TypeOf,
  text,
  timeS,
  words,
} from '../describe.ts'
import { pushedTokens } from './kline.ts'

const pair = text('Address or id of the pool.')

export const pushedPrice = row(
  'PriceEntry',
  'Price of a pair or token. For a token, the figures cover all its pairs.',
  {
    chain,
    change: decimal('percent', 'The same as `price_change`.'),
    direction: words(['up', 'down', 'flat'], 'Change from `last_price` to `uprice`.'),
    is_main_pair: flag('Whether this pair prices its target token.'),
    last_price: decimal('usd', 'Previous price of `token`.'),
    makers_24h: digits('Distinct wallets that traded in 24 hours.'),
    pair: text('Address of the pair; for a token, of its main pair.'),
    price_change: decimal('percent', 'Price change since 00:00 UTC.'),
    price_change_24h: decimal(
      'percent',
      'Price change between the first and last trade in 24 hours.',
    ),
    reserve0: decimal('tokens', 'Reserve of token0 of `pair`.'),
    reserve0_known: unknownMark('reserve0'),
    reserve1: decimal('tokens', 'Reserve of token1 of `pair`.'),
    reserve1_known: unknownMark('reserve1'),
    target_token: text('The side of `pair` that is not the quote.'),
    time: timeS('Time of the last trade or liquidity change of the pair.'),
    time_ms: optional(
      count(
        'The same in milliseconds; absent if the node reports whole seconds only, and if the push has no new price of the pair.',
        'unixMs',
      ),
    ),
    token: text('The token that the price refers to.'),
    tvl: decimal(
      'usd',
      'Value of the reserves; for a token, of all its pools. 0 for a pool that is not trusted.',
    ),
    tvl_known: partMark,
    tx_amount_24h: decimal('tokens', 'Amount of `token` traded in 24 hours.'),
    tx_count_24h: digits('Number of swaps in 24 hours.'),
    uprice: decimal('usd', 'Current price of `token`.'),
    volume_24_u: decimal('usd', 'Volume in 24 hours.'),
    usd_reason: usdReason,
  },
)
export type PushedPrice = TypeOf<typeof pushedPrice>

export const trendingToken = row('TrendingToken', 'A ranked token of a chain.', {
  current_price_usd: decimal('usd', 'Price of the token.'),
  main_pair: text('Address of the main pair, which prices the token; empty: none.'),
  name: text('Name that the contract returns; empty until it has answered.'),
  price_change_24h: decimal('percent', 'Price change in 24 hours.'),
  rank: integer('Rank, from 1.', { min: 1 }),
  rank_before: nullable(integer('Previous rank; null: not ranked before.', { min: 1 })),
  symbol: text('Symbol that the contract returns; empty until it has answered.'),
  token: text('Address of the token.'),
  tx_count_24h: count('Number of swaps in 24 hours.'),
  tx_volume_u_24h: decimal('usd', 'Volume in 24 hours.'),
})
export type TrendingToken = TypeOf<typeof trendingToken>

const reverted = 'absent if a reorg reverted the pair.'

export const newPair = row('NewPair', 'A new pair: created, or the target of a graduated launch.', {
  amm: text('Protocol of the pool.'),
  chain,
  created_at: timeS('Creation time of the pool.'),
  is_trusted: flag('True: a configured factory confirms the pool.'),
  pair,
  tag: text('Launch platform of the curve; empty: none.'),
  target_token: text('The side that is not the quote.'),
  ...pushedTokens,
  reserve0: optional(decimal('tokens', `Reserve of token0; ${reverted}`)),
  reserve0_known: unknownMark('reserve0'),
  reserve1: optional(decimal('tokens', `Reserve of token1; ${reverted}`)),
  reserve1_known: unknownMark('reserve1'),
  tvl: optional(decimal('usd', `Value of the reserves; ${reverted}`)),
  tvl_known: unknownMark('tvl'),
  usd_reason: usdReason,
})
export type NewPair = TypeOf<typeof newPair>

const retractedToken = 'absent if a reorg reverted the launch.'

export const launch = row('Launch', 'A token of a launch platform.', {
  amm: text('Protocol of `pair`.'),
  chain,
  created_at: optional(timeS(`Launch time, 0: before the first indexed block; ${retractedToken}`)),
  creator: optional(text(`Account that launched it; empty: unknown; ${retractedToken}`)),
  current_price_usd: optional(decimal('usd', `Price of the token; ${retractedToken}`)),
  decimal: count('Number of decimals.'),
  holders: optional(count(`Holders; ${retractedToken}`)),
  market_cap: optional(
    decimal('usd', `Market cap; absent if the supply is unknown, and ${retractedToken}`),
  ),
  name: text('Name that the contract returns; empty until it has answered.'),
  pair: text('Address or id of its curve; after graduation, of the pool it graduated to.'),
  platform: text('Its launch platform.'),
  progress: decimal(
    'fraction',
    'Filled fraction of its curve: for `progress`, when the step was reached; otherwise now.',
  ),
  symbol: text('Symbol that the contract returns; empty until it has answered.'),
  token: text('Address of the token.'),
  total: optional(decimal('tokens', `Supply; absent if unknown, and ${retractedToken}`)),
})
export type Launch = TypeOf<typeof launch>

const notAmong = 'null: no longer among the largest.'

export const topHolder = row('TopHolderChange', 'One of the largest holders of a token.', {
  address: text('Address of the holder.'),
  amount: nullable(decimal('tokens', `Balance; ${notAmong}`)),
  amount_before: nullable(
    decimal(
      'tokens',
      'Balance in the previous push; null: not pushed before, or not among the largest.',
    ),
  ),
  balance_ratio: nullable(decimal('fraction', `Share of the supply; ${notAmong}`)),
  balance_ratio_known: unknownMark('balance_ratio'),
  rank: nullable(integer(`Rank, from 1 for the largest; ${notAmong}`, { min: 1 })),
})
export type TopHolderChange = TypeOf<typeof topHolder>

export const holders = row('Holders', 'Holders of a token.', {
  chain,
  holders: count('Number of holders.'),
  holders_before: nullable(
    count('Previous number of holders: before the block, or in the previous push; null: unknown.'),
  ),
  holders_complete: flag("True: all transfers since the token's creation are counted."),
  token: text('Address of the token.'),
  top: list(
    object(topHolder),
    'Changes among the 20 largest holders since the previous push, as of the newest stored block. The first push has all of them; a push for an earlier block has none.',
  ),
  total: decimal('tokens', 'Supply.'),
  total_known: unknownMark('total'),
})
export type Holders = TypeOf<typeof holders>

export const heartbeat = row(
  'Heartbeat',
  'Health of a chain, to distinguish a quiet market from stale data.',
  {
    chain,
    head_age_s: nullable(
      integer(
        'Age of the newest block in seconds; null before the first block, negative if its time is ahead of the clock.',
      ),
    ),
    head_block: nullable(count('Newest applied block; null before the first block.')),
    head_time: nullable(timeS('Time of the newest applied block; null before the first block.')),
    state: chainState,
    tip_block: nullable(count('Newest block announced by the nodes; null: unknown.')),
    topic: constant('heartbeat', 'Topic of this message.'),
  },
)
export type Heartbeat = TypeOf<typeof heartbeat>
