/** A block as nodes return it with encoding json; only the parts that the oracle reads. */
export type RawInstruction = {
  programIdIndex: number
  accounts: readonly number[]
  data: string
  stackHeight?: number | null
}

export type RawBalance = {
  accountIndex: number
  mint: string
  owner?: string
  uiTokenAmount: { amount: string }
}

export type RawTransaction = {
  transaction: {
    signatures: readonly string[]
    message: { accountKeys: readonly string[]; instructions: readonly RawInstruction[] }
  }
  meta: {
    err: unknown
    innerInstructions?: readonly { index: number; instructions: readonly RawInstruction[] }[] | null
    logMessages?: readonly string[] | null
    postBalances?: readonly number[]
    preTokenBalances?: readonly RawBalance[] | null
    postTokenBalances?: readonly RawBalance[] | null
    loadedAddresses?: { writable: readonly string[]; readonly: readonly string[] } | null
  }
}

export type RawBlock = {
  slot: number
  blockhash: string
  previousBlockhash: string
  blockTime: number
  transactions: readonly RawTransaction[]
}
