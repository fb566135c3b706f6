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
  'A token that wallets with a large realized profit bought in the last 24 hours.',
  {
    id: text('Id of the signal, `<token>-<chain>-<signal_time>`.'),
    chain,
    token: text('Address of the token.'),
    symbol: text('Symbol of the token.'),
    name: text('Name of the token.'),
    logo_url: text(
      'URL of a logo, from `logo_url` of the chain in the config. Chaintape does not check that it exists. Empty: unknown.',
    ),
    signal_type: constant('smart_buy', 'Always `smart_buy`.'),
    signal_time: timeS('Time of the last purchase.'),
    headline: text('The signal as a sentence.'),
    action_type: constant('buy', 'Always `buy`.'),
    action_count: count('Purchases.'),
    wallet_count: count('Number of wallets that bought the token.'),
    quote_token_volume: decimal('usd', 'Value of the purchases.'),
    sold_volume: decimal('usd', 'Proceeds of these wallets from selling the token.'),
    actions: list(
      object(
        part('Trades of one wallet.', {
          wallet_address: text('The wallet.'),
          action_type: constant('buy', 'Always `buy`.'),
          action_time: timeS('Time of its last purchase.'),
          action_count: count('Number of its purchases.'),
          quote_token_volume: decimal('usd', 'Value of its purchases.'),
          sold_volume: decimal('usd', 'Proceeds of its sales of the token.'),
          total_profit: decimal('usd', 'Realized profit of the wallet over all tokens.'),
        }),
      ),
      'Per wallet, largest purchase first.',
    ),
    current_price_usd: decimal('usd', 'Price of the token.'),
    price_change_24h: decimal('percent', 'Price change in 24 hours.'),
    tx_volume_u_24h: decimal('usd', 'Volume of all wallets in 24 hours.'),
    tx_count_24h: count('Number of swaps in 24 hours.'),
    market_cap: marketCap,
    market_cap_known: unknownCaps.market_cap_known,
    main_pair: text('Address or id of its main pair; empty: none.'),
    main_pair_tvl: decimal('usd', 'Value of the reserves of its main pair.'),
    main_pair_tvl_known: unknownMark('main_pair_tvl'),
    updated_at: timeS('Time the wallet ranking was computed.'),
  },
)
export type Signal = TypeOf<typeof signal>
