import {
  constant,
  count,
  decimal,
  list,
  object,
  part,
  row,
  type TypeOf,
  text,
  timeS,
} from '../describe.ts'
import { chain, marketCap, unknownCaps, unknownMark } from './shared.ts'

export const signal = row(
  'Signal',
  'A token that wallets with a large realised profit bought in the last 24 hours.',
  {
    id: text('Token, chain and time, `<token>-<chain>-<signal_time>`.'),
    chain,
    token: text('Address of the token.'),
    symbol: text('Symbol of the token.'),
    name: text('Name of the token.'),
    logo_url: text(
      'Where a logo may be, by the `logo_url` of the chain in the config; nobody looks whether there is one. Empty: not known.',
    ),
    signal_type: constant('smart_buy', 'Always `smart_buy`.'),
    signal_time: timeS('Last of the purchases.'),
    headline: text('The same as a sentence.'),
    action_type: constant('buy', 'Always `buy`.'),
    action_count: count('Purchases.'),
    wallet_count: count('Wallets that bought it.'),
    quote_token_volume: decimal('usd', 'What they paid.'),
    sold_volume: decimal('usd', 'What the same wallets got for what they sold of it.'),
    actions: list(
      object(
        part('What one wallet did.', {
          wallet_address: text('The wallet.'),
          action_type: constant('buy', 'Always `buy`.'),
          action_time: timeS('Its last purchase.'),
          action_count: count('Its purchases.'),
          quote_token_volume: decimal('usd', 'What it paid.'),
          sold_volume: decimal('usd', 'What it got for what it sold of the token.'),
          total_profit: decimal('usd', 'Realised profit of the wallet, of all tokens.'),
        }),
      ),
      'By wallet, who paid most first.',
    ),
    current_price_usd: decimal('usd', 'Price of one token.'),
    price_change_24h: decimal('percent', 'Its change over 24 hours.'),
    tx_volume_u_24h: decimal('usd', 'What everybody traded of it in 24 hours.'),
    tx_count_24h: count('Swaps of it in 24 hours.'),
    market_cap: marketCap,
    market_cap_known: unknownCaps.market_cap_known,
    main_pair: text('Address or id of its main pair; empty: it has none.'),
    main_pair_tvl: decimal('usd', 'What its main pair holds.'),
    main_pair_tvl_known: unknownMark('main_pair_tvl'),
    updated_at: timeS('When the ranking of the wallets was made.'),
  },
)
export type Signal = TypeOf<typeof signal>
