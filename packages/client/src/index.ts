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
