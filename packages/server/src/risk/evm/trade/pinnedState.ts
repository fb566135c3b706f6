import type { EvmRpc } from '../../../chain/evm/rpc/evmRpc.ts'
import type { RpcCall, RpcResult } from '../../../chain/rpc/rpcCall.ts'

type StateOverride = {
  balance?: string
  code?: string
  stateDiff?: Record<string, string>
}
export type StateOverrides = Record<string, StateOverride>

export type PinnedCall = {
  to: string
  data: string
  from?: string | undefined
  gas?: number | undefined
  overrides?: StateOverrides | undefined
}

/**
 * `reverted`: the contract refused, with its reason. `refused`: the node does not support the call.
 */
export type CallAnswer =
  | { type: 'answered'; data: string }
  | { type: 'reverted'; reason: string }
  | { type: 'refused'; reason: string }

/** The chain's state after one block. Throws an RpcError if no node answers. */
export type PinnedState = {
  call(calls: readonly PinnedCall[]): Promise<CallAnswer[]>
  code(addresses: readonly string[]): Promise<string[]>
  storage(address: string, slots: readonly string[]): Promise<string[]>
}

type PinnedStateOptions = {
  rpc: EvmRpc
  block: { number: number; hash: string }
  /** Gas of a call without its own limit. */
  readGasMax: number
  signal: AbortSignal
}

export function createPinnedState(options: PinnedStateOptions): PinnedState {
  const { rpc, block, readGasMax, signal } = options
  const byHash = { blockHash: block.hash }
  const byNumber = `0x${block.number.toString(16)}`

  /** Asks by block hash, and by number if a node does not support that form. */
  async function ask(toCalls: (at: unknown) => RpcCall[]): Promise<RpcResult[]> {
    const calls = toCalls(byHash)
    const results = await rpc.requestBatch(calls, { signal })
    const refused = [...results.keys()].filter((at) => isFormRefused(results[at]!))
    if (refused.length === 0) return results
    const numbered = toCalls(byNumber)
    const again = await rpc.requestBatch(
      refused.map((at) => numbered[at]!),
      { signal },
    )
    for (const [position, at] of refused.entries()) results[at] = again[position]!
    return results
  }

  async function texts(toCalls: (at: unknown) => RpcCall[]): Promise<string[]> {
    const results = await ask(toCalls)
    return results.map((result) => {
      if (!result.ok) throw result.error
      return typeof result.value === 'string' ? result.value : '0x'
    })
  }

  return {
    async call(calls) {
      if (calls.length === 0) return []
      const results = await ask((at) => calls.map((call) => ethCall(call, at, readGasMax)))
      return results.map(answerOf)
    },
    code: (addresses) =>
      texts((at) => addresses.map((address) => ({ method: 'eth_getCode', params: [address, at] }))),
    storage: (address, slots) =>
      texts((at) =>
        slots.map((slot) => ({ method: 'eth_getStorageAt', params: [address, slot, at] })),
      ),
  }
}

function ethCall({ to, data, from, gas, overrides }: PinnedCall, at: unknown, gasMax: number) {
  const transaction = { ...(from && { from }), to, data, gas: `0x${(gas ?? gasMax).toString(16)}` }
  const params = overrides === undefined ? [transaction, at] : [transaction, at, overrides]
  return { method: 'eth_call', params }
}

function answerOf(result: RpcResult): CallAnswer {
  if (result.ok)
    return { type: 'answered', data: typeof result.value === 'string' ? result.value : '0x' }
  const { kind, isOfContract, detail: reason } = result.error
  if (isOfContract) return { type: 'reverted', reason }
  if (kind === 'refused' || kind === 'failed' || kind === 'unknownMethod')
    return { type: 'refused', reason }
  throw result.error
}

function isFormRefused(result: RpcResult): boolean {
  return !result.ok && (result.error.kind === 'refused' || result.error.kind === 'failed')
}
