import type { SolanaAccount } from '../../../chain/solana/accounts.ts'
import { decodeBase58 } from '../../../lib/bytes/base58.ts'
import { programAddressOf } from '../../../lib/programAddress.ts'

/** An account that an instruction uses. */
export type AccountUse = { key: string; isSigner: boolean; isWritable: boolean }

export type Instruction = { program: string; accounts: readonly AccountUse[]; data: Buffer }

export const readOnly = (key: string): AccountUse => ({ key, isSigner: false, isWritable: false })
export const writable = (key: string): AccountUse => ({ key, isSigner: false, isWritable: true })
export const signer = (key: string): AccountUse => ({ key, isSigner: true, isWritable: true })

export const associatedProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
export const systemProgram = '11111111111111111111111111111111'

/** Does nothing if the account exists. */
const createIdempotent = Buffer.of(1)

type TokenOwner = { owner: string; mint: string; tokenProgram: string }

/** The default account of an owner for a token. */
export function associatedAccountOf({ owner, mint, tokenProgram }: TokenOwner): string {
  const seeds = [owner, tokenProgram, mint].map((key) => decodeBase58(key)!)
  return programAddressOf(associatedProgram, seeds)
}

/** Creates the account if it does not exist; `payer` pays. */
export function openAssociated(payer: string, of: TokenOwner): Instruction {
  return {
    program: associatedProgram,
    accounts: [
      signer(payer),
      writable(associatedAccountOf(of)),
      ...[of.owner, of.mint, systemProgram, of.tokenProgram].map(readOnly),
    ],
    data: createIdempotent,
  }
}

const signatureBytes = 64
const hashBytes = 32

/**
 * Serializes an unsigned transaction paid for by `payer`. Signatures and the recent block hash are
 * zeros: nodes replace them in a simulation.
 */
export function legacyTransaction(payer: string, instructions: readonly Instruction[]): Buffer {
  const uses = usesOf(payer, instructions)
  const signers = uses.filter(({ isSigner }) => isSigner)
  const others = uses.filter(({ isSigner }) => !isSigner)
  const ordered = [...signers, ...byWritable(others)].map(({ key }) => key)
  const readOnlyCount = others.filter(({ isWritable }) => !isWritable).length
  const indexOf = (key: string) => ordered.indexOf(key)
  return Buffer.concat([
    shortLength(signers.length),
    Buffer.alloc(signers.length * signatureBytes),
    Buffer.of(signers.length, 0, readOnlyCount),
    ...[shortLength(ordered.length), ...ordered.map((key) => decodeBase58(key)!)],
    Buffer.alloc(hashBytes),
    shortLength(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Buffer.of(indexOf(program)),
      ...[shortLength(accounts.length), Buffer.from(accounts.map(({ key }) => indexOf(key)))],
      ...[shortLength(data.length), data],
    ]),
  ])
}

/** Each key once, with the strongest access that any instruction needs. */
function usesOf(payer: string, instructions: readonly Instruction[]): AccountUse[] {
  const uses = new Map<string, AccountUse>([
    [payer, { key: payer, isSigner: true, isWritable: true }],
  ])
  for (const { program, accounts } of instructions)
    for (const use of [...accounts, { key: program, isSigner: false, isWritable: false }]) {
      const known = uses.get(use.key)
      const isSigner = use.isSigner || known?.isSigner === true
      const isWritable = isSigner || use.isWritable || known?.isWritable === true
      uses.set(use.key, { key: use.key, isSigner, isWritable })
    }
  return [...uses.values()]
}

function byWritable(uses: readonly AccountUse[]): AccountUse[] {
  const [first, last] = [true, false].map((isWritable) =>
    uses.filter((use) => use.isWritable === isWritable),
  )
  return [...first!, ...last!]
}

function shortLength(length: number): Buffer {
  const bytes: number[] = []
  for (let rest = length; ; rest >>= 7) {
    bytes.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) return Buffer.from(bytes)
  }
}

/**
 * A sale of `amount` from the account `source`, paid to the account `target`, or to the seller
 * itself if paid in lamports.
 */
export type Sale = { seller: string; source: string; target: string; amount: bigint }

/** A way to sell a token in one pool. */
export type SellRoute = {
  /** The token received; null for lamports. */
  quote: { mint: string; tokenProgram: string } | null
  sell(sale: Sale): Instruction
}

export type RouteQuery = {
  pool: string
  token: { mint: string; tokenProgram: string }
  /** The pool's account, then the venue's shared ones. */
  accounts: readonly (SolanaAccount | null)[]
  /** The token program of the pool's other token. */
  quoteProgram: string
}

export type SellVenue = {
  /** Accounts that all pools of the venue share. */
  shared: readonly string[]
  /** Null if these accounts show no way to sell the token there. */
  routeOf(query: RouteQuery): SellRoute | null
}

/** The tag of an instruction and the amount, with any price accepted. */
export function sellData(tag: bigint, amount: bigint): Buffer {
  const data = Buffer.alloc(24)
  data.writeBigUInt64BE(tag)
  data.writeBigUInt64LE(amount, 8)
  return data
}
