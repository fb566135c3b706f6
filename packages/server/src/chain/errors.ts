import { AppError } from '../lib/errors.ts'
import type { HideSecrets } from '../lib/hideSecrets.ts'
import type { NodeFault } from '../model/block.ts'

/** What went wrong with one JSON-RPC call, in the words that decide what to do next. */
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

// The same question asked again, or asked elsewhere, gets the same answer.
const definiteKinds: ReadonlySet<RpcErrorKind> = new Set([
  'reverted',
  'outOfGas',
  'refused',
  'aborted',
])

// Asked elsewhere it may get another answer, asked again it will not.
const standingKinds: ReadonlySet<RpcErrorKind> = new Set([
  'unknownMethod',
  'rangeTooLarge',
  'logsRefused',
  'addressNeeded',
  'responseTooLarge',
  'skipped',
])

// What is said of a request for logs that another size, or none, may not be said of.
const sizeKinds: ReadonlySet<RpcErrorKind> = new Set([
  'rangeTooLarge',
  'responseTooLarge',
  'logsRefused',
  'timeout',
])

/** The endpoint that an error is of. */
export type RpcSource = {
  /** Its place in `rpc` of the chain, from 0. */
  index: number
  /** With its host, never its URL: URLs carry keys. */
  name: string
  /** Providers quote the address that was asked. */
  hide: HideSecrets
}

export type RpcErrorOptions = {
  kind: RpcErrorKind
  method: string
  /** Null: several were asked. */
  endpoint: RpcSource | null
  /** May be the node's own words. */
  detail: string
  /** Blocks in one question that the node says would work. */
  rangeBlocksMax?: number | undefined
  retryAfterMs?: number | undefined
}

// An error text can be a page of HTML.
const detailCharsMax = 500
// More is read than kept: cut before, half of a secret could be left.
const readCharsMax = 4 * detailCharsMax

const cutDetail = (hide: HideSecrets, text: string) =>
  hide(text.slice(0, readCharsMax)).slice(0, detailCharsMax)

/** A JSON-RPC call failed on every endpoint that was asked, or in a way that no endpoint would answer. */
export class RpcError extends AppError {
  readonly kind: RpcErrorKind
  /** In `rpc` of the chain, from 0; null: several were asked. */
  readonly endpoint: number | null
  readonly detail: string
  readonly rangeBlocksMax: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(options: RpcErrorOptions) {
    const { kind, method, endpoint } = options
    // Here, so that nothing behind this can give a secret away. Without a cause: it would have the same words.
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

  /** Did the node answer, and the contract fail? */
  get isOfContract(): boolean {
    return this.kind === 'reverted' || this.kind === 'outOfGas'
  }

  /** May fewer blocks be answered, where the request was for logs? */
  get isOfSize(): boolean {
    return sizeKinds.has(this.kind)
  }

  /** May another endpoint answer what this one did not? */
  get isDefinite(): boolean {
    return definiteKinds.has(this.kind)
  }
}

/** An endpoint leads to another network than the one that its chain is on. */
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

/** A block as nodes report it contradicts itself, on every endpoint and after asking again. */
export class InconsistentNodeError extends AppError {
  /** `failedCheck`: which check every endpoint fails, in a sentence; null: they fail differently. */
  constructor({ chain, block, fault, failedCheck = null }: InconsistentNodeOptions) {
    const hint = failedCheck === null ? [] : [`Likely: ${failedCheck}`]
    super('NODE_INCONSISTENT', `What the nodes of "${chain}" say of a block contradicts itself.`, {
      meta: [`Block: ${block}`, `Fault: ${fault}`, ...hint],
      retryable: true,
    })
  }
}

/** Final blocks were replaced: nothing that is stored reverts them. */
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

/** The newest block that the stored branch and the chain share. `hash` null: none, history begins again. */
export type Ancestor = { number: number; hash: string | null }

/** More blocks were replaced than are held in memory, none of them final: what is stored reverts them. */
export class ReorgDeepError extends AppError {
  readonly ancestor: Ancestor

  constructor({ chain, depth, ancestor }: { chain: string; depth: number; ancestor: Ancestor }) {
    super('REORG_DEEP', `Reorg on "${chain}" is deeper than the blocks held in memory.`, {
      meta: [`Depth: ${depth} blocks`, `Last block in common: ${ancestor.number}`],
    })
    this.ancestor = ancestor
  }
}

/** Splits an error into a summary for everyone and the text for the operator. */
export function nodeFaultOf(error: AppError): NodeFault {
  const isOfOne = error instanceof RpcError && error.endpoint !== null
  const summary = isOfOne ? `endpoint ${error.endpoint}: ${error.kind}` : error.code
  return { summary, text: error.message }
}

function screamingSnake(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}
