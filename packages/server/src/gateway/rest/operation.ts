import type { Clock, GatewayChains } from '../chain/gatewayChain.ts'
import type { StoreReads } from '../chain/storeReads.ts'
import type { EncodedJson } from '../ground/encodedJson.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import type { JsonSchema } from '../ground/schemas.ts'
import type { Inputs } from '../inputs/inputs.ts'
import type { RunningKeyAccess } from '../keys/createKeyAccess.ts'
import type { Caller } from '../keys/keyAccess.ts'
import type { ScreenerBoards } from '../lists/screenerBoards.ts'
import type { MarketRows } from '../rows/marketRows.ts'
import type { TokenPositionCache } from './wallets/readPositions.ts'
import type { SmartTrades } from './wallets/smartTrades.ts'

/** The JSON body of a POST: how it is parsed, and how the OpenAPI document describes it. */
type BodyInput<value> = {
  description: string
  schema: JsonSchema
  example: unknown
  parse(json: unknown, serving: OperationContext): value
  /**
   * Creates a faster parser for bodies in the usual form, with the same result as `parse`. It
   * returns null for other forms. Its result is valid until the parser's next call.
   */
  createBytesParser?(): (bytes: Uint8Array) => value | null
}

/** Everything that operations read their answers from. */
export type OperationContext = {
  chains: GatewayChains
  clock: Clock
  store: StoreReads
  /** Cached purchases and sales of token holders. */
  positions: TokenPositionCache
  smartTrades: SmartTrades
  rows: MarketRows
  screener: ScreenerBoards
  scheduler: Scheduler
  /** Returns the usage of the caller's account in the current credit period. */
  usageOf: RunningKeyAccess['usageOf']
  /** True in compatibility mode, where answers use `enveloped` when defined. */
  isCompatible: boolean
}

/** An operation's answer as encoded JSON. `msg` appears only in the envelope. */
export type OperationAnswer = {
  json: EncodedJson
  msg?: string
  /**
   * Returns the payload inside the envelope, where it differs from `json`. Called immediately, and
   * only in compatibility mode.
   */
  enveloped?: () => EncodedJson
  /** Sent as `Warning` headers: what compatibility mode ignored or replaced in the request. */
  warnings?: readonly string[]
}

type ValuesOf<inputs extends Inputs> = {
  [name in keyof inputs]: ReturnType<inputs[name]['parse']>
}

/**
 * True for operations of charting libraries. These libraries are configured with a URL only and
 * cannot set headers.
 */
export function isChartOperation({ path }: { path: string }): boolean {
  return path.startsWith('/udf/')
}

type OperationSpec<inputs extends Inputs, body> = {
  /** Stable name: operationId in the OpenAPI document, and the key of usage counters. */
  id: string
  method: 'GET' | 'POST'
  /** Path template as in OpenAPI, for example `/v2/tokens/{token-id}`. */
  path: string
  /** Alternative path of existing clients, served only in compatibility mode. */
  compatPath?: string
  /** Credit units charged for a successful request. */
  cost: number
  tag: 'tokens' | 'pairs' | 'klines' | 'transactions' | 'ranks' | 'wallets' | 'service'
  summary: string
  description?: string
  inputs: inputs
  /**
   * Id of the same operation at its main path. Generated clients have one method for both paths.
   */
  aliasOf?: string
  body?: BodyInput<body>
  /**
   * Schema of the answer without the envelope, or the `Enveloped` schema where the contract itself
   * includes the envelope.
   */
  answer: JsonSchema
  /** Schema of `enveloped`, where it differs from `answer`. */
  envelopedAnswer?: JsonSchema
  /**
   * True for a GET whose answer changes only with the market. It has an ETag, and a matching
   * `If-None-Match` is answered with 304.
   */
  hasEtag?: boolean
  /** True when the answer depends on the API key, so shared caches must not store it. */
  isPrivate?: boolean
  /**
   * True when the contract includes the envelope in every mode. `json` already contains the
   * envelope.
   */
  isEnveloped?: boolean
  run(
    values: ValuesOf<inputs> & { body: body },
    serving: OperationContext,
    caller: Caller,
  ): OperationAnswer | Promise<OperationAnswer>
}

/** One REST operation. Routing, metering, answers and documentation are all derived from it. */
export type Operation = OperationSpec<Inputs, unknown>

/**
 * Defines an operation. `run` gets the exact types of its inputs; the returned type is the same for
 * all operations.
 */
export function defineOperation<const inputs extends Inputs, body = undefined>(
  spec: OperationSpec<inputs, body>,
): Operation {
  return spec as unknown as Operation
}
