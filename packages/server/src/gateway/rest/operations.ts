import { canSelectFields, fieldsInput } from '../inputs/fields.ts'
import type { Operation } from './operation.ts'
import { pairKlines, tokenKlines } from './pairs/klines.ts'
import { newPairs, pairDetail, tokenPairs } from './pairs/pairs.ts'
import { liquidityTxs, pairTxs, swapTxs, txDetail } from './pairs/txs.ts'
import { platformTokens } from './ranks/platformTokens.ts'
import { ranks, rankTopics } from './ranks/ranks.ts'
import { screener, screenerPairs } from './ranks/screener.ts'
import { trending } from './ranks/trending.ts'
import { contractRisk } from './risk/contractRisk.ts'
import { status } from './service/status.ts'
import { supportedChains } from './service/supportedChains.ts'
import { usageOfKey } from './service/usage.ts'
import { tokenHolders, topHolders } from './tokens/holders.ts'
import { pricesAt } from './tokens/pricesAt.ts'
import { searchTokens } from './tokens/searchTokens.ts'
import { tokenPrices } from './tokens/tokenPrices.ts'
import { mainTokens, tokenBatch, tokenDetail } from './tokens/tokens.ts'
import { udfConfig, udfTime } from './udf/udfConfig.ts'
import { udfHistory } from './udf/udfHistory.ts'
import { udfQuotes } from './udf/udfQuotes.ts'
import { udfSearch, udfSymbols } from './udf/udfSymbols.ts'
import { addressPnl } from './wallets/addressPnl.ts'
import { addressTxs } from './wallets/addressTxs.ts'
import { signals } from './wallets/signals.ts'
import { smartWallets } from './wallets/smartWallets.ts'
import { walletInfo } from './wallets/walletInfo.ts'
import { walletTokens } from './wallets/walletTokens.ts'

const defined: readonly Operation[] = [
  tokenPrices,
  tokenBatch,
  searchTokens,
  tokenDetail,
  contractRisk,
  topHolders,
  mainTokens,
  trending,
  platformTokens,
  pairDetail,
  // Operations beyond the published contract that its existing clients use.
  pricesAt,
  tokenPairs,
  newPairs,
  pairKlines,
  tokenKlines,
  pairTxs,
  swapTxs,
  liquidityTxs,
  txDetail,
  rankTopics,
  ranks,
  screener,
  screenerPairs,
  tokenHolders,
  addressTxs,
  addressPnl,
  walletInfo,
  walletTokens,
  smartWallets,
  signals,
  supportedChains,
  status,
  udfConfig,
  udfTime,
  udfSymbols,
  udfSearch,
  udfHistory,
  udfQuotes,
  usageOfKey,
]

/** Every REST operation that needs an API key, in the order of the OpenAPI document. */
export const operations: readonly Operation[] = defined.map(withFields)

/**
 * Adds the `fields` parameter. Chart operations (`/udf/`) do not get it, because charting libraries
 * need every field.
 */
function withFields(operation: Operation): Operation {
  const { path, answer, inputs } = operation
  if (!path.startsWith('/v2/') || !canSelectFields(answer)) return operation
  return { ...operation, inputs: { ...inputs, fields: fieldsInput(operation) } }
}
