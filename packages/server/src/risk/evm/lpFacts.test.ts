import { expect, test } from 'vitest'
import { testProfile } from '../../../../../test/support/gatewayChain.ts'
import type { FoundLog } from './boundedLogs.ts'
import { type LpQuery, readLpFacts } from './lpFacts.ts'
import type { CallAnswer, PinnedState } from './trade/pinnedState.ts'
import { addressWord, tokenSelector } from './words.ts'

const zero = `0x${'0'.repeat(40)}`
const pair = `0x${'b'.repeat(40)}`
const locker = `0x${'1'.repeat(40)}`
const owner = `0x${'2'.repeat(40)}`
const creator = `0x${'3'.repeat(40)}`
const profile = { ...testProfile, burnAddresses: [zero], lockers: [locker] }

const word = (amount: bigint): CallAnswer => {
  return { type: 'answered', data: `0x${amount.toString(16).padStart(64, '0')}` }
}

/** A pair of 1,000 shares; who is not named has none, null: the call reverts. */
function stateOf(balances: Record<string, bigint | null>): PinnedState {
  return {
    call: async (calls) =>
      calls.map(({ data }) => {
        if (data === tokenSelector.totalSupply) return word(1_000n)
        const balance = balances[`0x${data.slice(-40)}`] ?? 0n
        return balances[`0x${data.slice(-40)}`] === null
          ? { type: 'reverted', reason: '' }
          : word(balance)
      }),
    code: async (addresses) => addresses.map(() => '0x'),
    storage: async (_, slots) => slots.map(() => '0x'),
  }
}

const read = (balances: Record<string, bigint | null>, parts: Partial<LpQuery> = {}) =>
  readLpFacts({
    state: stateOf(balances),
    profile,
    pair,
    owner,
    creator,
    transfers: null,
    holdersMax: 2,
    ...parts,
  })

const mintOf = (to: string, amount: bigint): FoundLog => ({
  topics: ['0xddf2', `0x${addressWord(zero)}`, `0x${addressWord(to)}`],
  data: `0x${amount.toString(16).padStart(64, '0')}`,
  transactionHash: '0x',
  blockNumber: '0x1',
})

test('default: without transfers, shares come from balances of known addresses', async () => {
  const lp = await read({ [zero]: 100n, [locker]: 200n, [owner]: 30n, [creator]: 70n })
  expect(lp).toMatchObject({ totalRaw: 1_000n, burntRaw: 100n, lockedRaw: 200n, makerRaw: 100n })
  expect(lp!.holderCount).toBe(null)
})

test('behavior: a missing balance is unknown, not zero', async () => {
  expect(await read({ [zero]: null, [creator]: 70n })).toMatchObject({
    burntRaw: null,
    lockedRaw: 0n,
    makerRaw: 70n,
  })
  expect(await read({ [locker]: null })).toMatchObject({ burntRaw: 0n, lockedRaw: null })
  expect(await read({ [creator]: null, [owner]: 5n })).toMatchObject({ makerRaw: null })
})

test('behavior: without owner and creator the share of the makers is unknown', async () => {
  expect(await read({}, { owner: null, creator: null })).toMatchObject({ makerRaw: null })
  // An owner that gave up made nothing.
  expect(await read({}, { owner: zero, creator: null })).toMatchObject({ makerRaw: null })
})

test('behavior: sums include holders beyond those listed', async () => {
  const transfers = [
    ...[mintOf(`0x${'5'.repeat(40)}`, 400n), mintOf(`0x${'6'.repeat(40)}`, 300n)],
    ...[mintOf(locker, 200n), mintOf(creator, 90n), mintOf(zero, 10n)],
  ]
  const lp = await read({}, { transfers })
  expect(lp).toMatchObject({ burntRaw: 10n, lockedRaw: 200n, makerRaw: 90n, holderCount: 5 })
  expect(lp!.holders.map(({ amountRaw }) => amountRaw)).toEqual([400n, 300n])
})
