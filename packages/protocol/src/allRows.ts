import {
  compatSmartWallet,
  compatWalletInfo,
  compatWalletToken,
  compatWalletTx,
  compatWalletTxs,
} from './answers/compat.ts'
import { contractRisk } from './answers/contractRisk.ts'
import { listedHolder, tokenHolder } from './answers/holder.ts'
import { apiKey, listedKeys, madeKey, rotatedKey, usage } from './answers/keys.ts'
import { klinePoint, klines, mainPairPeriod } from './answers/klines.ts'
import { nodes } from './answers/nodes.ts'
import { pairDetail, pairsPage, screenerPairs, tokenPair } from './answers/pair.ts'
import { failure, rankTopic, servedChain } from './answers/service.ts'
import { signal } from './answers/signals.ts'
import { live, ready, status } from './answers/status.ts'
import {
  mainToken,
  priceAt,
  priceEntry,
  screenerPage,
  tokenDetail,
  tokenRow,
  trendingPage,
} from './answers/token.ts'
import { liquidityTx, liquidityTxs, swapTx, swapTxs, walletTx, walletTxs } from './answers/txs.ts'
import {
  udfBars,
  udfConfig,
  udfError,
  udfFound,
  udfNoData,
  udfQuotes,
  udfSymbol,
} from './answers/udf.ts'
import { smartWallet, walletInfo, walletPnl, walletToken } from './answers/wallets.ts'
import type { Row } from './describe.ts'
import {
  callError,
  keyError,
  pingAnswer,
  subscribeAnswer,
  unsubscribeAnswer,
} from './pushes/calls.ts'
import { klineEth, klineUsd, mainPair, mainPairSwitch } from './pushes/kline.ts'
import {
  heartbeat,
  holders,
  launch,
  newPair,
  pushedPrice,
  topHolder,
  trendingToken,
} from './pushes/market.ts'
import {
  heartbeatPush,
  holdersPush,
  klinePush,
  laggedNotice,
  launchesPush,
  liqPush,
  multiTxPush,
  newPairsPush,
  pricePush,
  screenerPush,
  switchPush,
  tradesPush,
  trendingPush,
  txPush,
  walletPush,
} from './pushes/results.ts'
import { screenedRow } from './pushes/screened.ts'
import { liquidity, pairSwap, profile, tokenSwap } from './pushes/trade.ts'

/** Every named row of REST answers, in the order of the documents. */
export const answerRows: readonly Row[] = [
  ...[tokenRow, mainToken, priceEntry, priceAt, tokenDetail, tokenPair, trendingPage, screenerPage],
  ...[contractRisk, tokenHolder, listedHolder],
  ...[pairDetail, pairsPage, screenerPairs, klines, klinePoint, mainPairPeriod],
  ...[swapTx, swapTxs, liquidityTx, liquidityTxs],
  ...[rankTopic],
  ...[walletTx, walletTxs, walletPnl, walletInfo, walletToken, smartWallet, signal],
  ...[compatWalletTx, compatWalletTxs, compatWalletInfo, compatWalletToken, compatSmartWallet],
  ...[servedChain, status, usage, live, ready],
  ...[udfConfig, udfSymbol, udfFound, udfBars, udfNoData, udfQuotes, udfError],
  ...[apiKey, madeKey, rotatedKey, listedKeys, nodes],
  failure,
]

/**
 * Rows that are an empty object when nothing is known. Of these only tokens are also in lists,
 * where they are always known.
 */
export const orEmptyRows: readonly Row[] = [tokenRow, contractRisk, pairDetail, walletPnl]

/** Every named row of WebSocket messages. */
export const messageRows: readonly Row[] = [
  ...[subscribeAnswer, unsubscribeAnswer, pingAnswer, callError, keyError],
  ...[txPush, multiTxPush, pairSwap, tokenSwap, profile],
  ...[liqPush, liquidity],
  ...[klinePush, klineEth, klineUsd, switchPush, mainPairSwitch, mainPair],
  ...[pricePush, pushedPrice],
  ...[trendingPush, trendingToken],
  ...[newPairsPush, newPair],
  ...[walletPush, tradesPush],
  ...[launchesPush, launch],
  ...[holdersPush, holders, topHolder],
  ...[screenerPush, screenedRow],
  ...[heartbeatPush, heartbeat, laggedNotice],
]
