import { decodeBase58 } from '../../../lib/bytes/base58.ts'
import type { AccountUse, Instruction } from './instruction.ts'

const signatureBytes = 64
const hashBytes = 32

/**
 * The bytes of a transaction that nobody signed, paid for by `payer`: signatures and the recent block hash are zeros, which
 * nodes that only simulate it replace.
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

/** Each key once, with all that one of the instructions needs of it. Whoever signs here also pays or is paid. */
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
