export { compareDecimals, sumDecimals } from './decimals.ts'
export {
  ChaintapeError,
  type FaultCode,
  InputError,
  KeyError,
  LimitError,
  NetworkError,
  ServiceError,
} from './errors.ts'
export { createRest, type Rest } from './rest/createRest.ts'
export type { Empty, Operations } from './rest/operations.ts'
export type { AskPrice } from './rest/priceBatch.ts'
export type { CallOptions, Key, RestOptions } from './rest/send.ts'
export type { ConnectionOptions } from './stream/connection.ts'
export {
  createTape,
  type ScreenerFilter,
  type ScreenerSelection,
  type Tape,
  type TapeOptions,
  type TradesFilter,
} from './stream/createTape.ts'
export type { SocketClass, SocketLike, SocketOptions } from './stream/openSocket.ts'
export type { CursorStore, Marks, Stream, StreamOptions } from './stream/stream.ts'
export type { TapeEvent, TapeListener } from './stream/tapeEvent.ts'
