import { encodeBase58 } from '../../../packages/server/src/lib/bytes/base58.ts'

export type TokenAccount = {
  mint: string
  owner: string
  amount: bigint
  /** Transfer fees withheld in the account for the fee authority. */
  withheld: bigint
}

const programs: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
])
const accountBytes = 165
const isAccount = 2
const feeAmountExtension = 2

/** Parses an account of the token programs. Null if it is not a holder's token account. */
export function readTokenAccount(program: string, data: Buffer): TokenAccount | null {
  if (!programs.has(program) || data.length < accountBytes) return null
  if (data.length > accountBytes && data[accountBytes] !== isAccount) return null
  const key = (at: number) => encodeBase58(data.subarray(at, at + 32))
  return {
    mint: key(0),
    owner: key(32),
    amount: data.readBigUInt64LE(64),
    withheld: withheldIn(data),
  }
}

function withheldIn(data: Buffer): bigint {
  for (let at = accountBytes + 1; at + 4 <= data.length; at += 4 + data.readUInt16LE(at + 2))
    if (data.readUInt16LE(at) === feeAmountExtension) return data.readBigUInt64LE(at + 4)
  return 0n
}
