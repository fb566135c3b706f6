import type { JsonSchema } from '../operation.ts'
import { klinesSchema } from './klines.ts'
import { statusSchema } from './status.ts'
import { listedHolderSchema } from './tokenHolder.ts'
import { liquidityTxSchema, swapTxSchema, txsSchema, walletTxSchema } from './txs.ts'
import { udfSchemas } from './udf.ts'
import {
  smartWalletSchema,
  walletInfoSchema,
  walletPnlSchema,
  walletTokenSchema,
} from './wallets.ts'
import { ref } from './words.ts'

/** Schemas of the operations beyond the contract. */
export const extraComponents: Readonly<Record<string, JsonSchema>> = {
  Klines: klinesSchema,
  SwapTx: swapTxSchema,
  SwapTxs: txsSchema(ref('SwapTx')),
  LiquidityTx: liquidityTxSchema,
  LiquidityTxs: txsSchema(ref('LiquidityTx')),
  Status: statusSchema,
  ListedHolder: listedHolderSchema,
  WalletTx: walletTxSchema,
  WalletPnl: walletPnlSchema,
  WalletInfo: walletInfoSchema,
  WalletToken: walletTokenSchema,
  SmartWallet: smartWalletSchema,
  ...udfSchemas,
}
