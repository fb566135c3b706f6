import { AppError } from '../lib/errors.ts'
import type { RedactSecrets } from '../lib/redactSecrets.ts'
import type { NodeFault } from '../model/block.ts'

/** Kinds of failed JSON-RPC calls; the kind decides what happens next. */
export type RpcErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'rateLimited'
  | 'forbidden'
  | 'wrongNetwork'
  | 'rangeTooLarge'
  | 'logsRefused'
  | 'addressNeeded'
  | 'responseTooLarge'
  | 'batchRefused'
  | 'unknownMethod'
  | 'notFound'
  | 'skipped'
  | 'reverted'
  | 'outOfGas'
  | 'refused'
  | 'malformed'
  | 'failed'
  | 'aborted'

// Errors that any endpoint would return again for the same request.
const definiteKinds: ReadonlySet<RpcErrorKind> = new Set([
  'reverted',
  'outOfGas',
  'refused',
  'aborted',
])

// Errors that this endpoint would return again, but another one may not.
const standingKinds: ReadonlySet<RpcErrorKind> = new Set([
  'unknownMethod',
  'rangeTooLarge',
  'logsRefused',
  'addressNeeded',
  'responseTooLarge',
  'skipped',
])

// Errors about a log request that a smaller range may avoid.
const sizeKinds: ReadonlySet<RpcErrorKind> = new Set([
  'rangeTooLarge',
  'responseTooLarge',
  'logsRefused',
  'timeout',
])

/** The endpoint that returned an error. */
export type RpcSource = {
  /** Index of the endpoint in the chain's `rpc` config, from 0. */
  index: number
  /** Contains the host, never the URL: URLs contain keys. */
  name: string
  /** Redacts secrets: providers quote the requested URL in errors. */
  hide: RedactSecrets
}

type RpcErrorOptions = {
  kind: RpcErrorKind
  method: string
  /** Null if several endpoints failed. */
  endpoint: RpcSource | null
  /** May be the node's error text. */
  detail: string
  /** Largest range of blocks that the node says it would answer. */
  rangeBlocksMax?: number | undefined
  retryAfterMs?: number | undefined
}

// Error texts are cut, since they can be a page of HTML.
const detailCharsMax = 500
// Redaction reads more than is kept, because cutting first could leave half of a secret.
const readCharsMax = 4 * detailCharsMax

const cutDetail = (hide: RedactSecrets, text: string) =>
  hide(text.slice(0, readCharsMax)).slice(0, detailCharsMax)

/** A JSON-RPC call failed on every endpoint tried, or in a way that no endpoint would answer. */
export class RpcError extends AppError {
  readonly kind: RpcErrorKind
  /**
   * Index of the endpoint in the chain's `rpc` config, from 0; null if several endpoints failed.
   */
  readonly endpoint: number | null
  readonly detail: string
  readonly rangeBlocksMax: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(options: RpcErrorOptions) {
    const { kind, method, endpoint } = options
    // Redacted here so that no later stage can leak a secret. The cause is dropped, because it has
    // the same text.
    const detail = cutDetail(endpoint?.hide ?? String, options.detail)
    super(`RPC_${screamingSnake(kind)}`, `The node did not answer ${method}: ${kind}.`, {
      meta: [`Endpoint: ${endpoint?.name ?? 'any'}`, `Detail: ${detail}`],
      retryable: !definiteKinds.has(kind) && !standingKinds.has(kind),
    })
    this.kind = kind
    this.endpoint = endpoint?.index ?? null
    this.detail = detail
    this.rangeBlocksMax = options.rangeBlocksMax
    this.retryAfterMs = options.retryAfterMs
  }

  /** Returns true if the node answered and the contract call itself failed. */
  get isOfContract(): boolean {
    return this.kind === 'reverted' || this.kind === 'outOfGas'
  }

  /** Returns true if a log request for fewer blocks may succeed. */
  get isOfSize(): boolean {
    return sizeKinds.has(this.kind)
  }

  /** Returns true if no other endpoint could answer the call. */
  get isDefinite(): boolean {
    return definiteKinds.has(this.kind)
  }
}

/** An endpoint serves another network than the configured chain. */
export class WrongNetworkError extends AppError {
  constructor({ chain, cause }: { chain: string; cause: RpcError }) {
    const facts = cause.meta.map((line) => line.replace(/^\w+: /, ''))
    super('NODE_WRONG_NETWORK', `An endpoint of "${chain}" is refused: ${facts.join(': ')}.`, {
      cause,
      meta: ['Give an address of the right network, or the right chain_id.'],
    })
  }
}

type InconsistentNodeOptions = {
  chain: string
  block: string
  fault: string
  failedCheck?: string | null
}

/** Every endpoint reports a block that contradicts itself, also after retries. */
export class InconsistentNodeError extends AppError {
  /**
   * `failedCheck`: a sentence about the check that every endpoint fails; null if they fail
   * different checks.
   */
  constructor({ chain, block, fault, failedCheck = null }: InconsistentNodeOptions) {
    const hint = failedCheck === null ? [] : [`Likely: ${failedCheck}`]
    super('NODE_INCONSISTENT', `What the nodes of "${chain}" say of a block contradicts itself.`, {
      meta: [`Block: ${block}`, `Fault: ${fault}`, ...hint],
      retryable: true,
    })
  }
}

/** A reorg replaced final blocks, which the store cannot revert. */
export class ReorgTooDeepError extends AppError {
  constructor({ chain, depth, depthMax }: { chain: string; depth: number; depthMax: number }) {
    super('REORG_TOO_DEEP', `Blocks of "${chain}" were replaced that had become final.`, {
      meta: [
        `Depth: at least ${depth} blocks`,
        `Can be reverted: ${depthMax} blocks`,
        'Look whether the nodes are of the right chain and have all of it; no final block was touched.',
        'If the chain itself began again or changed that far back, what is stored of it is of no use: index it under',
        'another name, or start with another data directory or database.',
      ],
    })
  }
}

/**
 * The newest block that the stored branch and the chain share. `hash` null if they share none, so
 * indexing starts over.
 */
export type Ancestor = { number: number; hash: string | null }

/**
 * A reorg replaced more blocks than are held in memory, none of them final: the store reverts them.
 */
export class ReorgDeepError extends AppError {
  readonly ancestor: Ancestor

  constructor({ chain, depth, ancestor }: { chain: string; depth: number; ancestor: Ancestor }) {
    super('REORG_DEEP', `Reorg on "${chain}" is deeper than the blocks held in memory.`, {
      meta: [`Depth: ${depth} blocks`, `Last block in common: ${ancestor.number}`],
    })
    this.ancestor = ancestor
  }
}

/** Splits an error into a public summary and a text for the operator. */
export function nodeFaultOf(error: AppError): NodeFault {
  const isOfOne = error instanceof RpcError && error.endpoint !== null
  const summary = isOfOne ? `endpoint ${error.endpoint}: ${error.kind}` : error.code
  return { summary, text: error.message }
}

function screamingSnake(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}
