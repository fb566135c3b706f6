import { decodeBase58 } from '../../../lib/bytes/base58.ts'
import { programAddressOf } from '../../../lib/programAddress.ts'
import { type Instruction, readOnly, signer, writable } from './instruction.ts'

export const associatedProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
export const systemProgram = '11111111111111111111111111111111'

/** What is done only where it was not done before. */
const createIdempotent = Buffer.of(1)

export type TokenOwner = { owner: string; mint: string; tokenProgram: string }

/** Where an owner has a token, unless told otherwise. */
export function associatedAccountOf({ owner, mint, tokenProgram }: TokenOwner): string {
  const seeds = [owner, tokenProgram, mint].map((key) => decodeBase58(key)!)
  return programAddressOf(associatedProgram, seeds)
}

/** Opens it where it is not there, for whoever pays. */
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
