// The real token programs move tokens; balances derived from the transaction must equal the
// accounts' bytes.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WrittenTransaction } from '../packages/devnet/src/solana/rpcShapes.ts'
import { toWire } from '../packages/devnet/src/solana/toWire.ts'
import { keyOf } from '../packages/devnet/src/solana/transactionBuilder.ts'
import { pushBalanceEvents } from '../packages/server/src/decode/solana/readBalances.ts'
import { readRpcTransaction } from '../packages/server/src/decode/solana/readRpcTransaction.ts'
import type { DecodedEvent } from '../packages/server/src/model/decodedBlock.ts'
import { TransactionScope } from '../packages/server/src/venues/solana/decoding/transactionScope.ts'
import { createLiteChain, type LiteChain } from './support/solana/liteChain.ts'
import {
  associatedAccount,
  burn,
  closeAccount,
  createAccount,
  harvest,
  initializeFee,
  initializeMint,
  type LiteInstruction,
  mintTo,
  openAccount,
  setOwner,
  token2022Program,
  tokenProgram,
  transfer,
  transferChecked,
  transferCheckedWithFee,
} from './support/solana/tokenInstructions.ts'

const [issuer, ann, bob, vaultOwner] = ['issuer', 'Ann', 'Bob', 'vault owner'].map(keyOf) as [
  ...[string, string, string, string],
]
const holders = [ann, bob, vaultOwner]
const supplied = 10n ** 9n
const noHighest = 2n ** 64n - 1n

type Market = { chain: LiteChain; mint: string; program: string; accountOf(owner: string): string }
/** Null for the first token program, which has no fees. */
type Fee = { bps: number; highest: bigint } | null

const mintBytes = 82
const taxedMintBytes = 165 + 1 + 4 + 108

/** Creates a mint and gives some of it to every owner. */
function openMarket(fee: Fee, owners: readonly string[] = holders): Market {
  const chain = createLiteChain()
  for (const address of [issuer, ...holders]) chain.airdrop(address)
  const program = fee === null ? tokenProgram : token2022Program
  const mint = keyOf('mint')
  const bytes = fee === null ? mintBytes : taxedMintBytes
  const accountOf = (owner: string) => associatedAccount(owner, mint, program)
  chain.run([
    createAccount(issuer, mint, { lamports: chain.rent(bytes), bytes, owner: program }),
    ...(fee === null ? [] : [initializeFee(mint, fee.bps, fee.highest)]),
    initializeMint(program, mint, issuer),
  ])
  for (const owner of owners) {
    const account = accountOf(owner)
    const made = { program, mint, account, authority: issuer, amount: supplied }
    chain.run([openAccount(issuer, owner, mint, program), mintTo(made)])
  }
  return { chain, mint, program, accountOf }
}

function feeOf(amount: bigint, fee: Fee): bigint {
  if (fee === null) return 0n
  const share = (amount * BigInt(fee.bps) + 9_999n) / 10_000n
  return share < fee.highest ? share : fee.highest
}

/** A decode filter that accepts everything. */
const everything = {
  keys: { has: () => true },
  bytes: { hasOneOf: () => true, hasStart: () => true },
} as unknown as Parameters<typeof readRpcTransaction>[1]

const scopeOf = (written: WrittenTransaction, transaction: object = written.transaction) =>
  new TransactionScope(readRpcTransaction({ ...written, transaction } as never, everything)!, [])

/** For every token account that exists at the end, its derived balance after each instruction. */
function derivedBalances(written: WrittenTransaction, transaction?: object) {
  const scope = scopeOf(written, transaction)
  const own = scope.calls.filter(({ height }) => height === 1)
  return own.map((call) =>
    Object.fromEntries(
      [...scope.transaction.tokenAccounts.keys()].map((account) => [
        scope.key(account),
        scope.balanceAfter(account, call),
      ]),
    ),
  )
}

/**
 * The true balances from the accounts' bytes: each prefix of the transaction is simulated
 * separately.
 */
function actualBalances(
  chain: LiteChain,
  instructions: readonly LiteInstruction[],
  accounts: readonly string[],
) {
  return instructions.map((_, i) => {
    const state = chain.accountsAfter(instructions.slice(0, i + 1))
    const amountOf = (account: string) =>
      (state.get(account) ?? chain.tokenAccount(account))?.amount
    return Object.fromEntries(accounts.map((account) => [account, amountOf(account)]))
  })
}

type Step = { kind: string; from: number; to: number; amount: bigint }

function instructionOf({ kind, from, to, amount }: Step, market: Market, fee: Fee) {
  const { program, mint, accountOf } = market
  const owner = holders[from]!
  const sent = {
    program,
    mint,
    owner,
    amount,
    from: accountOf(owner),
    to: accountOf(holders[to]!),
  }
  const made = { program, mint, amount, account: accountOf(owner) }
  if (kind === 'mint') return mintTo({ ...made, authority: issuer })
  if (kind === 'burn') return burn({ ...made, authority: owner })
  if (kind === 'withFee' && fee !== null) return transferCheckedWithFee(sent, feeOf(amount, fee))
  // A taxed mint refuses transfers that do not name the mint.
  return kind === 'plain' && fee === null ? transfer(sent) : transferChecked(sent)
}

const stepArb = fc.record({
  kind: fc.constantFrom('checked', 'checked', 'checked', 'plain', 'withFee', 'mint', 'burn'),
  from: fc.nat(2),
  to: fc.nat(2),
  amount: fc.bigInt(0n, 10n ** 7n),
})

