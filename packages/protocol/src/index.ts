export { type ChainKind, canonicalPair, canonicalToken } from './addresses.ts'
export {
  type ErrorBody,
  errorBody,
  type ResponseEnvelope,
  type SuccessEnvelope,
  successEnvelope,
} from './envelope.ts'
export { type ErrorCode, type ErrorSpec, errorSpecs, isErrorCode } from './errors.ts'
export type {
  ChainHealth,
  ChainState,
  HistoryGap,
  HistoryGapReason,
  LiveBody,
  ReadyBody,
} from './health.ts'
export { formatId, type MarketId, parseId } from './ids.ts'
export { type Interval, intervalS, intervals, isInterval, pushInterval } from './intervals.ts'
export { type KeyBody, keyBody } from './keyBody.ts'
