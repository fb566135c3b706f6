import { canSelectFields, fieldsInput } from './operation/fields.ts'
import type { Operation } from './operation/operation.ts'
import { pairKlines, tokenKlines } from './rest/pairs/klines.ts'
import { newPairs, pairDetail, tokenPairs } from './rest/pairs/pairs.ts'
import { liquidityTxs, pairTxs, swapTxs, txDetail } from './rest/pairs/txs.ts'
import { platformTokens } from './rest/ranks/platformTokens.ts'
import { ranks } from './rest/ranks/ranks.ts'
import { rankTopics } from './rest/ranks/rankTopics.ts'
import { screener, screenerPairs } from './rest/ranks/screener.ts'
import { trending } from './rest/ranks/trending.ts'
import { contractRisk } from './rest/risk/contractRisk.ts'
import { status } from './rest/service/status.ts'
import { supportedChains } from './rest/service/supportedChains.ts'
import { usageOfKey } from './rest/service/usage.ts'
import { tokenHolders, topHolders } from './rest/tokens/holders.ts'
import { pricesAt } from './rest/tokens/pricesAt.ts'
import { searchTokens } from './rest/tokens/searchTokens.ts'
import { tokenPrices } from './rest/tokens/tokenPrices.ts'
import { mainTokens, tokenBatch, tokenDetail } from './rest/tokens/tokens.ts'
import { udfConfig, udfTime } from './rest/udf/udfConfig.ts'
import { udfHistory } from './rest/udf/udfHistory.ts'
import { udfQuotes } from './rest/udf/udfQuotes.ts'
import { udfSearch, udfSymbols } from './rest/udf/udfSymbols.ts'
import { addressPnl } from './rest/wallets/addressPnl.ts'
import { addressTxs } from './rest/wallets/addressTxs.ts'
import { signals } from './rest/wallets/signals.ts'
import { smartWallets } from './rest/wallets/smartWallets.ts'
import { walletInfo } from './rest/wallets/walletInfo.ts'
import { walletTokens } from './rest/wallets/walletTokens.ts'

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
