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
  pair_id: text('The pair, `<address>-<chain>`, as other operations and topics take it.'),
  pair: text('Address or id of the pool.'),
  chain,
  amm: text('Protocol of the pool, for example `uniswapv2`.'),
  target_token: text(
    'The side of the pair that is not the quote. Prices and amounts of the pair refer to it.',
  ),
  ...each(['token0', 'token1'], {
    '*_address': text('Address of *.'),
    '*_symbol': text('Symbol of *; empty until the contract has answered.'),
    '*_decimal': integer('Number of decimals of *.'),
  }),
} as const

/** Prices and reserves of a pair. */
export const pairFigures = {
  ...each(['token0', 'token1'], {
    '*_price_usd': decimal('usd', 'Price of *.'),
    '*_price_eth': decimal('native', 'Price of *.'),
  }),
  ...each(['0', '1'], {
    'reserve*': decimal('tokens', 'Reserve of token*.'),
    'reserve*_known': unknownMark('reserve*'),
  }),
} as const

const highUsd = decimal(
  'usd',
  'Highest price of the target token in 24 hours, including the current price.',
)
const lowUsd = decimal(
  'usd',
  'Lowest price of the target token in 24 hours, including the current price.',
)
const amount24h = decimal('tokens', 'Amount of target tokens traded in 24 hours.')
const changeToday = decimal('percent', 'Price change since 00:00 UTC.')
const tvl = decimal(
  'usd',
  'Value of the reserves; 0 for a pool that no configured factory confirms.',
)
const createdAt = timeS('Creation time of the pool; 0: before the first indexed block.')
const updatedAt = timeS('Time of the last trade or liquidity change.')
const isMainPair = flag('Whether this pair prices its target token.')

/** The last hour and day of a pair in a token's detail. */
export const tokenPairDay = {
  price_change_1h: decimal('percent', 'Price change in the last hour.'),
  price_change_24h: decimal('percent', 'Price change in the last 24 hours.'),
  volume_u: decimal('usd', 'Volume in 24 hours.'),
  tx_amount: amount24h,
  tx_count: count('Number of swaps in 24 hours.'),
} as const

/** Constant fields of a pair in a token's detail. */
export const tokenPairFacts = {
  fee: text('Fraction of a swap that the pool charges; empty: unknown.'),
  total_supply: text(
    'Total supply of the liquidity shares; empty: unknown, or the pool has no shares.',
  ),
  is_fake: flag('True: no configured factory confirms the pool.'),
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

export const tokenPair = row('TokenPair', "A pair in a token's detail.", {
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
  'price_change_*': decimal('percent', 'Price change in the last *.'),
  'volume_u_*': decimal('usd', 'Volume in the last *.'),
  'buy_volume_u_*': decimal('usd', 'Buy volume in the last *.'),
  'sell_volume_u_*': decimal('usd', 'Sell volume in the last *.'),
  'organic_volume_u_*': decimal('usd', 'Volume in the last * without round trips.'),
  'tx_*_count': count('Number of swaps in the last *.'),
  'buys_tx_*_count': count('Number of buys in the last *.'),
  'sells_tx_*_count': count('Number of sells in the last *.'),
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
  reserve_change: decimal('percent', 'Change of the quote reserve since the first reserves.'),
  reserve_change_known: unknownMark('reserve_change'),
  tvl,
  tvl_known: unknownMark('tvl'),
  market_cap: marketCap,
  fdv,
  ...unknownCaps,
  open_price: decimal('usd', 'Price of the target token at 00:00 UTC.'),
  price_ath_u: decimal('usd', 'Highest price of the target token seen so far.'),
  price_change_1d: changeToday,
  created_at: createdAt,
  first_trade_at: timeS('Time of the first swap; 0: none seen.'),
  first_trade_block_number: count('Block of the first swap; 0: none seen.'),
  sniper_tx_count: count('Number of swaps in the block of the first trade.'),
  last_trade_at: timeS('Time of the newest swap; 0: none seen.'),
  updated_at: updatedAt,
  tag: text("Launch platform of the pair's token; empty: none."),
  dynamic_tag: text(
    'Launch platform and stage of the launch, for example `tape_out`; empty: none.',
  ),
  lp_holders: optional(
    count(
      'Number of holders of its liquidity shares; absent until the token is checked, and for pools without shares.',
    ),
  ),
  lp_locked_percent: optional(
    decimal(
      'fraction',
      'Fraction of its liquidity shares that is burnt or locked; absent in the same cases as `lp_holders`.',
    ),
  ),
  is_main_pair: isMainPair,
  is_trusted: flag('True: a configured factory confirms the pool.'),
  usd_reason: usdReason,
} as const

export const pairDetail = row('PairDetail', 'A pair with all its windows.', {
  ...pairNames,
  ...pairDay,
  ...each(windowNames, pairWindowFields),
  ...pairNow,
})
export type PairDetail = TypeOf<typeof pairDetail>

export const pairsPage = row('PairsPage', 'A page of pairs.', {
  next: text('Cursor of the next page; empty: this is the last page.'),
  pairs: list(object(pairDetail), 'In the order of the list.'),
})
export type PairsPage = TypeOf<typeof pairsPage>

export const screenerPairs = row('ScreenerPairs', 'A page of pairs that match a filter.', {
  next_cursor: text('Cursor of the next page; empty: this is the last page.'),
  pairs: list(object(pairDetail), 'In the requested order.'),
})
export type ScreenerPairs = TypeOf<typeof screenerPairs>
