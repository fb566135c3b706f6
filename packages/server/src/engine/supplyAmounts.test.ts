import { expect, test } from 'vitest'
import { amountColumn as A, SupplyAmounts } from './supplyAmounts.ts'

const supplyOf = (tokenId: number, total: bigint) => ({
  ...{ tokenId, total, burnt: 10n, locked: 20n, other: 30n, holders: 4, isComplete: true },
})

test('default: those of the supply as it is now', () => {
  const amounts = new SupplyAmounts()
  for (const tokenId of [5_000, 0, 700_000, 5_000])
    for (const total of [1_000n, 2_000n]) {
      const at = amounts.at(tokenId, supplyOf(tokenId, total))
      const read = [A.issued, A.circulating, A.holders].map((column) => amounts.rows[at + column])
      expect(read).toEqual([Number(total) - 40, Number(total) - 60, 4])
    }
})
