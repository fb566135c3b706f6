import { expect, test } from 'vitest'
import type { DecodedEvent } from '../../model/decodedBlock.ts'
import type { RpcTokenBalance, RpcTransaction } from '../../model/solana/rpcTransaction.ts'
import { pushBalances } from './readBalances.ts'

const keys = ['Signer', 'First', 'Second', 'Vault', 'Looked']
const shared = 'Authority'

/** `accountIndex owner amount` of accounts of one mint. */
function balancesOf(told: readonly (readonly [number, string | undefined, bigint])[]) {
  return told.map(
    ([accountIndex, owner, amount]): RpcTokenBalance => ({
      accountIndex,
      mint: 'Mint',
      uiTokenAmount: { amount: `${amount}` },
      ...(owner !== undefined && { owner }),
    }),
  )
}

type Told = readonly (readonly [number, string | undefined, bigint])[]

function told(before: Told, after: Told, err: unknown = null) {
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
  pushBalances(transaction, { sharedOwners: new Set([shared]) }, events)
  return events.flatMap((event) =>
    event.type === 'balance' ? [[event.owner, event.before, event.amount]] : [],
  )
}

test('default: what accounts of an owner had before and have after, of those that changed', () => {
  expect(told([[1, 'Ann', 10n]], [[1, 'Ann', 4n]])).toEqual([['Ann', 10n, 4n]])
  expect(told([[1, 'Ann', 10n]], [[1, 'Ann', 10n]])).toEqual([])
  expect(told([[1, 'Ann', 10n]], [[1, 'Ann', 4n]], { InstructionError: [0, 'Custom'] })).toEqual([])
})

test('behavior: two accounts of an owner count together, and one that is opened or closed from or to nothing', () => {
  const [first, second] = [1, 2]
  const two = [
    [first, 'Ann', 10n],
    [second, 'Ann', 5n],
  ] as const
  expect(told(two, [[first, 'Ann', 15n]])).toEqual([['Ann', 15n, 15n]])
  expect(told([[second, 'Ann', 5n]], [])).toEqual([['Ann', 5n, 0n]])
  expect(told([], [[second, 'Ann', 5n]])).toEqual([['Ann', 0n, 5n]])
  expect(told([], [[second, 'Ann', 0n]])).toEqual([['Ann', 0n, 0n]])
})

test('behavior: an account that is given to somebody else goes over with what it has', () => {
  expect(told([[1, 'Ann', 10n]], [[1, 'Bob', 7n]])).toEqual([
    ['Bob', 0n, 7n],
    ['Ann', 10n, 0n],
  ])
  // Bob had one already, which the transaction names too.
  expect(
    told(
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
    told(
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
  // Nodes did not tell owners before 2022.
  expect(told([[1, undefined, 1n]], [[1, undefined, 2n]])).toEqual([])
})
