import {
  constant,
  count,
  decimal,
  each,
  flag,
  integer,
  list,
  nullable,
  object,
  optional,
  orEmpty,
  part,
  row,
  type TypeOf,
  text,
  timeS,
  words,
} from '../describe.ts'
import { tokenPair } from './pair.ts'
import {
  chain,
  fdv,
  marketCap,
  partMark,
  unknownCaps,
  unknownMark,
  usdReason,
  windowNames,
} from './shared.ts'

/** Identity of a token. */
export const tokenNames = {
  token_id: text('The token, `<address>-<chain>`, as other operations and topics take it.'),
  token: text('Address of the token.'),
  chain,
  name: text('Name that the contract returns; empty until it has answered.'),
  symbol: text('Symbol that the contract returns; empty until it has answered.'),
  decimal: integer('Number of decimals.'),
  logo_url: text(
    'URL of a logo, from `logo_url` of the chain in the config. Chaintape does not check that it exists. Empty: unknown.',
  ),
} as const

export const tokenSupply = {
  holders: count('Number of addresses with a balance.'),
  holders_complete: flag("True: all transfers since the token's creation are counted."),
  total: decimal('tokens', 'Supply.'),
  total_known: unknownMark('total'),
  lock_amount: decimal('tokens', 'Amount held by known lockers.'),
  burn_amount: decimal('tokens', 'Amount held by burn addresses.'),
  other_amount: decimal(
    'tokens',
    'Amount held by addresses that the config lists as out of circulation.',
  ),
  locked_percent: decimal('fraction', 'Locked share of the supply.'),
  locked_percent_known: unknownMark('locked_percent'),
} as const

/** The last hour and day, beside the windows. */
export const tokenDay = {
  price_change_1h: decimal('percent', 'Price change in the last hour.'),
  price_change_24h: decimal('percent', 'Price change in the last 24 hours.'),
  tx_volume_u_24h: decimal('usd', 'Volume of all trusted pairs in the last 24 hours.'),
  tx_count_24h: count('Number of swaps in the last 24 hours.'),
  tx_amount_24h: decimal('tokens', 'Amount traded in the last 24 hours.'),
} as const

/** Fields of each window, with its name in place of the star. */
export const tokenWindowFields = {
  'token_price_change_*': decimal('percent', 'Price change in the last *.'),
  'token_tx_volume_usd_*': decimal('usd', 'Volume in the last *.'),
  'token_buy_tx_volume_usd_*': decimal('usd', 'Buy volume in the last *.'),
  'token_sell_tx_volume_usd_*': decimal('usd', 'Sell volume in the last *.'),
  'token_organic_tx_volume_usd_*': decimal('usd', 'Volume in the last * without round trips.'),
  'token_tx_count_*': count('Number of swaps in the last *.'),
  'token_buy_tx_count_*': count('Number of buys in the last *.'),
  'token_sell_tx_count_*': count('Number of sells in the last *.'),
  'token_makers_*': count('Distinct wallets that traded in the last *.'),
  'token_buyers_*': count('Distinct wallets that bought in the last *.'),
  'token_sellers_*': count('Distinct wallets that sold in the last *.'),
} as const

/** Fields that any block may change. */
export const tokenNow = {
  current_price_usd: decimal('usd', 'Current price, from the main pair.'),
  current_price_eth: decimal('native', 'Current price, from the main pair.'),
  price_change_1d: decimal('percent', 'Price change since 00:00 UTC.'),
  token_price_24h_high: decimal(
    'usd',
    'Highest price in the last 24 hours, including the current price.',
  ),
  token_price_24h_low: decimal(
    'usd',
    'Lowest price in the last 24 hours, including the current price.',
  ),
  market_cap: marketCap,
  fdv,
  ...unknownCaps,
  tvl: decimal('usd', 'Value of the reserves of all trusted pairs.'),
  tvl_known: partMark,
  main_pair: text('Address of the main pair, which prices the token; empty: none.'),
  main_pair_tvl: decimal('usd', 'Value of the reserves of the main pair.'),
  main_pair_tvl_known: unknownMark('main_pair_tvl'),
  launch_price: decimal('usd', 'First price on a trusted pair; 0: not seen.'),
  price_ath_u: decimal('usd', 'Highest price seen so far, over all main pairs.'),
  launch_at: timeS('Creation time of its first pair.'),
  launch_at_known: unknownMark('launch_at'),
  created_at: timeS(
    'Creation time of the contract, or of the first transfer if the nodes have no state that old.',
  ),
  created_at_known: unknownMark('created_at'),
  updated_at: timeS('Time of the last trade.'),
  issue_platform: text('Launch platform that created the token; empty: none.'),
  progress: optional(
    decimal(
      'fraction',
      'Filled fraction of its launch curve; absent for tokens without a launch platform.',
    ),
  ),
  price_liquidity_usd: decimal('usd', 'Value of the thinnest pool on the route of the price.'),
  price_updated_at: timeS('Time of the oldest price on that route.'),
  risk_score: optional(text('Risk score of the contract, 0 to 100; absent until it is checked.')),
  is_mintable: optional(
    words(['0', '1'], 'Whether the supply can be increased; absent until determined.'),
  ),
  ui_multiplier: optional(
    decimal(
      'factor',
      'Factor that wallets multiply displayed amounts by (ERC-8056). Prices and amounts here do not include it. As of the last check of the contract; absent for tokens without one.',
    ),
  ),
  usd_reason: usdReason,
} as const

