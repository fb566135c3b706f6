// Instructions of the system, token and associated-account programs, byte by byte.
import { hex, keyBytesOf, u64 } from '../../../packages/devnet/src/solana/transactionBuilder.ts'
import { programAddressOf } from '../../../packages/server/src/lib/programAddress.ts'

export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const ataProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
const systemProgram = '11111111111111111111111111111111'

export type LiteInstruction = {
  program: string
  accounts: readonly string[]
  data: Buffer
  /** The accounts that sign. */
  signers: readonly string[]
  /** The accounts that are called as programs. */
  programs: readonly string[]
}

export const decimals = 6

const u16 = (value: number) => Buffer.from([value & 255, value >> 8])

export function createAccount(
  payer: string,
  account: string,
  { lamports, bytes, owner }: { lamports: bigint; bytes: number; owner: string },
): LiteInstruction {
  const data = Buffer.concat([hex('00000000'), u64(lamports, BigInt(bytes)), keyBytesOf(owner)])
  return {
    program: systemProgram,
    accounts: [payer, account],
    data,
    signers: [payer, account],
    programs: [],
  }
}

export function initializeMint(program: string, mint: string, authority: string): LiteInstruction {
  const data = Buffer.concat([hex('14'), Buffer.from([decimals]), keyBytesOf(authority), hex('00')])
  return { program, accounts: [mint], data, signers: [], programs: [] }
}

/** Initializes a mint with a freeze authority. */
export function initializeFreezable(
  program: string,
  mint: string,
  authority: string,
): LiteInstruction {
  const keys = [keyBytesOf(authority), hex('01'), keyBytesOf(authority)]
  const data = Buffer.concat([hex('14'), Buffer.from([decimals]), ...keys])
  return { program, accounts: [mint], data, signers: [], programs: [] }
}

export function freezeAccount(
  program: string,
  account: string,
  mint: string,
  authority: string,
): LiteInstruction {
  const accounts = [account, mint, authority]
  return { program, accounts, data: hex('0a'), signers: [authority], programs: [] }
}

/** A Token-2022 instruction for a mint before its initialization, or signed by `authority`. */
export function token2022(data: Buffer, mint: string, authority?: string): LiteInstruction {
  const signers = authority === undefined ? [] : [authority]
  const accounts = [mint, ...signers]
  return { program: token2022Program, accounts, data, signers, programs: [] }
}

/** Initializes a transfer fee that nobody can change. `highest`: maximum fee of a transfer. */
export function initializeFee(mint: string, bps: number, highest: bigint): LiteInstruction {
  const data = Buffer.concat([hex('1a00'), hex('00'), hex('00'), u16(bps), u64(highest)])
  return { program: token2022Program, accounts: [mint], data, signers: [], programs: [] }
}

export function associatedAccount(owner: string, mint: string, program: string): string {
  return programAddressOf(ataProgram, [owner, program, mint].map(keyBytesOf))
}

export function openAccount(
  payer: string,
  owner: string,
  mint: string,
  program: string,
): LiteInstruction {
  const account = associatedAccount(owner, mint, program)
  const accounts = [payer, account, owner, mint, systemProgram, program]
  return {
    program: ataProgram,
    accounts,
    data: hex('00'),
    signers: [payer],
    programs: [systemProgram, program],
  }
}

export function closeAccount(program: string, account: string, owner: string): LiteInstruction {
  return {
    program,
    accounts: [account, owner, owner],
    data: hex('09'),
    signers: [owner],
    programs: [],
  }
}

type Sent = {
  program: string
  mint: string
  from: string
  to: string
  owner: string
  amount: bigint
}

export function transfer({ program, from, to, owner, amount }: Sent): LiteInstruction {
  const data = Buffer.concat([hex('03'), u64(amount)])
  return { program, accounts: [from, to, owner], data, signers: [owner], programs: [] }
}

export function transferChecked({ program, mint, from, to, owner, amount }: Sent): LiteInstruction {
  const data = Buffer.concat([hex('0c'), u64(amount), Buffer.from([decimals])])
  return { program, accounts: [from, mint, to, owner], data, signers: [owner], programs: [] }
}

export function transferCheckedWithFee(
  { mint, from, to, owner, amount }: Sent,
  fee: bigint,
): LiteInstruction {
  const data = Buffer.concat([hex('1a01'), u64(amount), Buffer.from([decimals]), u64(fee)])
  const accounts = [from, mint, to, owner]
  return { program: token2022Program, accounts, data, signers: [owner], programs: [] }
}

type Made = { program: string; mint: string; account: string; authority: string; amount: bigint }

export function mintTo({ program, mint, account, authority, amount }: Made): LiteInstruction {
  const data = Buffer.concat([hex('07'), u64(amount)])
  return { program, accounts: [mint, account, authority], data, signers: [authority], programs: [] }
}

export function burn({ program, mint, account, authority, amount }: Made): LiteInstruction {
  const data = Buffer.concat([hex('08'), u64(amount)])
  return { program, accounts: [account, mint, authority], data, signers: [authority], programs: [] }
}

/** Changes the owner of an account. */
export function setOwner(
  program: string,
  account: string,
  owner: string,
  heir: string,
): LiteInstruction {
  const data = Buffer.concat([hex('0602'), hex('01'), keyBytesOf(heir)])
  return { program, accounts: [account, owner], data, signers: [owner], programs: [] }
}

/** Moves fees withheld in accounts to the mint. */
export function harvest(mint: string, accounts: readonly string[]): LiteInstruction {
  return {
    program: token2022Program,
    accounts: [mint, ...accounts],
    data: hex('1a04'),
    signers: [],
    programs: [],
  }
}
