import type { RpcCall, RpcResult } from '../../rpc/rpcCall.ts'

/** Proof that a contract exists: its code, or an answer of a token that the node itself runs. */
export type Sign = 'code' | 'answer'

const totalSupply = '0x18160ddd'

export function signCall(sign: Sign, address: string, at: unknown): RpcCall {
  return sign === 'code'
    ? { method: 'eth_getCode', params: [address, at] }
    : { method: 'eth_call', params: [{ to: address, data: totalSupply }, at] }
}

/** Null: the call failed, and not by the contract's will. */
export function hasSign(result: RpcResult): boolean | null {
  if (result.ok) return typeof result.value === 'string' && result.value !== '0x'
  return result.error.isOfContract ? false : null
}
