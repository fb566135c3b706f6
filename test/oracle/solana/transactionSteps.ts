import { decodeBase58 } from '../../../packages/server/src/lib/bytes/base58.ts'
import type { RawInstruction, RawTransaction } from './rawBlock.ts'

/** An instruction with those that it led to. */
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

/** A transaction's own instructions. */
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
    // The caller comes right before, one level up.
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

/** In the order in which they ran: what a step led to comes before the step itself. */
export function* finishedSteps(steps: readonly Step[]): Generator<Step> {
  for (const step of steps) {
    yield* finishedSteps(step.inner)
    yield step
  }
}

/** The transfer that a step of a token program is. */
export function transferOf({ program, accounts, data }: Step): Transfer | null {
  if (!tokenPrograms.has(program) || data.length < 9) return null
  const amount = data.readBigUInt64LE(1)
  if (data[0] === 3) return { from: accounts[0]!, to: accounts[1]!, amount }
  return data[0] === 12 ? { from: accounts[0]!, to: accounts[2]!, amount } : null
}

/** What a step of a token program made of a mint, in an account. */
export function mintedBy({ program, accounts, data }: Step) {
  if (!tokenPrograms.has(program) || data.length < 9 || data[0] !== 7) return null
  return { mint: accounts[0]!, account: accounts[1]!, amount: data.readBigUInt64LE(1) }
}

/** All that a step moved, by itself or by what it led to. */
export function transfersIn(step: Step): Transfer[] {
  return [...finishedSteps(step.inner)].flatMap((inner) => transferOf(inner) ?? [])
}

/** Bytes that programs logged in a transaction and that begin so. */
export function loggedWith({ meta }: RawTransaction, tag: string): Buffer[] {
  const prefix = 'Program data: '
  return (meta.logMessages ?? [])
    .filter((line) => line.startsWith(prefix))
    .map((line) => Buffer.from(line.slice(prefix.length), 'base64'))
    .filter((bytes) => bytes.toString('hex', 0, 8) === tag)
}
