import { AppError } from '../lib/errors.ts'
import { createSecretHider } from '../lib/hideSecrets.ts'

/** The node's chain is not the one that is stored: every figure would differ, and none of it would say anything. */
export class OtherChainError extends AppError {
  constructor(facts: { rpcUrl: string; number: number; hash: string; found: string | null }) {
    const { rpcUrl, number, hash, found } = facts
    super('VERIFY_OTHER_CHAIN', 'The node has another chain than the one that is stored.', {
      meta: [
        `Stored: block ${number} ${hash}`,
        `At ${new URL(rpcUrl).host}: ${found ?? 'no such block'}`,
        'Name the right one with --rpc, or the right data directory with --data-dir.',
      ],
    })
  }
}

/** There are no formulas of their own for these. */
export class VenuesNotCoveredError extends AppError {
  constructor({ venues }: { venues: readonly string[] }) {
    super('VERIFY_NOT_COVERED', 'The chain has venues that verify does not recompute.', {
      meta: [
        `Venues: ${venues.join(', ')}`,
        'It recomputes uniswapV2, uniswapV3 and launch pads; of Solana raydiumCpmm, orcaWhirlpool, pumpSwap and pumpFun.',
      ],
    })
  }
}

export class StoredChainMissingError extends AppError {
  constructor({ name }: { name: string }) {
    super('VERIFY_NOT_STORED', `Nothing is stored of the chain "${name}".`)
  }
}

/** What was found out is printed before. */
export class StoreDiffersError extends AppError {
  constructor({ count }: { count: number }) {
    super('VERIFY_DIFFERENCES', `${count} figures are not what the chain says.`)
  }
}

export class NodeUnreachableError extends AppError {
  /** `cause`: what a node, or viem, says may have the address in it. */
  constructor({ rpcUrl, cause }: { rpcUrl: string; cause: unknown }) {
    const reason = String(cause instanceof Error ? cause.message : cause).replaceAll('\n', ' ')
    super('VERIFY_NODE_DOWN', 'The node that the market is recomputed from does not answer.', {
      retryable: true,
      meta: [
        `Node: ${new URL(rpcUrl).host}`,
        `Reason: ${createSecretHider({ urls: [rpcUrl] })(reason)}`,
        'A local chain is there while the service runs: chaintape start',
      ],
    })
  }
}

/** What a node answered cannot be the logs of a chain. */
export class ChainInconsistentError extends AppError {
  constructor(reason: string) {
    super('VERIFY_CHAIN_INCONSISTENT', 'What the node answered contradicts itself.', {
      meta: [`Reason: ${reason}`],
    })
  }
}
