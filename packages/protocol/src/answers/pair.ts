import {
  count,
  decimal,
  each,
  flag,
  integer,
  list,
  object,
  optional,
  row,
  type TypeOf,
  text,
  timeS,
} from '../describe.ts'
import {
  chain,
  fdv,
  marketCap,
  unknownCaps,
  unknownMark,
  usdReason,
  windowNames,
} from './shared.ts'

/** Identity of a pair: the first fields of every row of one. */
export const pairNames = {
  pair_id: text('The pair, `<address>-<chain>`: what other operations and topics take.'),
  pair: text('Address or id of the pool.'),
  chain,
  amm: text('Protocol of the pool, for example `uniswapv2`.'),
  target_token: text('The side that is not the quote: prices and amounts of the pair are of it.'),
  ...each(['token0', 'token1'], {
    '*_address': text('Address of *.'),
    '*_symbol': text('Symbol of *; empty until its contract has answered.'),
    '*_decimal': integer('Digits behind the point of a whole *.'),
  }),
} as const

/** Prices and reserves of a pair. */
export const pairFigures = {
  ...each(['token0', 'token1'], {
    '*_price_usd': decimal('usd', 'Price of *.'),
    '*_price_eth': decimal('native', 'Price of *.'),
  }),
  ...each(['0', '1'], {
    'reserve*': decimal('tokens', 'What the pool has of token*.'),
    'reserve*_known': unknownMark('reserve*'),
  }),
} as const

const highUsd = decimal(
  'usd',
  'Highest price of the target token in 24 hours, the current one among them.',
)
const lowUsd = decimal(
  'usd',
  'Lowest price of the target token in 24 hours, the current one among them.',
)
const amount24h = decimal('tokens', 'Target tokens traded in 24 hours.')
const changeToday = decimal('percent', 'Change of the price since 00:00 UTC.')
const tvl = decimal('usd', 'What the pool holds; 0 for one that no known factory confirms.')
const createdAt = timeS('When the pool was created; 0: before what was read.')
const updatedAt = timeS('When it was last traded or its liquidity changed.')
const isMainPair = flag('Whether it prices its target token.')

/** The last hour and day of a pair in a token's detail. */
export const tokenPairDay = {
  price_change_1h: decimal('percent', 'Change of the price in the last hour.'),
  price_change_24h: decimal('percent', 'Change of the price in the last 24 hours.'),
  volume_u: decimal('usd', 'Traded in 24 hours.'),
  tx_amount: amount24h,
  tx_count: count('Swaps in 24 hours.'),
} as const

/** Constant fields of a pair in a token's detail. */
export const tokenPairFacts = {
  fee: text('Fraction of a swap that the pool takes; empty: not known.'),
  total_supply: text('Of the pool shares; empty: not known, or it has none.'),
  is_fake: flag('No known factory confirms the pool.'),
  created_at: createdAt,
} as const

/** Fields of a pair in a token's detail that any block may change. */
export const tokenPairNow = {
  ...pairFigures,
  high_u: highUsd,
  low_u: lowUsd,
  tvl,
  tvl_known: unknownMark('tvl'),
  price_change: changeToday,
  price_change_1d: changeToday,
  market_cap: marketCap,
  fdv,
  ...unknownCaps,
  is_main_pair: isMainPair,
  updated_at: updatedAt,
  usd_reason: usdReason,
} as const

export const tokenPair = row('TokenPair', 'A pair beside its token.', {
  ...pairNames,
  ...tokenPairDay,
  ...tokenPairFacts,
  ...tokenPairNow,
})
export type TokenPair = TypeOf<typeof tokenPair>

/** The last day in a pair's detail, beside its windows. */
export const pairDay = { tx_amount: amount24h } as const

/** Fields of each window, with its name in place of the star. */
export const pairWindowFields = {
  'price_change_*': decimal('percent', 'Change of the price in the last *.'),
  'volume_u_*': decimal('usd', 'Traded in the last *.'),
  'buy_volume_u_*': decimal('usd', 'Bought in the last *.'),
  'sell_volume_u_*': decimal('usd', 'Sold in the last *.'),
  'organic_volume_u_*': decimal('usd', 'Traded in the last * without round trips.'),
  'tx_*_count': count('Swaps in the last *.'),
  'buys_tx_*_count': count('Buys in the last *.'),
  'sells_tx_*_count': count('Sells in the last *.'),
  'makers_*': count('Distinct wallets that traded in the last *.'),
  'buyers_*': count('Distinct wallets that bought in the last *.'),
  'sellers_*': count('Distinct wallets that sold in the last *.'),
} as const

/** Fields of a pair's detail that any block may change. */
export const pairNow = {
  ...pairFigures,
  high_u: highUsd,
  low_u: lowUsd,
  ...each(['0', '1'], {
    'init_reserve*': decimal('tokens', 'First reserve of token*.'),
    'init_reserve*_known': unknownMark('init_reserve*'),
  }),
  reserve_change: decimal('percent', 'Change of the quote side since the first reserves.'),
  reserve_change_known: unknownMark('reserve_change'),
  tvl,
  tvl_known: unknownMark('tvl'),
  market_cap: marketCap,
  fdv,
  ...unknownCaps,
  open_price: decimal('usd', 'Price of the target token at 00:00 UTC.'),
  price_ath_u: decimal('usd', 'Highest price of the target token that was seen.'),
  price_change_1d: changeToday,
  created_at: createdAt,
  first_trade_at: timeS('First swap; 0: none was seen.'),
  first_trade_block_number: count('Block of the first swap; 0: none was seen.'),
  sniper_tx_count: count('Swaps in the block of the first trade.'),
  last_trade_at: timeS('Newest swap; 0: none was seen.'),
  updated_at: updatedAt,
  tag: text('Launch platform of the pair’s token, or empty.'),
  dynamic_tag: text('The platform and how far the launch is, for example `tape_out`, or empty.'),
  lp_holders: optional(
    count('Holders of its shares; absent until its token was checked, and where it has none.'),
  ),
  lp_locked_percent: optional(
    decimal('fraction', 'Its shares that are burnt or locked; absent as `lp_holders` is.'),
  ),
  is_main_pair: isMainPair,
  is_trusted: flag('A known factory confirms the pool.'),
  usd_reason: usdReason,
} as const

export const pairDetail = row('PairDetail', 'A pair with all of its windows.', {
  ...pairNames,
  ...pairDay,
  ...each(windowNames, pairWindowFields),
  ...pairNow,
})
export type PairDetail = TypeOf<typeof pairDetail>

export const pairsPage = row('PairsPage', 'A page of pairs.', {
  next: text('What the next page is asked for with; empty: this is the last.'),
  pairs: list(object(pairDetail), 'In the order of the list.'),
})
export type PairsPage = TypeOf<typeof pairsPage>

export const screenerPairs = row('ScreenerPairs', 'A page of the pairs that a filter selects.', {
  next_cursor: text('What the next page is asked for with; empty: this is the last.'),
  pairs: list(object(pairDetail), 'In the order that was asked for.'),
})
export type ScreenerPairs = TypeOf<typeof screenerPairs>
