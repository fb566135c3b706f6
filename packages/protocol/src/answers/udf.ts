import {
  constant,
  count,
  either,
  flag,
  integer,
  list,
  number,
  object,
  optional,
  part,
  row,
  type TypeOf,
  text,
  timeS,
} from '../describe.ts'

/** The TradingView UDF protocol. */

/** The name by which a chart requests bars. */
const ticker = text(
  'The pair, `<address>-<chain>`; the token if the symbol is a token that had several main pairs.',
)

const resolution = text('A resolution, for example `15` or `1D`.')
const resolutions = list(resolution, 'Supported resolutions of bars.')

export const udfConfig = row('UdfConfig', 'Features of the chart feed.', {
  supports_search: flag('Symbol search is supported.'),
  supports_group_request: flag('Group requests are not supported.'),
  supports_marks: flag('Marks on bars are not supported.'),
  supports_timescale_marks: flag('Marks on the time scale are not supported.'),
  supports_time: flag('The server time is available.'),
  exchanges: list(
    object(
      part('A chain; charts call it an exchange.', {
        value: text('Value for the search; empty: all chains.'),
        name: text('Name of the chain.'),
        desc: text('Name of the chain; empty: none.'),
      }),
    ),
    'All chains, then each chain.',
  ),
  symbols_types: list(
    object(
      part('A symbol type.', {
        name: text('Name of the type.'),
        value: text('Value for the search.'),
      }),
    ),
    'Symbol types.',
  ),
  supported_resolutions: resolutions,
  currency_codes: list(text('A currency.'), 'Currencies of the prices.'),
})
export type UdfConfig = TypeOf<typeof udfConfig>

export const udfSymbol = row('UdfSymbol', 'A pair in the form charts expect.', {
  name: text('Symbols of the target and quote tokens, `PEPE/WETH`.'),
  ticker,
  description: text('Name of the token, symbol of the quote token, protocol of the pool.'),
  type: text('Always `crypto`.'),
  session: text('Always `24x7`.'),
  timezone: text('Always `Etc/UTC`.'),
  exchange: text('The chain.'),
  listed_exchange: text('The chain.'),
  'exchange-traded': text('The chain.'),
  'exchange-listed': text('The chain.'),
  minmov: integer('Smallest price step, in units of 1/`pricescale`.'),
  minmov2: integer('Always 0.'),
  pointvalue: integer('Always 1.'),
  pricescale: count('A power of ten large enough to show the price.'),
  format: text('Always `price`.'),
  currency_code: text('Currency of the prices.'),
  has_intraday: flag('Minute bars are available.'),
  has_seconds: flag('Second bars are available.'),
  seconds_multipliers: list(text('Seconds.'), 'Stored second bars.'),
  has_daily: flag('Daily bars are available.'),
  has_weekly_and_monthly: flag('Weekly bars are available.'),
  intraday_multipliers: list(text('Minutes.'), 'Stored minute bars.'),
  supported_resolutions: resolutions,
  volume_precision: integer('Number of decimals of a volume.'),
  data_status: text('Always `streaming`.'),
})
export type UdfSymbol = TypeOf<typeof udfSymbol>

export const udfFound = row('UdfFound', 'A symbol found by a search.', {
  symbol: text('Symbols of the target and quote tokens.'),
  full_name: ticker,
  description: text('Name of the token.'),
  exchange: text('The chain.'),
  ticker,
  type: text('Always `crypto`.'),
})
export type UdfFound = TypeOf<typeof udfFound>

const prices = (meaning: string) => list(number('usd', 'A price.'), `${meaning} In USD.`)

export const udfBars = row('UdfBars', 'Bars, each list in the same order, oldest first.', {
  s: constant('ok', 'The range has bars.'),
  t: list(timeS('A time.'), 'Start times of the bars. Unix seconds.'),
  o: prices('First prices.'),
  h: prices('Highest prices.'),
  l: prices('Lowest prices.'),
  c: prices('Last prices.'),
  v: prices('Volumes.'),
})
export type UdfBars = TypeOf<typeof udfBars>

export const udfNoData = row('UdfNoData', 'The range has no bars.', {
  s: constant('no_data', 'The range has no bars.'),
  nextTime: optional(timeS('Time of the newest bar before the range; absent: none.')),
})
export type UdfNoData = TypeOf<typeof udfNoData>

const symbolAsked = text('The symbol as requested.')

const udfQuote = part('A quote.', {
  s: constant('ok', 'The symbol is known.'),
  n: symbolAsked,
  v: object(
    part('Values of the quote.', {
      short_name: text('Symbols of the target and quote tokens.'),
      original_name: ticker,
      exchange: text('The chain.'),
      description: text('Name of the token.'),
      lp: number('usd', 'Current price.'),
      ch: number('usd', 'Price change since 00:00 UTC.'),
      chp: number('percent', 'Price change since 00:00 UTC, in percent.'),
      open_price: number('usd', 'Price at 00:00 UTC.'),
      prev_close_price: number('usd', 'Price at 00:00 UTC: markets do not close.'),
      high_price: number('usd', 'Highest price in 24 hours.'),
      low_price: number('usd', 'Lowest price in 24 hours.'),
      volume: number('usd', 'Volume in 24 hours.'),
    }),
  ),
})

const udfUnknown = part('An unknown symbol.', {
  s: constant('error', 'The symbol is unknown.'),
  n: symbolAsked,
  v: object(part('No values.', {})),
})

export const udfQuotes = row('UdfQuotes', 'Quotes, in the order of the symbols.', {
  s: constant('ok', 'The request succeeded.'),
  d: list(
    either([object(udfQuote), object(udfUnknown)], 'A quote, or an error for an unknown symbol.'),
    'One per requested symbol.',
  ),
})
export type UdfQuotes = TypeOf<typeof udfQuotes>

export const udfError = row('UdfError', 'An error of the chart feed.', {
  s: constant('error', 'The request failed.'),
  errmsg: text('Reason; `unknown_symbol`: the symbol does not exist.'),
})
export type UdfError = TypeOf<typeof udfError>
