import { expect, test } from 'vitest'
import { MarketMemory } from '../pages/marketMemory.ts'
import { amountColumn as A, Supplies } from './supplies.ts'

const tokenCount = 80_000
const supplyOf = (tokenId: number, total: bigint) => ({
  tokenId,
  total,
  burnt: 10n,
  locked: 20n,
  other: 30n,
  holders: 4,
  isComplete: true,
})

function create(): Supplies {
  const supplies = new Supplies(new MarketMemory())
  for (let id = 0; id < tokenCount; id += 1) supplies.addUnknown()
  return supplies
}

function read(supplies: Supplies, tokenId: number): (number | undefined)[] | null {
  const at = supplies.amountsAt(tokenId)
  if (at < 0) return null
  return [A.issued, A.circulating, A.holders].map((column) => supplies.amounts.rows[at + column])
}

test('default: amounts follow the current supply', () => {
  const supplies = create()
  // The last token shares its cache slot with token 4,464.
  for (const tokenId of [5_000, 0, 4_464, 5_000, 4_464 + 65_536])
    for (const total of [1_000n, 2_000n]) {
      supplies.set(supplyOf(tokenId, total), null)
      expect(read(supplies, tokenId)).toEqual([Number(total) - 40, Number(total) - 60, 4])
    }
  expect(read(supplies, 4_464)).toEqual([1_960, 1_940, 4])
  expect(read(supplies, 1)).toBe(null)
})

test('behavior: a revert restores the earlier amounts', () => {
  const supplies = create()
  supplies.set(supplyOf(7, 1_000n), null)
  supplies.set(supplyOf(7, 3_000n), 5)
  expect(read(supplies, 7)).toEqual([2_960, 2_940, 4])
  supplies.revert(7, 5)
  expect(read(supplies, 7)).toEqual([960, 940, 4])
  supplies.truncate(7)
  supplies.addUnknown()
  expect(read(supplies, 7)).toBe(null)
})

test('behavior: a token without a reported supply has none issued', () => {
  const supplies = create()
  const knownAt = (supply: Partial<ReturnType<typeof supplyOf>>) => {
    supplies.set({ ...supplyOf(7, 0n), ...supply }, null)
    const at = supplies.amountsAt(7)
    return [read(supplies, 7), supplies.amounts.rows[at + A.isKnown]]
  }
  expect(knownAt({ isComplete: false })).toEqual([[0, 0, 4], 0])
  expect(knownAt({ isComplete: false, total: 1_000n })).toEqual([[960, 940, 4], 1])
  const empty = { burnt: 0n, locked: 0n, other: 0n, holders: 0 }
  expect(knownAt(empty)).toEqual([[0, 0, 0], 1])
})
