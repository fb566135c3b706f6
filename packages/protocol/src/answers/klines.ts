import {
  constant,
  count,
  decimal,
  either,
  type Field,
  integer,
  list,
  object,
  optional,
  row,
  type TypeOf,
  text,
  timeS,
  words,
} from '../describe.ts'
import { usdReason } from './shared.ts'

/** A number in the unit of the requested category. */
function inCategory(meaning: string): Field<string, false> {
  const { unit: _, ...field } = decimal('usd', `${meaning} In the unit of \`category\`.`)
  return field
}

export const klinePoint = row('KlinePoint', 'One kline.', {
  open: inCategory('First price: the close of the kline before.'),
  high: inCategory('Highest price.'),
  low: inCategory('Lowest price.'),
  close: inCategory('Last price.'),
  volume: inCategory('What was traded.'),
  time: timeS('Start of the kline.'),
})
export type KlinePoint = TypeOf<typeof klinePoint>

export const mainPairPeriod = row(
  'MainPairPeriod',
  'Since when a pair is the main pair of a token.',
  {
    pair_id: text('The pair, `<address>-<chain>`.'),
    from_block: count('The block from which on it was; 0: from the first that was read.'),
  },
)

export const klines = row('Klines', 'Klines with what they are of.', {
  points: list(object(klinePoint), 'Oldest first.'),
  total_count: count('Klines of this answer.'),
  to_time: timeS('The last second that was asked for.'),
  limit: count('Klines at most, as asked for.'),
  interval: either(
    [
      integer('Minutes.', { min: 1 }),
      constant('s1', 'A second.'),
      constant('1M', 'A month of the calendar, UTC.'),
    ],
    'Length of a kline in minutes; `s1`: a second, `1M`: a month of the calendar, UTC.',
  ),
  category: words(
    ['u', 'r', 'm'],
    "Unit of prices and volume: `u` USD, `m` the chain's own coin, `r` the quote token.",
  ),
  pair_id: text(
    'The pair, `<address>-<chain>`; of a token its main pair now, though older klines may be of others. Empty: there is none.',
  ),
  target_token_id: text('The token that the prices are of, `<address>-<chain>`.'),
  pump_pair_id: optional(
    text('The curve of its launch, `<address>-<chain>`; only of tokens of a launch platform.'),
  ),
  main_pairs: optional(
    list(
      object(mainPairPeriod),
      'Only of a token that had several main pairs: whose klines these are, oldest first, the newest 20.',
    ),
  ),
  exact_from: optional(
    timeS(
      'Only of a token whose main pairs were not written down before this time: earlier klines are those of the oldest known main pair, and before its first trade those of the launch curve.',
    ),
  ),
  usd_reason: usdReason,
})
export type Klines = TypeOf<typeof klines>
