/** The part of getBlock's answer in the encoding json that the generator writes. */
export type WrittenInstruction = {
  programIdIndex: number
  accounts: readonly number[]
  data: string
  stackHeight?: number | null
}

export type WrittenTokenBalance = {
  accountIndex: number
  mint: string
  owner: string
  uiTokenAmount: { amount: string }
}

export type WrittenMessage = {
  accountKeys: readonly string[]
  header: {
    numRequiredSignatures: number
    numReadonlySignedAccounts?: number
    numReadonlyUnsignedAccounts?: number
  }
  instructions: readonly WrittenInstruction[]
  recentBlockhash?: string
  addressTableLookups?: readonly {
    accountKey: string
    writableIndexes: readonly number[]
    readonlyIndexes: readonly number[]
  }[]
  transactionConfig?: Readonly<Record<string, number | string | null>>
}

export type WrittenMeta = {
  err: unknown
  fee: number
  status: object
  innerInstructions: readonly { index: number; instructions: readonly WrittenInstruction[] }[]
  logMessages: readonly string[]
  preTokenBalances: readonly WrittenTokenBalance[]
  postTokenBalances: readonly WrittenTokenBalance[]
  preBalances: readonly number[]
  postBalances: readonly number[]
  loadedAddresses: { writable: readonly string[]; readonly: readonly string[] }
}

export type WrittenTransaction = {
  version: 'legacy' | 0 | 1
  transaction: { signatures: readonly string[]; message: WrittenMessage }
  meta: WrittenMeta
}

/** `[bytes, encoding]`. */
export type Wire = readonly [string, 'base64']
