import type { SolanaBlock } from '../../model/solana/rpcTransaction.ts'
import type { RpcErrorKind } from '../errors.ts'
import { createRpc, type Rpc, type RpcOptions } from '../rpc/rpc.ts'
import {
  type AnswerLimit,
  type AnswerLimits,
  blockBytesMax,
  blockLimit,
  createMethodCapabilities,
  exceedable,
  honest,
  mib,
  type RpcCall,
  type RpcDialect,
  type RpcFailure,
  stateLimit,
  valueLimit,
} from '../rpc/rpcCall.ts'

export type SolanaRpcOptions = RpcOptions & {
  /** The hash of the chain's first block: an endpoint of another network is never used. Not asked for when undefined. */
  genesisHash?: string | undefined
}

/** JSON-RPC over several Solana nodes as if it were one that does not fail. */
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

// Nodes agree on these codes. Where another node may answer, the kind is one that has it asked.
const codeKinds: Readonly<Record<number, RpcErrorKind>> = {
  // The block is no longer on this node, has not come to it yet, or its transactions were never kept.
  [-32_001]: 'notFound',
  [-32_004]: 'notFound',
  [-32_011]: 'notFound',
  [-32_014]: 'notFound',
  [-32_016]: 'notFound',
  // It is behind the others, or has had enough of us: either way it is left in peace for a while.
  [-32_005]: 'rateLimited',
  429: 'rateLimited',
  // No block was made, or this node misses it: no endpoint is believed alone.
  [-32_007]: 'skipped',
  [-32_009]: 'skipped',
  // Its archive does not answer: it may the next time.
  [-32_019]: 'failed',
  // Transactions of a version that this node does not know yet.
  [-32_015]: 'notFound',
  // An index that the node does not keep.
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

/** What a failure means for us, from the node's code, words and HTTP status. */
export function classifySolanaError({ code, message, httpStatus }: RpcFailure): RpcErrorKind {
  if (rateWords.test(message)) return 'rateLimited'
  const byCode = code === undefined ? undefined : codeKinds[code]
  const byStatus = httpStatus === undefined ? undefined : statusKinds[httpStatus]
  return byCode ?? byStatus ?? 'failed'
}

// Nodes list half a million at most.
const slotsBytesMax = 8 * mib

export const solanaAnswerLimits: AnswerLimits = {
  getBlock: blockOf,
  getBlocks: () => honest(slotsBytesMax),
  getMultipleAccounts: () => stateLimit,
  getTokenAccountsByOwner: () => stateLimit,
  simulateTransaction: () => stateLimit,
  getProgramAccounts: () => exceedable(blockBytesMax),
}

function blockOf({ params }: RpcCall): AnswerLimit {
  const { transactionDetails } = (params[1] ?? {}) as { transactionDetails?: string }
  return transactionDetails === 'none' ? valueLimit : blockLimit
}

export type Commitment = 'processed' | AskedCommitment

/** The commitments at which nodes answer for blocks: those that are only processed are only streamed. */
export type AskedCommitment = 'confirmed' | 'finalized'

export function askedCommitment(commitment: Commitment): AskedCommitment {
  return commitment === 'processed' ? 'confirmed' : commitment
}

/** `endpoint`: the one that reported the value; below 0: a stream. */
export type Fetched<value> = { value: value; endpoint: number; receivedMs: number }

/** A block as a node reported it; its time is corrected when it takes its place in the chain. */
export type FetchedBlock = Fetched<SolanaBlock>
