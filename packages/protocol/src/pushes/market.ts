import { chain, usdReason } from '../answers/shared.ts'
import { chainState } from '../answers/status.ts'
import {
  constant,
  count,
  decimal,
  digits,
  flag,
  integer,
  nullable,
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
  'The price of a pair, or of a token by its main pair.',
  {
    chain,
    change: decimal('percent', 'The same as `price_change`.'),
    direction: words(['up', 'down', 'flat'], 'From `last_price` to `uprice`.'),
    is_main_pair: flag('Whether the pair prices its target token.'),
    last_price: decimal('usd', 'Price of the target token before.'),
    makers_24h: digits('Distinct wallets that traded in 24 hours.'),
    pair,
    price_change: decimal('percent', 'Change of the price since 00:00 UTC.'),
    price_change_24h: decimal('percent', 'Change of the price in 24 hours.'),
    reserve0: decimal('tokens', 'What the pool has of token0.'),
    reserve1: decimal('tokens', 'What the pool has of token1.'),
    target_token: text('The token that the price is of.'),
    time: timeS('When the pair was last traded or its liquidity changed.'),
    token: text('The same as `target_token`.'),
    tvl: decimal('usd', 'What the pool holds; 0 for one that is not trusted.'),
    tx_amount_24h: decimal('tokens', 'Target tokens traded in 24 hours.'),
    tx_count_24h: digits('Swaps in 24 hours.'),
    uprice: decimal('usd', 'Price of the target token now.'),
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
  reserve1: optional(decimal('tokens', `What the pool has of token1; ${reverted}`)),
  tvl: optional(decimal('usd', `What the pool holds; ${reverted}`)),
  usd_reason: usdReason,
})
export type NewPair = TypeOf<typeof newPair>

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
