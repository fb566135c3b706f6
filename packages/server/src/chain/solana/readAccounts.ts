import type { Rpc } from '../rpc/rpc.ts'
import type { RpcRequestOptions } from '../rpc/rpcCall.ts'
import type { Commitment } from './solanaRpc.ts'

/** An account's current state. */
export type SolanaAccount = { owner: string; lamports: number; data: Buffer }

type AccountsOptions = {
  /** The node must have processed this slot. @default any state */
  minSlot?: number | undefined
  /** Commitment of the state that is read. @default confirmed */
  commitment?: Commitment | undefined
}

// Largest number of accounts that nodes accept in one call.
const accountsPerCall = 100

/**
 * Reads accounts as of the node's newest block, in the order of the addresses. Null for an address
 * without an account. Nodes keep no older state. Throws if no node answers.
 */
export async function readAccounts(
  rpc: Pick<Rpc, 'requestBatch'>,
  addresses: readonly string[],
  options: RpcRequestOptions & AccountsOptions = {},
): Promise<(SolanaAccount | null)[]> {
  const { minSlot, commitment = 'confirmed', ...request } = options
  const config = {
    encoding: 'base64',
    commitment,
    ...(minSlot !== undefined && { minContextSlot: minSlot }),
  }
  const groups: (readonly string[])[] = []
  for (let at = 0; at < addresses.length; at += accountsPerCall)
    groups.push(addresses.slice(at, at + accountsPerCall))
  const calls = groups.map((group) => ({ method: 'getMultipleAccounts', params: [group, config] }))
  const results = await rpc.requestBatch(calls, request)
  return results.flatMap((result, at) => {
    if (!result.ok) throw result.error
    const { value } = (result.value ?? {}) as { value?: unknown }
    const accounts = Array.isArray(value) ? value : []
    return groups[at]!.map((_, place) => accountOf(accounts[place]))
  })
}

function accountOf(account: unknown): SolanaAccount | null {
  const { owner, lamports, data } = (account ?? {}) as Record<string, unknown>
  if (typeof owner !== 'string' || typeof lamports !== 'number' || !Array.isArray(data)) return null
  return { owner, lamports, data: Buffer.from(String(data[0]), 'base64') }
}
