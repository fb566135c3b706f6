import { decodeBase58 } from '../../../packages/server/src/lib/bytes/base58.ts'
import type { RawInstruction, RawTransaction } from './rawBlock.ts'

/** An instruction with its inner instructions. */
export type Step = {
  program: string
  accounts: readonly string[]
  data: Buffer
  inner: Step[]
}

/** Tokens that an instruction moved from one account to another. */
export type Transfer = { from: string; to: string; amount: bigint }

const tokenPrograms: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
])

export function keysOf({ transaction, meta }: RawTransaction): readonly string[] {
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {}
  return [...transaction.message.accountKeys, ...writable, ...readonly]
}

/** A transaction's top-level instructions. */
export function stepsOf(raw: RawTransaction): Step[] {
  const keys = keysOf(raw)
  const read = ({ programIdIndex, accounts, data }: RawInstruction): Step => ({
    program: keys[programIdIndex] ?? '',
    accounts: accounts.map((account) => keys[account] ?? ''),
    data: decodeBase58(data) ?? Buffer.alloc(0),
    inner: [],
  })
  return raw.transaction.message.instructions.map((instruction, index) => {
    const outer = read(instruction)
    // The caller is the nearest earlier instruction one level up.
    const line = [outer]
    const group = raw.meta.innerInstructions?.find((one) => one.index === index)
    for (const called of group?.instructions ?? []) {
      const step = read(called)
      line.length = (called.stackHeight ?? 2) - 1
      line.at(-1)!.inner.push(step)
      line.push(step)
    }
    return outer
  })
}

/** Steps in the order in which they finished: inner instructions come before their caller. */
export function* finishedSteps(steps: readonly Step[]): Generator<Step> {
  for (const step of steps) {
    yield* finishedSteps(step.inner)
    yield step
  }
}

/** The transfer of a token program's instruction. */
export function transferOf({ program, accounts, data }: Step): Transfer | null {
  if (!tokenPrograms.has(program) || data.length < 9) return null
  const amount = data.readBigUInt64LE(1)
  if (data[0] === 3) return { from: accounts[0]!, to: accounts[1]!, amount }
  return data[0] === 12 ? { from: accounts[0]!, to: accounts[2]!, amount } : null
}

/** The mint of a token program's instruction: amount and account. */
export function mintedBy({ program, accounts, data }: Step) {
  if (!tokenPrograms.has(program) || data.length < 9 || data[0] !== 7) return null
  return { mint: accounts[0]!, account: accounts[1]!, amount: data.readBigUInt64LE(1) }
}

/** All transfers of a step and its inner instructions. */
export function transfersIn(step: Step): Transfer[] {
  return [...finishedSteps(step.inner)].flatMap((inner) => transferOf(inner) ?? [])
}

/** Data logged by programs in a transaction that starts with this discriminator. */
export function loggedWith({ meta }: RawTransaction, tag: string): Buffer[] {
  const prefix = 'Program data: '
  return (meta.logMessages ?? [])
    .filter((line) => line.startsWith(prefix))
    .map((line) => Buffer.from(line.slice(prefix.length), 'base64'))
    .filter((bytes) => bytes.toString('hex', 0, 8) === tag)
}
