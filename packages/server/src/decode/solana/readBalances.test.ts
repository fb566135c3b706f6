import { expect, test } from 'vitest'
import { encodeBase58 } from '../../lib/bytes/base58.ts'
import type { DecodedEvent } from '../../model/decodedBlock.ts'
import type { RpcTokenBalance, RpcTransaction } from '../../model/solana/rpcTransaction.ts'
import { pushBalanceEvents } from './readBalances.ts'

const keys = ['Signer', 'First', 'Second', 'Vault', 'Looked']
const shared = 'Authority'

/** `accountIndex owner amount` for accounts of one mint. */
function balancesOf(amounts: readonly (readonly [number, string | undefined, bigint])[]) {
  return amounts.map(
    ([accountIndex, owner, amount]): RpcTokenBalance => ({
      accountIndex,
      mint: 'Mint',
      uiTokenAmount: { amount: `${amount}` },
      ...(owner !== undefined && { owner }),
    }),
  )
}

type Amounts = readonly (readonly [number, string | undefined, bigint])[]

function changesBetween(before: Amounts, after: Amounts, err: unknown = null) {
  const transaction: RpcTransaction = {
    meta: {
      err,
      preTokenBalances: balancesOf(before),
      postTokenBalances: balancesOf(after),
      loadedAddresses: { writable: [keys[4]!], readonly: [] },
    },
    transaction: {
      signatures: ['tx'],
      message: { accountKeys: keys.slice(0, 4), instructions: [] },
    },
  }
  const events: DecodedEvent[] = []
  pushBalanceEvents(transaction, { sharedOwners: new Set([shared]) }, events)
  return events.flatMap((event) =>
    event.type === 'balance' ? [[event.owner, event.before, event.amount]] : [],
  )
}

const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'

/**
 * Runs an inner Token-2022 instruction for accounts of the mint and returns the reported balance of
 * its owner.
 */
function hiddenBalances(data: string | Buffer, amounts: [bigint, bigint], key = token2022) {
  const [before, after] = amounts
  const transaction: RpcTransaction = {
    meta: {
      err: null,
      preTokenBalances: balancesOf([[1, 'Ann', before]]),
      postTokenBalances: balancesOf([[1, 'Ann', after]]),
      innerInstructions: [
        { index: 0, instructions: [{ programIdIndex: 3, accounts: [1, 2, 0], data }] },
      ],
      loadedAddresses: { writable: [], readonly: [key] },
    },
    transaction: {
      signatures: ['tx'],
      message: { accountKeys: ['Signer', 'First', 'Mint'], instructions: [] },
    },
  }
  const events: DecodedEvent[] = []
  pushBalanceEvents(transaction, { sharedOwners: new Set() }, events)
  return events.map((event) => event.type === 'balance' && [event.amount, event.isHidden])
}

test('behavior: encrypted amounts are marked as hidden, whether or not a balance changed', () => {
  const deposit = Buffer.concat([Buffer.of(27, 5), Buffer.alloc(8, 200), Buffer.of(6)])
  const transfer = Buffer.concat([Buffer.of(27, 7), Buffer.alloc(160, 9)])
  const burn = Buffer.concat([Buffer.of(42, 4), Buffer.alloc(160, 9)])
  for (const data of [deposit, transfer, burn]) {
    expect(hiddenBalances(data, [9n, 4n])).toEqual([[4n, true]])
    expect(hiddenBalances(encodeBase58(data), [9n, 9n])).toEqual([[9n, true]])
    expect(hiddenBalances(data, [9n, 9n], 'another program')).toEqual([])
  }
  // The smallest possible deposit is still read.
  const least = Buffer.concat([Buffer.of(27, 5), Buffer.alloc(9)])
  expect(hiddenBalances(encodeBase58(least), [9n, 9n])).toEqual([[9n, true]])
  // These move no hidden amounts: an account is configured, a plain transfer.
  for (const data of [Buffer.of(27, 8, ...Buffer.alloc(44)), Buffer.of(12, ...Buffer.alloc(9))])
    expect(hiddenBalances(data, [9n, 4n])).toEqual([[4n, undefined]])
})

test('default: what accounts of an owner had before and have after, of those that changed', () => {
  expect(changesBetween([[1, 'Ann', 10n]], [[1, 'Ann', 4n]])).toEqual([['Ann', 10n, 4n]])
  expect(changesBetween([[1, 'Ann', 10n]], [[1, 'Ann', 10n]])).toEqual([])
  expect(
    changesBetween([[1, 'Ann', 10n]], [[1, 'Ann', 4n]], { InstructionError: [0, 'Custom'] }),
  ).toEqual([])
})

test('behavior: two accounts of an owner count together, and one that is opened or closed from or to nothing', () => {
  const [first, second] = [1, 2]
  const two = [
    [first, 'Ann', 10n],
    [second, 'Ann', 5n],
  ] as const
  expect(changesBetween(two, [[first, 'Ann', 15n]])).toEqual([['Ann', 15n, 15n]])
  expect(changesBetween([[second, 'Ann', 5n]], [])).toEqual([['Ann', 5n, 0n]])
  expect(changesBetween([], [[second, 'Ann', 5n]])).toEqual([['Ann', 0n, 5n]])
  expect(changesBetween([], [[second, 'Ann', 0n]])).toEqual([['Ann', 0n, 0n]])
})

test('behavior: an account that is given to somebody else goes over with what it has', () => {
  expect(changesBetween([[1, 'Ann', 10n]], [[1, 'Bob', 7n]])).toEqual([
    ['Bob', 0n, 7n],
    ['Ann', 10n, 0n],
  ])
  // Bob already had one, which the transaction names, too.
  expect(
    changesBetween(
      [
        [1, 'Ann', 10n],
        [2, 'Bob', 1n],
      ],
      [
        [1, 'Bob', 10n],
        [2, 'Bob', 1n],
      ],
    ),
  ).toEqual([
    ['Bob', 1n, 11n],
    ['Ann', 10n, 0n],
  ])
})

test('behavior: vaults of an address that keeps those of many pools are holders each, also those of lookup tables', () => {
  expect(
    changesBetween(
      [
        [3, shared, 10n],
        [4, shared, 20n],
      ],
      [
        [3, shared, 11n],
        [4, shared, 19n],
      ],
    ),
  ).toEqual([
    ['Vault', 10n, 11n],
    ['Looked', 20n, 19n],
  ])
  // Nodes did not return owners before 2022.
  expect(changesBetween([[1, undefined, 1n]], [[1, undefined, 2n]])).toEqual([])
})
