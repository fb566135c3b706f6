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
  time: timeS('Time of the block, by which pages are turned.'),
})

export const compatWalletTxs = row('CompatWalletTxs', 'A page of them, in compatibility mode.', {
  result: list(object(compatWalletTx), 'Newest first.'),
  tx_count: count('Rows of this page.'),
})
export type CompatWalletTxs = TypeOf<typeof compatWalletTxs>

export const compatWalletInfo = row('CompatWalletInfo', 'A wallet, in compatibility mode.', {
  ...walletInfo.fields,
  total_win_ratio: decimal(
    'percent',
    'Tokens that were sold with a profit, of those sold at a known cost.',
  ),
})
export type CompatWalletInfo = TypeOf<typeof compatWalletInfo>

export const compatWalletToken = row(
  'CompatWalletToken',
  'A token that a wallet traded, in compatibility mode.',
  {
    ...walletToken.fields,
    last_txn_time: timeS('Last trade; 0: never.'),
    total_transfer_in_amount: decimal(
      'tokens',
      'What came otherwise than by the swaps that are kept, less what went so.',
    ),
    total_transfer_out_amount: decimal(
      'tokens',
      'What went otherwise than by the swaps that are kept, less what came so.',
    ),
  },
)
export type CompatWalletToken = TypeOf<typeof compatWalletToken>

export const compatSmartWallet = row(
  'CompatSmartWallet',
  'A wallet with a large realised profit, in compatibility mode.',
  {
    ...smartWallet.fields,
    tag_items: list(
      object(
        part('A token that it traded.', {
          address: text('Address of the token.'),
          symbol: text('Symbol of the token.'),
          volume: decimal('usd', 'What was bought and sold of it.'),
        }),
      ),
      'The tokens that it traded most, of the 100 wallets with the largest profit; of others nothing.',
    ),
    last_trade_time: digits('Its last trade. Unix seconds.'),
  },
)
export type CompatSmartWallet = TypeOf<typeof compatSmartWallet>
