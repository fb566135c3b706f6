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
  token_id: text('The token, `<address>-<chain>`: what other operations and topics take.'),
  token: text('Address of the token.'),
  chain,
  name: text('What the contract calls itself; empty until it has answered.'),
  symbol: text('Its symbol; empty until the contract has answered.'),
  decimal: integer('Digits behind the point of a whole token.'),
  logo_url: text(
    'Where a logo may be, by the `logo_url` of the chain in the config; nobody looks whether there is one. Empty: not known.',
  ),
} as const

export const tokenSupply = {
  holders: count('Addresses that have some of it.'),
  holders_complete: flag('Whether all transfers since the creation of the token are counted.'),
  total: decimal('tokens', 'Supply.'),
  total_known: unknownMark('total'),
  lock_amount: decimal('tokens', 'What known lockers hold.'),
  burn_amount: decimal('tokens', 'What lies at burn addresses.'),
  other_amount: decimal(
    'tokens',
    'What addresses hold that the configuration names as out of circulation.',
  ),
  locked_percent: decimal('fraction', 'Locked tokens of the supply.'),
  locked_percent_known: unknownMark('locked_percent'),
} as const

/** The last hour and day, beside the windows. */
export const tokenDay = {
  price_change_1h: decimal('percent', 'Change of the price in the last hour.'),
  price_change_24h: decimal('percent', 'Change of the price in the last 24 hours.'),
  tx_volume_u_24h: decimal('usd', 'Traded in the last 24 hours, in all trusted pairs.'),
  tx_count_24h: count('Swaps in the last 24 hours.'),
  tx_amount_24h: decimal('tokens', 'Tokens traded in the last 24 hours.'),
} as const

/** Fields of each window, with its name in place of the star. */
export const tokenWindowFields = {
  'token_price_change_*': decimal('percent', 'Change of the price in the last *.'),
  'token_tx_volume_usd_*': decimal('usd', 'Traded in the last *.'),
  'token_buy_tx_volume_usd_*': decimal('usd', 'Bought in the last *.'),
  'token_sell_tx_volume_usd_*': decimal('usd', 'Sold in the last *.'),
  'token_organic_tx_volume_usd_*': decimal('usd', 'Traded in the last * without round trips.'),
  'token_tx_count_*': count('Swaps in the last *.'),
  'token_buy_tx_count_*': count('Buys in the last *.'),
  'token_sell_tx_count_*': count('Sells in the last *.'),
  'token_makers_*': count('Distinct wallets that traded in the last *.'),
  'token_buyers_*': count('Distinct wallets that bought in the last *.'),
  'token_sellers_*': count('Distinct wallets that sold in the last *.'),
} as const

/** Fields that any block may change. */
export const tokenNow = {
  current_price_usd: decimal('usd', "Price of one token now: its main pair's."),
  current_price_eth: decimal('native', "Price of one token now: its main pair's."),
  price_change_1d: decimal('percent', 'Change of the price since 00:00 UTC.'),
  token_price_24h_high: decimal(
    'usd',
    'Highest price of the last 24 hours, the current one among them.',
  ),
  token_price_24h_low: decimal(
    'usd',
    'Lowest price of the last 24 hours, the current one among them.',
  ),
  market_cap: marketCap,
  fdv,
  ...unknownCaps,
  tvl: decimal('usd', 'What all its trusted pairs hold.'),
  tvl_known: partMark,
  main_pair: text('Address of the pair that prices it; empty: none does.'),
  main_pair_tvl: decimal('usd', 'What that pair holds.'),
  main_pair_tvl_known: unknownMark('main_pair_tvl'),
  launch_price: decimal('usd', 'First price on a trusted pair; 0: not seen.'),
  price_ath_u: decimal('usd', 'Highest price that was seen, through all its main pairs.'),
  launch_at: timeS('When its first pair was made.'),
  launch_at_known: unknownMark('launch_at'),
  created_at: timeS(
    'When its contract was made, or its first transfer where nodes have no state so old.',
  ),
  created_at_known: unknownMark('created_at'),
  updated_at: timeS('When it was last traded.'),
  issue_platform: text('Launch platform that made it, or empty.'),
  progress: optional(
    decimal(
      'fraction',
      'How much of its launch curve is filled; absent of tokens of no launch platform.',
    ),
  ),
  price_liquidity_usd: decimal('usd', 'The thinnest pool on the route of the price.'),
  price_updated_at: timeS('Since when the oldest step of that route stands.'),
  risk_score: optional(text('Score of its contract, 0 to 100; absent until it was checked.')),
  is_mintable: optional(
    words(['0', '1'], 'Whether more can be made; absent until that was determined.'),
  ),
  ui_multiplier: optional(
    decimal(
      'factor',
      'What wallets multiply amounts with for display (ERC-8056); prices and amounts here are without it. As of the last check of its contract; absent of tokens that have none.',
    ),
  ),
  usd_reason: usdReason,
} as const

export const tokenRow = row('TokenRow', 'A token as every list and detail shows it.', {
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
  'A token that others are priced in: the same row as of any token.',
  tokenRow.fields,
)

export const tokenDetail = row('TokenDetail', 'A token and its most important pairs.', {
  status: constant(1, 'The request was answered.'),
  msg: text('`SUCCESS`, or `SUCCESS: token not found`.'),
  data_type: constant(1, 'Always 1.'),
  data: object(
    part('The token with its pairs.', {
      is_audited: flag('Always false: audits are not followed.'),
      token: orEmpty(object(tokenRow), 'The token; an empty object: nobody traded it here.'),
      pairs: list(object(tokenPair), 'The main pair first, then by TVL.', 5),
    }),
  ),
})
export type TokenDetail = TypeOf<typeof tokenDetail>

export const trendingPage = row('TrendingPage', 'A page of the tokens that trade most.', {
  current_page_size: count('Rows of this page.'),
  next_page: integer('The page behind this one; -1: this is the last.', { min: -1 }),
  total: count('Tokens on all pages.'),
  tokens: list(object(tokenRow), 'Best score first.'),
})
export type TrendingPage = TypeOf<typeof trendingPage>

export const screenerPage = row('ScreenerPage', 'A page of the tokens that a filter selects.', {
  next_cursor: text('What the next page is asked for with; empty: this is the last.'),
  tokens: list(object(tokenRow), 'In the order that was asked for.'),
})
export type ScreenerPage = TypeOf<typeof screenerPage>

export const priceId = {
  token_id: text('The id as it was asked for, `<address>-<chain>`.'),
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

const noPrice = 'null: it is not known, or was not traded before.'

export const priceAt = row('PriceAt', 'What a token was worth at a past time.', {
  price_usd: nullable(decimal('usd', `Price of one token; ${noPrice}`)),
  price_eth: nullable(decimal('native', `Price of one token; ${noPrice}`)),
  time: nullable(
    timeS(`When the kline that says so began: its last trade up to the time asked for; ${noPrice}`),
  ),
  interval: nullable(
    words(
      ['s1', 'k1', 'k60', 'k1440'],
      `Length of that kline; of one that goes on after the time it is the price it began with; ${noPrice}`,
    ),
  ),
})
export type PriceAt = TypeOf<typeof priceAt>