export const tokenRow = row('TokenRow', 'A token, in lists and in its detail.', {
  ...tokenNames,
  ...tokenSupply,
  ...tokenDay,
  ...each(windowNames, tokenWindowFields),
  ...tokenNow,
})
export type TokenRow = TypeOf<typeof tokenRow>

/** The same row under the name that the interface promises. */
export const mainToken = row(
  'MainToken',
  'A token that others are priced in. It has the same fields as any token.',
  tokenRow.fields,
)

export const tokenDetail = row('TokenDetail', 'A token and its most important pairs.', {
  status: constant(1, 'The request succeeded.'),
  msg: text('`SUCCESS`, or `SUCCESS: token not found`.'),
  data_type: constant(1, 'Always 1.'),
  data: object(
    part('The token and its pairs.', {
      is_audited: flag('Always false: Chaintape does not track audits.'),
      token: orEmpty(object(tokenRow), 'The token; an empty object if it was never traded here.'),
      pairs: list(object(tokenPair), 'The main pair first, then by TVL.', 5),
    }),
  ),
})
export type TokenDetail = TypeOf<typeof tokenDetail>

export const trendingPage = row('TrendingPage', 'A page of the most traded tokens.', {
  current_page_size: count('Number of rows on this page.'),
  next_page: integer('Number of the next page; -1: this is the last page.', { min: -1 }),
  total: count('Number of tokens on all pages.'),
  tokens: list(object(tokenRow), 'Best score first.'),
})
export type TrendingPage = TypeOf<typeof trendingPage>

export const screenerPage = row('ScreenerPage', 'A page of tokens that match a filter.', {
  next_cursor: text('Cursor of the next page; empty: this is the last page.'),
  tokens: list(object(tokenRow), 'In the requested order.'),
})
export type ScreenerPage = TypeOf<typeof screenerPage>

export const priceId = {
  token_id: text('The id as requested, `<address>-<chain>`.'),
} as const

/** Fields that only trades and the passing of time change. */
export const priceDay = {
  price_change_24h: tokenDay.price_change_24h,
  tx_volume_u_24h: tokenDay.tx_volume_u_24h,
} as const

/** Fields that any block may change. */
export const priceNow = {
  current_price_usd: tokenNow.current_price_usd,
  price_change_1d: tokenNow.price_change_1d,
  tvl: tokenNow.tvl,
  tvl_known: partMark,
  fdv,
  market_cap: marketCap,
  ...unknownCaps,
  holders: tokenSupply.holders,
  updated_at: tokenNow.updated_at,
  usd_reason: usdReason,
} as const

export const priceEntry = row('PriceEntry', 'One token of a batch of prices.', {
  ...priceId,
  ...priceDay,
  ...priceNow,
})
export type PriceEntry = TypeOf<typeof priceEntry>

const noPrice = 'null: unknown, or not traded before that time.'

export const priceAt = row('PriceAt', 'Price of a token at a past time.', {
  price_usd: nullable(decimal('usd', `Price of the token; ${noPrice}`)),
  price_eth: nullable(decimal('native', `Price of the token; ${noPrice}`)),
  time: nullable(
    timeS(`Start of the kline with the last trade up to the requested time; ${noPrice}`),
  ),
  interval: nullable(
    words(
      ['s1', 'k1', 'k60', 'k1440'],
      `Length of that kline. If the kline continues after the requested time, the price is its open; ${noPrice}`,
    ),
  ),
})
export type PriceAt = TypeOf<typeof priceAt>
