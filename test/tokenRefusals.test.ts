// Errors of the real token programs when they refuse a transfer, and how a simulated sale
// interprets them.
import { expect, test } from 'vitest'
import { hex, keyBytesOf, keyOf } from '../packages/devnet/src/solana/transactionBuilder.ts'
import { saleOutcome } from '../packages/server/src/risk/solana/sell/simulateSells.ts'
import { createLiteChain } from './support/solana/liteChain.ts'
import {
  associatedAccount,
  createAccount,
  freezeAccount,
  initializeFreezable,
  type LiteInstruction,
  mintTo,
  openAccount,
  token2022,
  token2022Program,
  tokenProgram,
  transferChecked,
} from './support/solana/tokenInstructions.ts'

const [issuer, ann, bob, mint] = ['issuer', 'Ann', 'Bob', 'mint'].map(keyOf) as [
  ...[string, string, string, string],
]

type Rules = {
  program?: string
  /** Bytes of the mint's extensions. */
  bytes?: number
  before?: readonly LiteInstruction[]
  after?: readonly LiteInstruction[]
  amount?: bigint
}

/** Ann tries to send Bob her tokens. Returns the interpretation of the result. */
function outcomeOf(rules: Rules): string {
  const { program = token2022Program, bytes = 0, before = [], after = [], amount = 100n } = rules
  const chain = createLiteChain()
  for (const address of [issuer, ann, bob]) chain.airdrop(address)
  const size = bytes === 0 ? 82 : 166 + bytes
  const made = { lamports: chain.rent(size), bytes: size, owner: program }
  const [from, to] = [ann, bob].map((owner) => associatedAccount(owner, mint, program))
  chain.run([
    createAccount(issuer, mint, made),
    ...before,
    initializeFreezable(program, mint, issuer),
    ...[ann, bob].map((owner) => openAccount(issuer, owner, mint, program)),
    mintTo({ program, mint, account: from!, authority: issuer, amount: 100n }),
  ])
  if (after.length > 0) chain.run(after)
  const sent = { program, mint, from: from!, to: to!, owner: ann, amount }
  const answer = chain.simulate([transferChecked(sent)])
  return saleOutcome(answer, program)
}

const frozenOf = (owner: string, program: string) =>
  freezeAccount(program, associatedAccount(owner, mint, program), mint, issuer)

test('default: tokens without restrictions are sent', () => {
  expect(outcomeOf({})).toBe('sold')
  expect(outcomeOf({ program: tokenProgram })).toBe('sold')
})

test('behavior: frozen accounts, non-transferable tokens and paused ones are refused', () => {
  for (const program of [tokenProgram, token2022Program])
    expect(outcomeOf({ program, after: [frozenOf(ann, program)] })).toBe('refused')
  expect(outcomeOf({ bytes: 4, before: [token2022(hex('20'), mint)] })).toBe('refused')
  const pausable = token2022(Buffer.concat([hex('2c00'), keyBytesOf(issuer)]), mint)
  const pause = token2022(hex('2c01'), mint, issuer)
  expect(outcomeOf({ bytes: 4 + 33, before: [pausable] })).toBe('sold')
  expect(outcomeOf({ bytes: 4 + 33, before: [pausable], after: [pause] })).toBe('refused')
})

test('behavior: an insufficient balance says nothing about the token', () => {
  expect(outcomeOf({ amount: 101n })).toBe('unclear')
})

test('behavior: a failing transfer hook counts against the token; a failing pool does not, even with a similar message', () => {
  const [pool, hook] = [keyOf('pool'), keyOf('hook')]
  const logs = (...lines: string[]) => ({
    value: { err: { InstructionError: [1, 'x'] }, logs: lines },
  })
  const [begun, called] = [`Program ${pool} invoke [1]`, `Program ${token2022Program} invoke [2]`]
  const failed = (program: string, code = '0x1771') =>
    `Program ${program} failed: custom program error: ${code}`
  const hooked = [begun, called, `Program ${hook} invoke [3]`, failed(hook), failed(pool)]
  expect(saleOutcome(logs(...hooked), token2022Program)).toBe('refused')
  const passed = `Program ${token2022Program} success`
  expect(saleOutcome(logs(begun, called, passed, failed(pool)), token2022Program)).toBe('unclear')
  const said = [begun, `Program log: ${failed(token2022Program, '0x11')}`, failed(pool)]
  expect(saleOutcome(logs(...said), token2022Program)).toBe('unclear')
  // Logs with an error of the other token's program, and logs truncated before the failure.
  const other = [begun, `Program ${tokenProgram} invoke [2]`, failed(tokenProgram, '0x11')]
  expect(saleOutcome(logs(...other), token2022Program)).toBe('unclear')
  expect(saleOutcome(logs(begun, 'Log truncated'), token2022Program)).toBe('unclear')
  for (const answer of [null, {}, { value: null }, { value: { logs: [] } }])
    expect(saleOutcome(answer, token2022Program)).toBe('untried')
})
