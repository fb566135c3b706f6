import type { Clock, GatewayChains } from '../gatewayChain.ts'
import type { StoreReads } from '../history/storeReads.ts'
import type { OpenKeyAccess } from '../keys/createKeyAccess.ts'
import type { KeyHolder } from '../keys/keyAccess.ts'
import type { MarketRows } from '../rows/marketRows.ts'
import type { Screener } from '../screener/screener.ts'
import type { Turns } from '../turns/turns.ts'
import type { SmartTrades } from '../wallets/smartTrades.ts'
import type { TokenPositions } from '../wallets/tokenPositions.ts'
import type { Correction } from './corrections.ts'
import type { Encoded } from './encoded.ts'

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = { readonly [word: string]: unknown }

/** One parameter of the path or the query: how it is read, and how the OpenAPI document shows it. */
export type Input<value> = {
  name: string
  /** Another name that clients know it by. */
  alias?: string
  in: 'path' | 'query'
  isRequired: boolean
  description: string
  schema: JsonSchema
  example?: string | number
  /** Throws a RequestError that names the input. Undefined: it was not given. */
  parse(text: string | undefined, serving: Serving): value
  /** In compatibility mode, what is parsed instead. Null: the text as it is. */
  correct?(text: string): Correction | null
}

/** The JSON body of a POST. */
type BodyInput<value> = {
  description: string
  schema: JsonSchema
  example: unknown
  parse(json: unknown, serving: Serving): value
  /**
   * A quicker way for bodies of the usual form, with the same result. Null: it is of another. What it gives is good until it
   * is given the next body.
   */
  createBytesParser?(): (bytes: Uint8Array) => value | null
}

/** What operations answer from. */
export type Serving = {
  chains: GatewayChains
  clock: Clock
  store: StoreReads
  /** How holders traded. */
  positions: TokenPositions
  smartTrades: SmartTrades
  rows: MarketRows
  screener: Screener
  turns: Turns
  /** What the caller's account did in this period. */
  usageOf: OpenKeyAccess['usageOf']
  /** Answers are also made as existing clients read them (`enveloped`). */
  isCompatible: boolean
}

/** Encoded already. `msg` shows in the envelope only. */
export type Answer = {
  json: Encoded
  msg?: string
  /** What the envelope carries where it is not the bare answer; asked for at once, where there is an envelope. */
  enveloped?: () => Encoded
  /** Sent as `Warning` fields: what compatibility mode left out of the answer. */
  warnings?: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: each operation has values of its own
export type Inputs = { readonly [name: string]: Input<any> }
type ValuesOf<inputs extends Inputs> = {
  [name in keyof inputs]: ReturnType<inputs[name]['parse']>
}

/** Is it for charting libraries? They give an address alone, and set no headers. */
export function isOfCharts({ path }: { path: string }): boolean {
  return path.startsWith('/udf/')
}

type OperationSpec<inputs extends Inputs, body> = {
  /** Stable name: operationId in the OpenAPI document, and what usage is counted by. */
  id: string
  method: 'GET' | 'POST'
  /** As OpenAPI writes it, for example `/v2/tokens/{token-id}`. */
  path: string
  /** Another path that existing clients use; served in compatibility mode only. */
  compatPath?: string
  /** Credit units of one successful request. */
  cost: number
  tag: 'tokens' | 'pairs' | 'klines' | 'transactions' | 'ranks' | 'wallets' | 'service'
  summary: string
  description?: string
  inputs: inputs
  /** Id of the same operation at another path: the client has one method for both. */
  aliasOf?: string
  body?: BodyInput<body>
  /** Schema of the answer without the envelope; `Enveloped` where the contract itself has one. */
  answer: JsonSchema
  /** Schema of `enveloped`, where that is another one. */
  envelopedAnswer?: JsonSchema
  /** A GET whose answer changes with the market only: it has a tag, and who has it is told 304. */
  isTagged?: boolean
  /** The answer depends on the key: no cache that others share may keep it. */
  isPrivate?: boolean
  /** The contract has the envelope on this one in every mode: `json` carries it already. */
  isEnveloped?: boolean
  run(
    values: ValuesOf<inputs> & { body: body },
    serving: Serving,
    caller: KeyHolder,
  ): Answer | Promise<Answer>
}

/** One operation of the interface: read, metered, answered and documented from this alone. */
export type Operation = OperationSpec<Inputs, unknown>

/** Keeps the types of the inputs for `run` and forgets them for everybody else. */
export function defineOperation<const inputs extends Inputs, body = undefined>(
  spec: OperationSpec<inputs, body>,
): Operation {
  return spec as unknown as Operation
}
