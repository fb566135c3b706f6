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

const ofTokens = 'null: not known, or it is a pair.'

/** A token or pair with the fields it is filtered and sorted by. */
export const screenedRow = row('ScreenedRow', 'A token or a pair that a filter selects.', {
  amm: text('Protocol of `pair`; empty: there is none.'),
  chain,
  created_at: nullable(
    timeS('When it was launched, or its first pair or the pair was created; null: not seen.'),
  ),
  fdv: nullable(decimal('usd', `Fully diluted value; ${ofTokens}`)),
  holders: nullable(count(`Holders; ${ofTokens}`)),
  id: text('The token or the pair, `<address>-<chain>`.'),
  is_honeypot: nullable(flag(`It is known that it cannot be sold; ${ofTokens}`)),
  liquidity: nullable(decimal('usd', 'In `pair`; null: its reserves are unknown.')),
  makers_24h: count('Wallets that traded it in 24 hours.'),
  market_cap: nullable(decimal('usd', `What circulates; ${ofTokens}`)),
  name: text('What the token calls itself; empty until its contract has answered.'),
  pair: text('The pair, or the main pair of the token; empty: there is none.'),
  price: decimal('usd', 'Of the token.'),
  progress: nullable(
    decimal(
      'fraction',
      'How much of its launch curve is filled; null: it has none, or it is a pair.',
    ),
  ),
  quote_symbol: text('Symbol of the other side of `pair`; empty: there is none.'),
  risk_score: nullable(
    integer('Risk of its contract, 0 to 100; null: not checked, or it is a pair.', {
      min: 0,
      max: 100,
    }),
  ),
  symbol: text('Symbol of the token; empty until its contract has answered.'),
  token: text('The token; of a pair the side that is not the quote.'),
  ...each(['5m', '1h', '4h', '24h'], {
    'volume_*': decimal('usd', 'Traded in *.'),
    'change_*': decimal('percent', 'Change of the price in *.'),
    'trades_*': count('Trades in *.'),
  }),
})
export type ScreenedRow = TypeOf<typeof screenedRow>
