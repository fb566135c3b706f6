import type { JsonSchema } from '../operation.ts'
import { arrayOf, count, flag, integer, number, objectOf, text, timeS } from './words.ts'

/** The TradingView UDF protocol. */
export const udfSchemas: Readonly<Record<string, JsonSchema>> = {
  UdfConfig: objectOf({
    supports_search: flag,
    supports_group_request: flag,
    supports_marks: flag,
    supports_timescale_marks: flag,
    supports_time: flag,
    exchanges: arrayOf(objectOf({ value: text, name: text, desc: text })),
    symbols_types: arrayOf(objectOf({ name: text, value: text })),
    supported_resolutions: arrayOf(text),
    currency_codes: arrayOf(text),
  }),
  UdfSymbol: objectOf({
    name: text,
    ticker: text,
    description: text,
    type: text,
    session: text,
    timezone: text,
    exchange: text,
    listed_exchange: text,
    minmov: integer,
    pricescale: count,
    has_intraday: flag,
    has_seconds: flag,
    has_daily: flag,
    has_weekly_and_monthly: flag,
    supported_resolutions: arrayOf(text),
    data_status: text,
  }),
  UdfBars: objectOf({
    s: { const: 'ok' },
    t: arrayOf(timeS),
    o: arrayOf(number),
    h: arrayOf(number),
    l: arrayOf(number),
    c: arrayOf(number),
    v: arrayOf(number),
  }),
  UdfNoData: objectOf({ s: { const: 'no_data' }, nextTime: timeS }, { optional: ['nextTime'] }),
  UdfError: objectOf({ s: { const: 'error' }, errmsg: text }),
}
