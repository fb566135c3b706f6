import type { SolanaBlock } from '../../model/solana/rpcTransaction.ts'
import type { RpcErrorKind } from '../errors.ts'
import { createRpc, type Rpc, type RpcOptions } from '../rpc/rpc.ts'
import {
  type AnswerLimit,
  type AnswerLimits,
  blockBytesMax,
  blockLimit,
  createMethodCapabilities,
  hardLimit,
  mib,
  type RpcCall,
  type RpcDialect,
  type RpcFailure,
  softLimit,
  stateLimit,
  valueLimit,
} from '../rpc/rpcCall.ts'

export type SolanaRpcOptions = RpcOptions & {
  /**
   * Hash of the chain's first block: endpoints of another network are never used. Undefined: not
   * checked.
   */
  genesisHash?: string | undefined
}

/** Creates a JSON-RPC client over several Solana nodes, with failover and retries. */
export function createSolanaRpc({ genesisHash, ...options }: SolanaRpcOptions): Rpc {
  return createRpc(options, solanaDialect(genesisHash))
}

function solanaDialect(genesisHash: string | undefined): RpcDialect {
  return {
    classify: (_, failure) => ({ kind: classifySolanaError(failure), range: undefined }),
    createCapabilities: createMethodCapabilities,
    answerLimits: solanaAnswerLimits,
    network:
      genesisHash === undefined
        ? null
        : { method: 'getGenesisHash', faultOf: faultOf(genesisHash) },
  }
}

const faultOf = (genesisHash: string) => (answer: unknown) =>
  answer === genesisHash ? null : `Its first block is ${String(answer)}, not ${genesisHash}`

// Error kinds by code; nodes agree on these codes. If another node may answer, the kind makes the
// client ask it.
const codeKinds: Readonly<Record<number, RpcErrorKind>> = {
  // The node no longer has the block, has not reached it yet, or never kept its transactions.
  [-32_001]: 'notFound',
  [-32_004]: 'notFound',
  [-32_011]: 'notFound',
  [-32_014]: 'notFound',
  [-32_016]: 'notFound',
  // The node is behind the others or overloaded: it is left alone for a while in both cases.
  [-32_005]: 'rateLimited',
  429: 'rateLimited',
  // The slot was skipped, or this node lacks it: a single endpoint's answer is not trusted.
  [-32_007]: 'skipped',
  [-32_009]: 'skipped',
  // The node's archive does not answer; a retry may succeed.
  [-32_019]: 'failed',
  // The node does not support the version of the block's transactions yet.
  [-32_015]: 'notFound',
  // The node does not keep the required index.
  [-32_010]: 'refused',
  [-32_600]: 'refused',
  [-32_602]: 'refused',
  [-32_700]: 'refused',
  [-32_601]: 'unknownMethod',
}

const statusKinds: Readonly<Record<number, RpcErrorKind>> = {
  401: 'forbidden',
  402: 'forbidden',
  403: 'forbidden',
  408: 'timeout',
  413: 'batchRefused',
  429: 'rateLimited',
  503: 'rateLimited',
  504: 'timeout',
}

const rateWords = /too many requests|rate.?limit|credits|quota|throttl|per second/i

/** Classifies a failure by the node's code, text and HTTP status. */
function classifySolanaError({ code, message, httpStatus }: RpcFailure): RpcErrorKind {
  if (rateWords.test(message)) return 'rateLimited'
  const byCode = code === undefined ? undefined : codeKinds[code]
  const byStatus = httpStatus === undefined ? undefined : statusKinds[httpStatus]
  return byCode ?? byStatus ?? 'failed'
}

// Nodes list at most half a million slots.
const slotsBytesMax = 8 * mib

export const solanaAnswerLimits: AnswerLimits = {
  getBlock: blockOf,
  getBlocks: () => hardLimit(slotsBytesMax),
  getMultipleAccounts: () => stateLimit,
  getTokenAccountsByOwner: () => stateLimit,
  simulateTransaction: () => stateLimit,
  getProgramAccounts: () => softLimit(blockBytesMax),
}

function blockOf({ params }: RpcCall): AnswerLimit {
  const { transactionDetails } = (params[1] ?? {}) as { transactionDetails?: string }
  return transactionDetails === 'none' ? valueLimit : blockLimit
}

export type Commitment = 'processed' | AskedCommitment

/** Commitments at which nodes answer block requests; processed blocks are only streamed. */
export type AskedCommitment = 'confirmed' | 'finalized'

export function askedCommitment(commitment: Commitment): AskedCommitment {
  return commitment === 'processed' ? 'confirmed' : commitment
}

/** A value reported by `endpoint`; a negative index means a stream. */
export type Fetched<value> = { value: value; endpoint: number; receivedMs: number }

/** A block as a node reported it; its time is corrected when the block is delivered. */
export type FetchedBlock = Fetched<SolanaBlock>
