import { expect, test } from 'vitest'
import { zeroAddress } from '../../decode/evm/erc20.ts'
import type { DecodedSwap, DecodedTransfer } from '../../model/decodedBlock.ts'
import { bestCandidate, type CandidateTerms, candidatesOf, score } from './tokenCandidates.ts'

const [pool, router, wrapped, token, shares] = ['0xb0', '0x70', '0xee', '0xa0', '0x5a'] as const

const swap = { type: 'swap', index: 10, pool } as DecodedSwap
const termsDefault: CandidateTerms = { traces: {}, wrapped, paid: [], others: new Set() }

/** A transfer by token, sender, receiver, amount and place in the block. */
const transfer = (token: string, from: string, to: string, amount: bigint, index: number) =>
  ({ type: 'transfer', token, from, to, amount, index }) as DecodedTransfer

const intoPool = (amount: bigint, index: number, of: string = token) =>
  transfer(of, router, pool, amount, index)
const outOfPool = (amount: bigint, index: number, of: string = token) =>
  transfer(of, pool, router, amount, index)
const elsewhere = (amount: bigint, index: number, of: string = token) =>
  transfer(of, router, '0x99', amount, index)

function scoresOf(
  transfers: readonly DecodedTransfer[],
  signed = 100n,
  terms: Partial<CandidateTerms> = {},
  of: DecodedSwap = swap,
) {
  const found = candidatesOf(of, transfers, signed, { ...termsDefault, ...terms })
  return found.map(({ token, score, distance }) => [token, score, distance])
}

test('default: a transfer of the amount to the pool is exact', () => {
  expect(scoresOf([intoPool(100n, 8)])).toEqual([[token, score.exact, 2]])
  expect(scoresOf([outOfPool(100n, 8)], -100n)).toEqual([[token, score.exact, 2]])
})

test('behavior: an amount of zero has no candidates', () => {
  expect(scoresOf([intoPool(0n, 8)], 0n)).toEqual([])
})

test('behavior: transfers behind the event are half a place farther away', () => {
  expect(scoresOf([intoPool(100n, 12)])).toEqual([[token, score.exact, 2.5]])
  // The best clue is the closest of the same strength, in any order.
  const [far, near, behind] = [intoPool(100n, 3), intoPool(100n, 8), intoPool(100n, 12)]
  expect(scoresOf([far, behind, near])).toEqual([[token, score.exact, 2]])
  expect(scoresOf([near, behind, far])).toEqual([[token, score.exact, 2]])
})

test('behavior: a weaker clue moves no candidate, a stronger one does', () => {
  const [weak, strong] = [intoPool(7n, 9), intoPool(100n, 2)]
  expect(scoresOf([weak, strong])).toEqual([[token, score.exact, 8]])
  expect(scoresOf([strong, weak])).toEqual([[token, score.exact, 8]])
})

test('behavior: what the pool got in parts, or got back from, adds up to the amount', () => {
  expect(scoresOf([intoPool(60n, 8), intoPool(40n, 9)])).toEqual([[token, score.sum, 1]])
  expect(scoresOf([intoPool(130n, 8), outOfPool(30n, 9)])).toEqual([[token, score.sum, 2]])
  expect(scoresOf([outOfPool(130n, 8), intoPool(30n, 9)], -100n)).toEqual([[token, score.sum, 2]])
  // Another amount is still held, as fees may have been taken.
  expect(scoresOf([intoPool(60n, 8), intoPool(30n, 9)])).toEqual([[token, score.held, 1]])
})

test('behavior: shares of the pool and transfers of nothing are no clue', () => {
  expect(scoresOf([intoPool(100n, 8, pool), elsewhere(100n, 8, pool)])).toEqual([])
  expect(scoresOf([intoPool(0n, 8)])).toEqual([])
})

test('behavior: a transfer by the pool to itself is neither in nor out', () => {
  const own = transfer(token, pool, pool, 100n, 9)
  expect(scoresOf([own])).toEqual([[token, score.anywhere, 1]])
  expect(scoresOf([own], -100n)).toEqual([[token, score.anywhere, 1]])
})

