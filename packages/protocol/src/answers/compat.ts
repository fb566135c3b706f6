import {
  count,
  decimal,
  digits,
  list,
  object,
  part,
  row,
  type TypeOf,
  text,
  timeS,
} from '../describe.ts'
import { walletTx } from './txs.ts'
import { smartWallet, walletInfo, walletToken } from './wallets.ts'

/**
 * Rows in the form of the public service, for its existing clients. docs/reference/compat.md lists
 * the differences.
 */

export const compatWalletTx = row('CompatWalletTx', 'A swap of a wallet, in compatibility mode.', {
  ...walletTx.fields,
  time: timeS('Block time; pages are ordered by it.'),
})

export const compatWalletTxs = row(
  'CompatWalletTxs',
  "A page of a wallet's swaps, in compatibility mode.",
  {
    result: list(object(compatWalletTx), 'Newest first.'),
    tx_count: count('Number of rows on this page.'),
  },
)
export type CompatWalletTxs = TypeOf<typeof compatWalletTxs>

export const compatWalletInfo = row('CompatWalletInfo', 'A wallet, in compatibility mode.', {
  ...walletInfo.fields,
  total_win_ratio: decimal(
    'percent',
    'Share of the tokens sold at a known cost that were sold at a profit.',
  ),
})
export type CompatWalletInfo = TypeOf<typeof compatWalletInfo>

export const compatWalletToken = row(
  'CompatWalletToken',
  'A token that a wallet traded, in compatibility mode.',
  {
    ...walletToken.fields,
    last_txn_time: timeS('Time of the last trade; 0: never traded.'),
    total_transfer_in_amount: decimal(
      'tokens',
      'Tokens received outside the stored swaps, minus tokens sent outside them; 0 if negative.',
    ),
    total_transfer_out_amount: decimal(
      'tokens',
      'Tokens sent outside the stored swaps, minus tokens received outside them; 0 if negative.',
    ),
  },
)
export type CompatWalletToken = TypeOf<typeof compatWalletToken>

export const compatSmartWallet = row(
  'CompatSmartWallet',
  'A wallet with a large realized profit, in compatibility mode.',
  {
    ...smartWallet.fields,
    tag_items: list(
      object(
        part('A token the wallet traded.', {
          address: text('Address of the token.'),
          symbol: text('Symbol of the token.'),
          volume: decimal('usd', 'Value of its purchases and sales.'),
        }),
      ),
      'The tokens the wallet traded most. Filled for the 100 wallets with the largest profit, empty for the others.',
    ),
    last_trade_time: digits('Time of its last trade. Unix seconds.'),
  },
)
export type CompatSmartWallet = TypeOf<typeof compatSmartWallet>
