export type {
  CompatSmartWallet,
  CompatWalletInfo,
  CompatWalletToken,
  CompatWalletTxs,
} from './answers/compat.ts'
export type { ContractRisk } from './answers/contractRisk.ts'
export type { ListedHolder, TokenHolder } from './answers/holder.ts'
export type { KeyBody, UsageBody } from './answers/keys.ts'
export type { KlinePoint, Klines } from './answers/klines.ts'
export type { NodesBody } from './answers/nodes.ts'
export type { PairDetail, PairsPage, ScreenerPairs, TokenPair } from './answers/pair.ts'
export type { ErrorBody, RankTopic, ServedChain } from './answers/service.ts'
export type { UsdReason } from './answers/shared.ts'
export type { Signal } from './answers/signals.ts'
export type {
  ChainHealth,
  ChainState,
  ChainStatus,
  HistoryGap,
  HistoryGapReason,
  LiveBody,
  ReadyBody,
  Status,
} from './answers/status.ts'
export type {
  PriceAt,
  PriceEntry,
  ScreenerPage,
  TokenDetail,
  TokenRow,
  TrendingPage,
} from './answers/token.ts'
export type {
  LiquidityTx,
  LiquidityTxs,
  SwapTx,
  SwapTxs,
  WalletTx,
  WalletTxs,
} from './answers/txs.ts'
export type {
  UdfBars,
  UdfConfig,
  UdfError,
  UdfFound,
  UdfNoData,
  UdfQuotes,
  UdfSymbol,
} from './answers/udf.ts'
export type { SmartWallet, WalletInfo, WalletPnl, WalletToken } from './answers/wallets.ts'
export { base58Ids, type ChainIds, evmIds } from './chainIds.ts'
export {
  errorBody,
  type ResponseEnvelope,
  type SuccessEnvelope,
  successEnvelope,
} from './envelope.ts'
export { type ErrorCode, type ErrorSpec, errorSpecs, isErrorCode } from './errors.ts'
export { formatId, type MarketId, parseId } from './ids.ts'
export {
  type Interval,
  type IntervalName,
  intervalOf,
  intervalS,
  intervals,
  isInterval,
  pushInterval,
} from './intervals.ts'
export { keyBody } from './keyBody.ts'
export type {
  CallError,
  CallErrorData,
  KeyError,
  PingAnswer,
  SubscribeAnswer,
  UnsubscribeAnswer,
} from './pushes/calls.ts'
export type { KlineEth, KlineUsd, MainPair, MainPairSwitch } from './pushes/kline.ts'
export type {
  Heartbeat,
  Holders,
  Launch,
  NewPair,
  PushedPrice,
  TopHolderChange,
  TrendingToken,
} from './pushes/market.ts'
export type {
  HeartbeatPush,
  HoldersPush,
  KlinePush,
  LaggedNotice,
  LaunchesPush,
  LiqPush,
  MultiTxPush,
  NewPairsPush,
  PricePush,
  ScreenerPush,
  SwitchPush,
  TradesPush,
  TrendingPush,
  TxPush,
  WalletPush,
} from './pushes/results.ts'
export type { ScreenedRow } from './pushes/screened.ts'
export type { Liquidity, PairSwap, Profile, TokenSwap } from './pushes/trade.ts'
