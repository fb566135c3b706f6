import { chain } from '../answers/shared.ts'
import {
  count,
  decimal,
  each,
  flag,
  integer,
  nullable,
  row,
  type TypeOf,
  text,
  timeS,
} from '../describe.ts'

const ofTokens = 'null: unknown, or a pair.'

/** A token or pair with the fields it is filtered and sorted by. */
export const screenedRow = row('ScreenedRow', 'A token or pair that matches a filter.', {
  amm: text('Protocol of `pair`; empty: no pair.'),
  chain,
  created_at: nullable(
    timeS(
      "Launch time, or creation time of the pair or of the token's first pair; null: not seen.",
    ),
  ),
  fdv: nullable(decimal('usd', `Fully diluted value; ${ofTokens}`)),
  holders: nullable(count(`Holders; ${ofTokens}`)),
  id: text('The token or the pair, `<address>-<chain>`.'),
  is_honeypot: nullable(flag(`True: it is known to be unsellable; ${ofTokens}`)),
  liquidity: nullable(
    decimal('usd', 'Value of the reserves of `pair`; null: the reserves are unknown.'),
  ),
  makers_24h: count('Number of wallets that traded it in 24 hours.'),
  market_cap: nullable(decimal('usd', `Market cap; ${ofTokens}`)),
  name: text('Name that the contract returns; empty until it has answered.'),
  pair: text('The pair, or the main pair of the token; empty: none.'),
  price: decimal('usd', 'Price of the token.'),
  progress: nullable(
    decimal('fraction', 'Filled fraction of its launch curve; null: no launch curve, or a pair.'),
  ),
  quote_symbol: text('Symbol of the other side of `pair`; empty: no pair.'),
  risk_score: nullable(
    integer('Risk score of its contract, 0 to 100; null: not checked, or a pair.', {
      min: 0,
      max: 100,
    }),
  ),
  symbol: text('Symbol of the token; empty until the contract has answered.'),
  token: text('The token; for a pair, the side that is not the quote.'),
  ...each(['5m', '1h', '4h', '24h'], {
    'volume_*': decimal('usd', 'Volume in *.'),
    'change_*': decimal('percent', 'Price change in *.'),
    'trades_*': count('Number of trades in *.'),
  }),
})
export type ScreenedRow = TypeOf<typeof screenedRow>
