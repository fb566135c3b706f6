import type { Operation } from './operation/operation.ts'
import { liquidityTxs } from './rest/pairs/liquidityTxs.ts'
import { pairKlines } from './rest/pairs/pairKlines.ts'
import { pairTxs, swapTxs } from './rest/pairs/swapTxs.ts'
import { tokenKlines } from './rest/pairs/tokenKlines.ts'
import { txDetail } from './rest/pairs/txDetail.ts'
import { ranks } from './rest/ranks/ranks.ts'
import { rankTopics } from './rest/ranks/rankTopics.ts'
import { status } from './rest/service/status.ts'
import { supportedChains } from './rest/service/supportedChains.ts'
import { tokenHolders } from './rest/tokens/tokenHolders.ts'
import { udfConfig } from './rest/udf/udfConfig.ts'
import { udfHistory } from './rest/udf/udfHistory.ts'
import { udfSearch } from './rest/udf/udfSearch.ts'
import { udfSymbols } from './rest/udf/udfSymbols.ts'
import { udfTime } from './rest/udf/udfTime.ts'
import { addressPnl } from './rest/wallets/addressPnl.ts'
import { addressTxs } from './rest/wallets/addressTxs.ts'
import { smartWallets } from './rest/wallets/smartWallets.ts'
import { walletInfo } from './rest/wallets/walletInfo.ts'
import { walletTokens } from './rest/wallets/walletTokens.ts'

/** Operations beyond the contract, as clients of this interface use them. */
export const extraOperations: readonly Operation[] = [
  pairKlines,
  tokenKlines,
  pairTxs,
  swapTxs,
  liquidityTxs,
  txDetail,
  rankTopics,
  ranks,
  tokenHolders,
  addressTxs,
  addressPnl,
  walletInfo,
  walletTokens,
  smartWallets,
  supportedChains,
  status,
  udfConfig,
  udfTime,
  udfSymbols,
  udfSearch,
  udfHistory,
]
