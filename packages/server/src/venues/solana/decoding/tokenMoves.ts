import { Call } from './call.ts'

export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
export const systemProgram = '11111111111111111111111111111111'
/** Wrapped SOL. The native coin uses the same mint. */
export const wrappedSol = 'So11111111111111111111111111111111111111112'

/** A transfer between token accounts, before a fee was withheld. Accounts are key indexes. */
export type TokenMove = {
  call: number
  from: number
  to: number
  authority: number
  /** Key index; -1 if the instruction does not name the mint. */
  mint: number
  amount: bigint
  /** The withheld fee, if the instruction states it. */
  fee: bigint
}

// First bytes of the token programs' instructions.
const transfer = 3
const initializeAccounts: ReadonlySet<number> = new Set([1, 16, 18])
const mintTo = 7
const burn = 8
const transferChecked = 12
const mintToChecked = 14
const burnChecked = 15
const transferFeeExtension = 26
const transferCheckedWithFee = 1
const batch = 255

export function isTokenProgram(program: string): boolean {
  return program === tokenProgram || program === token2022Program
}

/**
 * The token instructions in a call: itself, or the parts of a batch. Before its data each part has
 * the number of its accounts, which it takes in order, and the length of its data.
 */
export function tokenCallsOf(call: Call): readonly Call[] {
  const { data, index, program, accounts, height } = call
  if (data[0] !== batch) return [call]
  const parts: Call[] = []
  let [at, account] = [1, 0]
  while (at + 2 <= data.length) {
    const [accountEnd, end] = [account + data[at]!, at + 2 + data[at + 1]!]
    const part = { accounts: accounts.slice(account, accountEnd), data: data.subarray(at + 2, end) }
    parts.push(new Call(index, program, { ...part, height }))
    ;[at, account] = [end, accountEnd]
  }
  return parts
}

/** Null if the instruction moves no tokens between accounts. */
export function tokenMoveOf(call: Call): TokenMove | null {
  const { data, index } = call
  const none = 0n
  if (data[0] === transfer && data.length >= 9) {
    const [from, to, authority] = [call.account(0), call.account(1), call.account(2)]
    return { call: index, from, to, authority, mint: -1, amount: amountAt(data, 1), fee: none }
  }
  const isChecked = data[0] === transferChecked && data.length >= 9
  const isWithFee =
    data[0] === transferFeeExtension && data[1] === transferCheckedWithFee && data.length >= 19
  if (!isChecked && !isWithFee) return null
  const [from, mint, to, authority] = [0, 1, 2, 3].map((nth) => call.account(nth)) as [
    ...[number, number, number, number],
  ]
  const amount = amountAt(data, isWithFee ? 2 : 1)
  return {
    call: index,
    from,
    to,
    authority,
    mint,
    amount,
    fee: isWithFee ? amountAt(data, 11) : none,
  }
}

/** Tokens minted or burnt: account and mint are key indexes, the amount of a burn is negative. */
export function mintedBy(call: Call): { account: number; mint: number; amount: bigint } | null {
  const { data } = call
  if (data.length < 9) return null
  const amount = amountAt(data, 1)
  if (data[0] === mintTo || data[0] === mintToChecked)
    return { account: call.account(1), mint: call.account(0), amount }
  if (data[0] === burn || data[0] === burnChecked)
    return { account: call.account(0), mint: call.account(1), amount: -amount }
  return null
}

/** Change of token balances by an instruction. `from` -1: minted; `to` -1: burnt. */
export type TokenChange = Pick<TokenMove, 'call' | 'from' | 'to' | 'amount' | 'fee'> & {
  program: string
  /** The instruction states the withheld fee. */
  isFeeTold: boolean
}

/** Null if it changes no balance. */
export function tokenChangeOf(call: Call): TokenChange | null {
  const { index, program } = call
  const move = tokenMoveOf(call)
  if (move !== null) {
    const { from, to, amount, fee } = move
    const isFeeTold = call.data[0] === transferFeeExtension
    return { call: index, program, from, to, amount, fee, isFeeTold }
  }
  const made = mintedBy(call)
  if (made === null) return null
  const { account, amount } = made
  const told = { call: index, program, fee: 0n, isFeeTold: true }
  if (amount < 0n) return { ...told, from: account, to: -1, amount: -amount }
  return { ...told, from: -1, to: account, amount }
}

/** Account that the instruction opens for a mint; null if it opens none. */
export function accountOpenedBy(call: Call): { account: number; mint: number } | null {
  if (!initializeAccounts.has(call.data[0]!)) return null
  return { account: call.account(0), mint: call.account(1) }
}

/** Lamports sent by the system program; null for other instructions. */
export function lamportsSentBy(call: Call): { from: number; to: number; amount: bigint } | null {
  const { data } = call
  if (call.program !== systemProgram || data.length < 12 || data.readUInt32LE(0) !== 2) return null
  return { from: call.account(0), to: call.account(1), amount: amountAt(data, 4) }
}

function amountAt(data: Buffer, at: number): bigint {
  return data.readBigUInt64LE(at)
}