test('behavior: the amount between others is a guess, and a payment of another pool too', () => {
  expect(scoresOf([elsewhere(100n, 8)])).toEqual([[token, score.anywhere, 2]])
  expect(scoresOf([elsewhere(99n, 8)])).toEqual([])
  // A payment by another pool may be the one that this pool received.
  const paid = [{ token, amount: -100n, index: 4 }]
  expect(scoresOf([], 100n, { paid })).toEqual([[token, score.anywhere, 6]])
  expect(scoresOf([], -100n, { paid })).toEqual([])
  // A guess adds nothing to what the pool held.
  expect(scoresOf([intoPool(100n, 2), elsewhere(100n, 9)])).toEqual([[token, score.exact, 8]])
})

test('behavior: wrapping and unwrapping of the coin is a trade of the native coin', () => {
  const traces = { hasNative: 'maybe' } as const
  const unwrapped = transfer(wrapped, router, zeroAddress, 100n, 8)
  const made = transfer(wrapped, zeroAddress, router, 100n, 12)
  expect(scoresOf([unwrapped], 100n, { traces })).toEqual([[zeroAddress, score.wrapped, 2]])
  expect(scoresOf([made], -100n, { traces })).toEqual([[zeroAddress, score.wrapped, 2.5]])
  // The other way around it is a transfer like others.
  expect(scoresOf([made], 100n, { traces })).toEqual([[wrapped, score.anywhere, 2.5]])
  expect(scoresOf([unwrapped], 100n)).toEqual([[wrapped, score.anywhere, 2]])
})

test('behavior: shares minted for a payment in underlying coins are only touched', () => {
  const traces = { isUnderlying: true } as const
  const minted = transfer(shares, zeroAddress, pool, 100n, 8)
  const burnt = transfer(shares, pool, zeroAddress, 100n, 8)
  expect(scoresOf([minted], 100n, { traces })).toEqual([[shares, score.touched, 2]])
  expect(scoresOf([burnt], -100n, { traces })).toEqual([[shares, score.touched, 2]])
  expect(scoresOf([minted], 100n)).toEqual([[shares, score.exact, 2]])
  // Another coin may be named than the one that moved: other amounts prove nothing.
  expect(scoresOf([intoPool(99n, 8)], 100n, { traces })).toEqual([])
  expect(scoresOf([intoPool(99n, 8)], 100n)).toEqual([[token, score.held, 2]])
})

test('behavior: amounts of other swaps with the same manager are theirs', () => {
  const managed = { ...swap, manager: '0x3a' } as DecodedSwap
  const into = (amount: bigint, index: number) => transfer(token, router, '0x3a', amount, index)
  const out = (amount: bigint, index: number) => transfer(token, '0x3a', router, amount, index)
  expect(scoresOf([into(100n, 8)], 100n, {}, managed)).toEqual([[token, score.exact, 2]])
  expect(scoresOf([into(90n, 8)], 100n, {}, managed)).toEqual([[token, score.touched, 2]])
  // The manager gets what another swap sells.
  expect(scoresOf([into(90n, 8)], 100n, { others: new Set([90n]) }, managed)).toEqual([])
  expect(scoresOf([into(90n, 8)], 100n, { others: new Set([-90n]) }, managed)).toHaveLength(1)
  expect(scoresOf([out(90n, 8)], -100n, { others: new Set([-90n]) }, managed)).toEqual([])
  // The sum of two transfers is another swap's, or what stays after one back.
  const parts = [into(50n, 8), into(40n, 9)]
  expect(scoresOf(parts, 100n, { others: new Set([90n]) }, managed)).toEqual([])
  expect(scoresOf([into(95n, 8), out(5n, 9)], 100n, { others: new Set([90n]) }, managed)).toEqual(
    [],
  )
  // A pool's own address has no swaps of others.
  expect(scoresOf([intoPool(50n, 8), intoPool(40n, 9)], 100n, { others: new Set([90n]) })).toEqual([
    [token, score.held, 1],
  ])
})

test('behavior: the best candidate has the strongest clue, then the closest', () => {
  const candidate = (token: string, score: number, distance: number) => ({ token, score, distance })
  const [strong, near, far] = [candidate('a', 6, 9), candidate('b', 4, 1), candidate('c', 4, 2)]
  expect(bestCandidate([near, strong, far])).toBe(strong)
  expect(bestCandidate([far, near])).toBe(near)
  expect(bestCandidate([near, far])).toBe(near)
  expect(bestCandidate([])).toBe(null)
})
