import type { BlockRef } from '../block.ts'

/**
 * The used part of answers to getTransaction and getBlock; a node may leave out what it never kept.
 */
export type RpcInstruction = {
  programIdIndex: number
  accounts: readonly number[]
  /** Base58 if the node wrote text, which nodes do in any encoding. */
  data: string | Buffer
  stackHeight?: number | null
}

export type RpcTokenBalance = {
  accountIndex: number
  mint: string
  owner?: string
  uiTokenAmount: { amount: string }
}

export type RpcMeta = {
  err: unknown
  innerInstructions?: readonly { index: number; instructions: readonly RpcInstruction[] }[] | null
  logMessages?: readonly string[] | null
  preTokenBalances?: readonly RpcTokenBalance[] | null
  postTokenBalances?: readonly RpcTokenBalance[] | null
  preBalances?: readonly number[]
  postBalances?: readonly number[]
  loadedAddresses?: { writable: readonly string[]; readonly: readonly string[] } | null
}

export type RpcMessage = {
  accountKeys: readonly string[]
  header?: { numRequiredSignatures: number }
  instructions: readonly RpcInstruction[]
}

/** `[bytes, encoding]` in the encodings base64 and base58, an object in json. */
export type RpcWire = readonly [string, string]

export type RpcTransaction = {
  meta: RpcMeta | null
  transaction: { signatures: readonly string[]; message: RpcMessage } | RpcWire
  version?: number | 'legacy'
  slot?: number
  blockTime?: number | null
}

export type RpcBlock = {
  blockhash: string
  previousBlockhash: string
  parentSlot: number
  blockTime?: number | null
  transactions: readonly RpcTransaction[]
}

/** A block with its slot, which a node's answer does not name. */
export type SolanaBlock = { ref: BlockRef; transactions: readonly RpcTransaction[] }