test('behavior: derived balances after each instruction equal the programs’ accounts', () => {
  const bps = fc.constantFrom(0, 1, 50, 333, 1_000, 10_000)
  const feeArb = fc.option(fc.record({ bps, highest: fc.constant(noHighest) }))
  fc.assert(
    fc.property(feeArb, fc.array(stepArb, { minLength: 1, maxLength: 8 }), (fee, steps) => {
      const market = openMarket(fee)
      const accounts = holders.map(market.accountOf)
      const instructions = steps.map((step) => instructionOf(step, market, fee))
      const isNamed = (account: string) =>
        instructions.some((instruction) => instruction.accounts.includes(account))
      const named = accounts.filter(isNamed)
      const truth = actualBalances(market.chain, instructions, named)
      const written = market.chain.run(instructions)
      expect(derivedBalances(written)).toEqual(truth)
      expect(derivedBalances(written, toWire(written))).toEqual(truth)
    }),
    { numRuns: 15 },
  )
})

test('behavior: a mint with a maximum fee withholds it from large transfers', () => {
  const fee = { bps: 1_000, highest: 77n }
  const market = openMarket(fee)
  const step = (from: number, amount: bigint) =>
    instructionOf({ kind: 'checked', from, to: 2, amount }, market, fee)
  const instructions = [step(0, 5_000n), step(1, 90_001n), step(0, 1_000n)]
  const accounts = holders.map(market.accountOf)
  const truth = actualBalances(market.chain, instructions, accounts)
  expect(derivedBalances(market.chain.run(instructions))).toEqual(truth)
  expect(market.chain.tokenAccount(accounts[2]!)!.withheld).toBe(3n * 77n)
})

test('behavior: withheld fees are not returned when they are harvested in the same transaction', () => {
  const fee = { bps: 500, highest: noHighest }
  const market = openMarket(fee)
  const accounts = holders.map(market.accountOf)
  const step = (from: number, to: number) =>
    instructionOf({ kind: 'checked', from, to, amount: 10_001n }, market, fee)
  const instructions = [step(0, 2), harvest(market.mint, [accounts[2]!]), step(2, 1), step(1, 2)]
  const truth = actualBalances(market.chain, instructions, accounts)
  expect(derivedBalances(market.chain.run(instructions))).toEqual(truth)
})

/** Derived balance changes of a transaction, by owner. */
function derivedHoldings(written: WrittenTransaction) {
  const events: DecodedEvent[] = []
  pushBalanceEvents(written, { sharedOwners: new Set() }, events)
  return new Map(
    events.flatMap((event) => {
      if (event.type !== 'balance') return []
      const { owner, before, amount, accounts } = event
      return [[owner, { before, amount, ...accounts }] as const]
    }),
  )
}

const unchanged = { isOpened: false, isClosed: false }

test.each([
  ['the first token program', null],
  ['Token-2022 with a fee', { bps: 250, highest: noHighest }],
])('behavior: accounts of %s that are opened, emptied, closed and transferred', (_, fee) => {
  const market = openMarket(fee, [ann])
  const { chain, mint, program, accountOf } = market
  const [annAccount, bobAccount] = [accountOf(ann), accountOf(bob)]
  const all = { program, mint, from: annAccount, to: bobAccount, owner: ann, amount: supplied }
  const net = supplied - feeOf(supplied, fee)

  const opened = chain.run([openAccount(issuer, bob, mint, program), transferChecked(all)])
  expect(derivedHoldings(opened)).toEqual(
    new Map([
      [ann, { before: supplied, amount: 0n, ...unchanged }],
      [bob, { before: 0n, amount: net, isOpened: true, isClosed: false }],
    ]),
  )
  expect(chain.tokenAccount(bobAccount)).toMatchObject({ amount: net, owner: bob })
  // The associated-account program opens the account by an inner instruction.
  expect(opened.meta.innerInstructions[0]!.instructions.length).toBeGreaterThan(0)
  expect(scopeOf(opened).mintOf(opened.transaction.message.accountKeys.indexOf(bobAccount))).toBe(
    mint,
  )

  // An empty account can be closed.
  const closed = chain.run([closeAccount(program, annAccount, ann)])
  expect(derivedHoldings(closed)).toEqual(
    new Map([[ann, { before: 0n, amount: 0n, isOpened: false, isClosed: true }]]),
  )
  expect(chain.tokenAccount(annAccount)).toBeNull()

  const burnt = { program, mint, account: bobAccount, authority: bob, amount: net - 5n }
  const cleared = chain.run([burn(burnt)])
  expect(derivedHoldings(cleared)).toEqual(
    new Map([[bob, { before: net, amount: 5n, ...unchanged }]]),
  )
  // Token-2022 does not permit changing the owner of an associated account.
  if (fee !== null) return
  const given = chain.run([setOwner(program, bobAccount, bob, ann)])
  expect(derivedHoldings(given)).toEqual(
    new Map([
      [ann, { before: 0n, amount: 5n, ...unchanged }],
      [bob, { before: 5n, amount: 0n, ...unchanged }],
    ]),
  )
  expect(chain.tokenAccount(bobAccount)).toMatchObject({ amount: 5n, owner: ann })
})

test('behavior: an account opened and closed in one transaction is not reported', () => {
  const { chain, mint, program, accountOf } = openMarket(null, [ann])
  const written = chain.run([
    openAccount(issuer, bob, mint, program),
    closeAccount(program, accountOf(bob), bob),
  ])
  expect(derivedHoldings(written)).toEqual(new Map())
  const account = written.transaction.message.accountKeys.indexOf(accountOf(bob))
  expect(scopeOf(written).mintOf(account)).toBe(mint)
})
