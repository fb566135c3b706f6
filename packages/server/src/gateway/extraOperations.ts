import type { Operation } from './operation.ts'
import { addressPnl } from './rest/addressPnl.ts'
import { addressTxs } from './rest/addressTxs.ts'
import { liquidityTxs } from './rest/liquidityTxs.ts'
import { pairKlines } from './rest/pairKlines.ts'
import { ranks } from './rest/ranks.ts'
import { rankTopics } from './rest/rankTopics.ts'
import { smartWallets } from './rest/smartWallets.ts'
import { status } from './rest/status.ts'
import { supportedChains } from './rest/supportedChains.ts'
import { pairTxs, swapTxs } from './rest/swapTxs.ts'
import { tokenHolders } from './rest/tokenHolders.ts'
import { tokenKlines } from './rest/tokenKlines.ts'
import { txDetail } from './rest/txDetail.ts'
import { walletInfo } from './rest/walletInfo.ts'
import { walletTokens } from './rest/walletTokens.ts'
import { udfConfig } from './udf/udfConfig.ts'
import { udfHistory } from './udf/udfHistory.ts'
import { udfSearch } from './udf/udfSearch.ts'
import { udfSymbols } from './udf/udfSymbols.ts'
import { udfTime } from './udf/udfTime.ts'

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
