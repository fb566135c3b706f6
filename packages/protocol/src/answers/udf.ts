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
  'The pair, `<address>-<chain>`; the token instead where the symbol is a token that had several main pairs.',
)

const resolution = text('A resolution, for example `15` or `1D`.')
const resolutions = list(resolution, 'Resolutions that bars can be asked for in.')

export const udfConfig = row('UdfConfig', 'What the chart feed can do.', {
  supports_search: flag('Symbols can be searched.'),
  supports_group_request: flag('Symbols cannot be asked for as a group.'),
  supports_marks: flag('There are no marks on bars.'),
  supports_timescale_marks: flag('There are no marks on the time scale.'),
  supports_time: flag('The time of the service can be asked for.'),
  exchanges: list(
    object(
      part('A chain, which charts call an exchange.', {
        value: text('What a search takes; empty: all chains.'),
        name: text('Its name.'),
        desc: text('Its name, or empty.'),
      }),
    ),
    'All chains, and each of them.',
  ),
  symbols_types: list(
    object(
      part('A kind of symbols.', { name: text('Its name.'), value: text('What a search takes.') }),
    ),
    'Kinds of symbols.',
  ),
  supported_resolutions: resolutions,
  currency_codes: list(text('A currency.'), 'Currencies of the prices.'),
})
export type UdfConfig = TypeOf<typeof udfConfig>

export const udfSymbol = row('UdfSymbol', 'A pair as charts know it.', {
  name: text('Symbols of the target and the quote token, `PEPE/WETH`.'),
  ticker,
  description: text('Name of the token, symbol of the quote, protocol of the pool.'),
  type: text('Always `crypto`.'),
  session: text('Always `24x7`.'),
  timezone: text('Always `Etc/UTC`.'),
  exchange: text('The chain.'),
  listed_exchange: text('The chain.'),
  'exchange-traded': text('The chain.'),
  'exchange-listed': text('The chain.'),
  minmov: integer('Smallest step of the price, in parts of `pricescale`.'),
  minmov2: integer('Always 0.'),
  pointvalue: integer('Always 1.'),
  pricescale: count('A power of ten that shows enough digits of the price.'),
  format: text('Always `price`.'),
  currency_code: text('Currency of the prices.'),
  has_intraday: flag('There are bars of minutes.'),
  has_seconds: flag('There are bars of seconds.'),
  seconds_multipliers: list(text('Seconds.'), 'Seconds of the bars that are kept.'),
  has_daily: flag('There are bars of days.'),
  has_weekly_and_monthly: flag('There are bars of weeks.'),
  intraday_multipliers: list(text('Minutes.'), 'Minutes of the bars that are kept.'),
  supported_resolutions: resolutions,
  volume_precision: integer('Digits behind the point of a volume.'),
  data_status: text('Always `streaming`.'),
})
export type UdfSymbol = TypeOf<typeof udfSymbol>

export const udfFound = row('UdfFound', 'A symbol that a search found.', {
  symbol: text('Symbols of the target and the quote token.'),
  full_name: ticker,
  description: text('Name of the token.'),
  exchange: text('The chain.'),
  ticker,
  type: text('Always `crypto`.'),
})
export type UdfFound = TypeOf<typeof udfFound>

const prices = (meaning: string) => list(number('usd', 'A price.'), `${meaning} In USD.`)

export const udfBars = row('UdfBars', 'Bars, each list in the same order, oldest first.', {
  s: constant('ok', 'There are bars.'),
  t: list(timeS('A time.'), 'Starts of the bars. Unix seconds.'),
  o: prices('First prices.'),
  h: prices('Highest prices.'),
  l: prices('Lowest prices.'),
  c: prices('Last prices.'),
  v: prices('Volumes.'),
})
export type UdfBars = TypeOf<typeof udfBars>

export const udfNoData = row('UdfNoData', 'There are no bars in the range.', {
  s: constant('no_data', 'There are no bars.'),
  nextTime: optional(timeS('Newest bar before the range; absent: there is none.')),
})
export type UdfNoData = TypeOf<typeof udfNoData>

const symbolAsked = text('The symbol as it was asked for.')

const udfQuote = part('A quote.', {
  s: constant('ok', 'The symbol is known.'),
  n: symbolAsked,
  v: object(
    part('Its values.', {
      short_name: text('Symbols of the target and the quote token.'),
      original_name: ticker,
      exchange: text('The chain.'),
      description: text('Name of the token.'),
      lp: number('usd', 'Price now.'),
      ch: number('usd', 'Change of the price since 00:00 UTC.'),
      chp: number('percent', 'The same of the price then.'),
      open_price: number('usd', 'Price at 00:00 UTC.'),
      prev_close_price: number('usd', 'The same: markets do not close.'),
      high_price: number('usd', 'Highest price of 24 hours.'),
      low_price: number('usd', 'Lowest price of 24 hours.'),
      volume: number('usd', 'Volume of 24 hours.'),
    }),
  ),
})

const udfUnknown = part('A symbol without a quote.', {
  s: constant('error', 'The symbol is not known.'),
  n: symbolAsked,
  v: object(part('No values.', {})),
})

export const udfQuotes = row('UdfQuotes', 'Quotes, in the order of the symbols.', {
  s: constant('ok', 'There are quotes.'),
  d: list(
    either([object(udfQuote), object(udfUnknown)], 'A quote, or why there is none.'),
    'One for each symbol that was asked for.',
  ),
})
export type UdfQuotes = TypeOf<typeof udfQuotes>

export const udfError = row('UdfError', 'The chart feed cannot answer.', {
  s: constant('error', 'It failed.'),
  errmsg: text('Why it failed; `unknown_symbol`: there is no such symbol.'),
})
export type UdfError = TypeOf<typeof udfError>
