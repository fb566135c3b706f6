import type { RpcDialect } from '../../rpc/dialect.ts'
import { createRpc, type Rpc, type RpcOptions } from '../../rpc/rpc.ts'
import { parseQuantity } from '../fetch/rawBlock.ts'
import { evmAnswerLimits } from './answerLimits.ts'
import { blocksAsked, createCapabilities } from './capabilities.ts'
import { classifyRpcError } from './classifyRpcError.ts'

export type EvmRpcOptions = RpcOptions & {
  /** The chain that every endpoint must be of (EIP-155); one of another is never used. Not asked for when undefined. */
  chainId?: number | undefined
}

export type EvmRpc = Rpc & {
  /** The chain that every endpoint must be of; undefined: whatever it is. */
  chainId: number | undefined
}

export function createEvmRpc(options: EvmRpcOptions): EvmRpc {
  const { chainId, ...rest } = options
  return { ...createRpc(rest, evmDialect(chainId)), chainId }
}

function evmDialect(chainId: number | undefined): RpcDialect {
  return {
    classify(call, failure) {
      const { kind, range } = classifyRpcError(failure)
      // No range is smaller than one block: it is refused for another reason, and another node may not have that.
      const isOfOne = kind === 'rangeTooLarge' && blocksAsked(call) === 1
      return { kind: isOfOne ? 'logsRefused' : kind, range }
    },
    createCapabilities,
    answerLimits: evmAnswerLimits,
    network: chainId === undefined ? null : { method: 'eth_chainId', faultOf: faultOf(chainId) },
  }
}

const faultOf = (chainId: number) => (answer: unknown) => {
  const found = parseQuantity(answer)
  if (found === chainId) return null
  return `It is of chain ${Number.isNaN(found) ? String(answer) : found}, not ${chainId}`
}
