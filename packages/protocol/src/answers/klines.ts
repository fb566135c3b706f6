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

export const klinePoint = row('KlinePoint', 'A kline (candle).', {
  open: inCategory('First price; equals the close of the previous kline.'),
  high: inCategory('Highest price.'),
  low: inCategory('Lowest price.'),
  close: inCategory('Last price.'),
  volume: inCategory('Traded volume.'),
  time: timeS('Start of the kline.'),
})
export type KlinePoint = TypeOf<typeof klinePoint>

export const mainPairPeriod = row(
  'MainPairPeriod',
  'Start of the period in which a pair was the main pair of a token.',
  {
    pair_id: text('The pair, `<address>-<chain>`.'),
    from_block: count('First block of this period; 0: since the first stored block.'),
  },
)

export const klines = row('Klines', 'Klines of a pair or token.', {
  points: list(object(klinePoint), 'Oldest first.'),
  total_count: count('Number of klines in this answer.'),
  to_time: timeS('End of the requested range: its last second.'),
  limit: count('Maximum number of klines, as requested.'),
  interval: either(
    [
      integer('Minutes.', { min: 1 }),
      constant('s1', 'One second.'),
      constant('1M', 'One calendar month, UTC.'),
    ],
    'Length of a kline in minutes; `s1`: one second, `1M`: one calendar month, UTC.',
  ),
  category: words(
    ['u', 'r', 'm'],
    "Unit of prices and volume: `u` USD, `m` the chain's own coin, `r` the quote token.",
  ),
  pair_id: text(
    'The pair, `<address>-<chain>`. For a token, its current main pair; older klines may come from earlier main pairs. Empty: the token has no main pair.',
  ),
  target_token_id: text('The token that the prices refer to, `<address>-<chain>`.'),
  pump_pair_id: optional(
    text('Launch curve of the token, `<address>-<chain>`; only for tokens of a launch platform.'),
  ),
  main_pairs: optional(
    list(
      object(mainPairPeriod),
      'The main pairs that these klines come from, oldest first, the newest 20. Only for a token that had several main pairs.',
    ),
  ),
  exact_from: optional(
    timeS(
      'Main pairs were not recorded before this time. Earlier klines come from the oldest known main pair and, before its first trade, from the launch curve. Only for tokens this applies to.',
    ),
  ),
  usd_reason: usdReason,
})
export type Klines = TypeOf<typeof klines>
