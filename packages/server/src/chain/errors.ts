import { AppError } from '../lib/errors.ts'

/** What went wrong with one JSON-RPC call, in the words that decide what to do next. */
export type RpcErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'rateLimited'
  | 'forbidden'
  | 'wrongNetwork'
  | 'rangeTooLarge'
  | 'responseTooLarge'
  | 'batchRefused'
  | 'unknownMethod'
  | 'notFound'
  | 'reverted'
  | 'refused'
  | 'malformed'
  | 'failed'
  | 'aborted'

// The same question asked again, or asked elsewhere, gets the same answer.
const definiteKinds: ReadonlySet<RpcErrorKind> = new Set([
  'reverted',
  'refused',
  'rangeTooLarge',
  'responseTooLarge',
  'aborted',
])

export type RpcErrorOptions = {
  kind: RpcErrorKind
  method: string
  /** Name of the endpoint, never its URL: URLs carry keys. */
  endpoint: string
  detail: string
  /** Blocks per eth_getLogs that the node says would work. */
  rangeBlocksMax?: number | undefined
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** A JSON-RPC call failed on every endpoint that was asked, or in a way that no endpoint would answer. */
export class RpcError extends AppError {
  readonly kind: RpcErrorKind
  readonly rangeBlocksMax: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(options: RpcErrorOptions) {
    const { kind, method, endpoint, detail, cause } = options
    super(`RPC_${screamingSnake(kind)}`, `The node did not answer ${method}: ${kind}.`, {
      cause,
      meta: [`Endpoint: ${endpoint}`, `Detail: ${detail}`],
      retryable: !definiteKinds.has(kind) && kind !== 'unknownMethod',
    })
    this.kind = kind
    this.rangeBlocksMax = options.rangeBlocksMax
    this.retryAfterMs = options.retryAfterMs
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

/** What nodes say of a block contradicts itself, on every endpoint and after asking again. */
export class InconsistentNodeError extends AppError {
  constructor({ chain, block, fault }: { chain: string; block: string; fault: string }) {
    super('NODE_INCONSISTENT', `What the nodes of "${chain}" say of a block contradicts itself.`, {
      meta: [`Block: ${block}`, `Fault: ${fault}`],
      retryable: true,
    })
  }
}

/** More blocks were replaced than can be taken back. */
export class ReorgTooDeepError extends AppError {
  constructor({ chain, depth, depthMax }: { chain: string; depth: number; depthMax: number }) {
    super(
      'REORG_TOO_DEEP',
      `Reorg on "${chain}" is deeper than the blocks that can be taken back.`,
      {
        meta: [`Depth: at least ${depth} blocks`, `Can be taken back: ${depthMax} blocks`],
      },
    )
  }
}

function screamingSnake(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}
