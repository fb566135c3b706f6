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
  'The price of a pair, or of a token. The figures of a token are over all its pairs.',
  {
    chain,
    change: decimal('percent', 'The same as `price_change`.'),
    direction: words(['up', 'down', 'flat'], 'From `last_price` to `uprice`.'),
    is_main_pair: flag('Whether the pair prices its target token.'),
    last_price: decimal('usd', 'Price of `token` before.'),
    makers_24h: digits('Distinct wallets that traded in 24 hours.'),
    pair: text('Address of the pair; of a token, that of its main pair.'),
    price_change: decimal('percent', 'Change of the price since 00:00 UTC.'),
    price_change_24h: decimal('percent', 'Change between trades in 24 hours.'),
    reserve0: decimal('tokens', 'What `pair` has of its token0.'),
    reserve0_known: unknownMark('reserve0'),
    reserve1: decimal('tokens', 'What `pair` has of its token1.'),
    reserve1_known: unknownMark('reserve1'),
    target_token: text('The side of `pair` that is not the quote.'),
    time: timeS('When the pair was last traded or its liquidity changed.'),
    time_ms: optional(
      count(
        'The same in milliseconds; absent where the node gives whole seconds only, and where no new price of the pair is pushed.',
        'unixMs',
      ),
    ),
    token: text('The token that the price is of.'),
    tvl: decimal(
      'usd',
      'What the pool holds, of a token all its pools; 0 for one that is not trusted.',
    ),
    tvl_known: partMark,
    tx_amount_24h: decimal('tokens', 'Amount of `token` traded in 24 hours.'),
    tx_count_24h: digits('Swaps in 24 hours.'),
    uprice: decimal('usd', 'Price of `token` now.'),
    volume_24_u: decimal('usd', 'Traded in 24 hours.'),
    usd_reason: usdReason,
  },
)
export type PushedPrice = TypeOf<typeof pushedPrice>

export const trendingToken = row('TrendingToken', 'A token among the ranks of its chain.', {
  current_price_usd: decimal('usd', 'Price of one token.'),
  main_pair: text('Address of the pair that prices it; empty: none does.'),
  name: text('What the contract calls itself; empty until it has answered.'),
  price_change_24h: decimal('percent', 'Change of the price in 24 hours.'),
  rank: integer('From 1.', { min: 1 }),
  rank_before: nullable(integer('The rank before; null: it had none.', { min: 1 })),
  symbol: text('Its symbol; empty until the contract has answered.'),
  token: text('Address of the token.'),
  tx_count_24h: count('Swaps in 24 hours.'),
  tx_volume_u_24h: decimal('usd', 'Traded in 24 hours.'),
})
export type TrendingToken = TypeOf<typeof trendingToken>

const reverted = 'absent where a reorg reverted the pair.'

export const newPair = row('NewPair', 'A pair that was created, or that a launch graduated to.', {
  amm: text('Protocol of the pool.'),
  chain,
  created_at: timeS('When the pool was created.'),
  is_trusted: flag('A known factory confirms the pool.'),
  pair,
  tag: text('Launch platform of the curve, or empty.'),
  target_token: text('The side that is not the quote.'),
  ...pushedTokens,
  reserve0: optional(decimal('tokens', `What the pool has of token0; ${reverted}`)),
  reserve0_known: unknownMark('reserve0'),
  reserve1: optional(decimal('tokens', `What the pool has of token1; ${reverted}`)),
  reserve1_known: unknownMark('reserve1'),
  tvl: optional(decimal('usd', `What the pool holds; ${reverted}`)),
  tvl_known: unknownMark('tvl'),
  usd_reason: usdReason,
})
export type NewPair = TypeOf<typeof newPair>

const retractedToken = 'absent where a reorg reverted it.'

export const launch = row('Launch', 'A token of a launch platform.', {
  amm: text('Protocol of `pair`.'),
  chain,
  created_at: optional(
    timeS(`When it was launched, 0: before the first block that was read; ${retractedToken}`),
  ),
  creator: optional(text(`Who launched it; empty: not known; ${retractedToken}`)),
  current_price_usd: optional(decimal('usd', `Price of one token; ${retractedToken}`)),
  decimal: count('Digits behind the point of a whole token.'),
  holders: optional(count(`Holders; ${retractedToken}`)),
  market_cap: optional(
    decimal('usd', `What circulates; absent where the supply is unknown, and ${retractedToken}`),
  ),
  name: text('What the contract calls itself; empty until it has answered.'),
  pair: text('Address or id of its curve; after graduation of the pool that it went to.'),
  platform: text('Its launch platform.'),
  progress: decimal(
    'fraction',
    'How much of its curve is filled: of `progress` when it took the step, else now.',
  ),
  symbol: text('Its symbol; empty until the contract has answered.'),
  token: text('Address of the token.'),
  total: optional(decimal('tokens', `Supply; absent where it is not known, and ${retractedToken}`)),
})
export type Launch = TypeOf<typeof launch>

const notAmong = 'null: it is not among the largest any more.'

export const topHolder = row('TopHolderChange', 'One of the largest holders of a token.', {
  address: text('Its address.'),
  amount: nullable(decimal('tokens', `What it has; ${notAmong}`)),
  amount_before: nullable(
    decimal(
      'tokens',
      'What it had when it was told last; null: it was not told, or not among them.',
    ),
  ),
  balance_ratio: nullable(decimal('fraction', `What it has of all; ${notAmong}`)),
  balance_ratio_known: unknownMark('balance_ratio'),
  rank: nullable(integer(`From 1, the largest; ${notAmong}`, { min: 1 })),
})
export type TopHolderChange = TypeOf<typeof topHolder>

export const holders = row('Holders', 'Who holds a token.', {
  chain,
  holders: count('How many hold it.'),
  holders_before: nullable(
    count('How many it was before: before the block, or when it was told last; null: not known.'),
  ),
  holders_complete: flag('All transfers since its creation are counted.'),
  token: text('Address of the token.'),
  top: list(
    object(topHolder),
    'Of the 20 largest, as of the newest stored block, those whose balance is another than it was told last; at first all, and none with the count of an earlier block.',
  ),
  total: decimal('tokens', 'Supply.'),
  total_known: unknownMark('total'),
})
export type Holders = TypeOf<typeof holders>

export const heartbeat = row(
  'Heartbeat',
  'How a chain is doing, so that quiet differs from stale.',
  {
    chain,
    head_age_s: nullable(
      integer(
        'Seconds since the newest block, null before the first; negative: its time is ahead of the clock.',
      ),
    ),
    head_block: nullable(count('Newest block applied; null before the first.')),
    head_time: nullable(timeS('Time of that block; null before the first.')),
    state: chainState,
    tip_block: nullable(count("Newest block the chain's nodes announce; null: not known.")),
    topic: constant('heartbeat', 'What this message is.'),
  },
)
export type Heartbeat = TypeOf<typeof heartbeat>
