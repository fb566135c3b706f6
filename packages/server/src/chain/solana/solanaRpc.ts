import type { RpcErrorKind } from '../errors.ts'
import { createMethodCapabilities, type RpcDialect, type RpcFailure } from '../rpc/dialect.ts'
import { createRpc, type Rpc, type RpcOptions } from '../rpc/rpc.ts'
import { solanaAnswerLimits } from './answerLimits.ts'

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
  // No block was made, or this node misses it: nobody is believed alone.
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
