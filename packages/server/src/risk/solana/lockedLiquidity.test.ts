import { expect, test } from 'vitest'
import { bytesOf, hex, u64 } from '../../../../devnet/src/solana/transactionBuilder.ts'
import { lockedLiquidity } from './lockedLiquidity.ts'

const program = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG'
const u128 = (value: bigint) => Buffer.concat([u64(value & (2n ** 64n - 1n)), u64(value >> 64n)])

const factsOf = (total: bigint, locked: bigint, owner = program) => {
  const parts = { 0: hex('f19a6d0411b16dbc'), 360: u128(total), 552: u128(locked) }
  return lockedLiquidity('pool', { owner, lamports: 1, data: bytesOf(1_112, parts) })
}

test.each([
  // Figures of real pools.
  [813427897217225932803417989418n, 793921928996210251910880349418n],
  [45872362773623330467639403561455n, 45872362771778656017868448399854n],
])('default: of %s all but a little is locked for good', (totalRaw, lockedRaw) => {
  const facts = factsOf(totalRaw, lockedRaw)
  expect(facts).toMatchObject({ pair: 'pool', totalRaw, lockedRaw, burntRaw: 0n, isSupply: false })
})

test.each([
  [127950621516592037176759485475866n, 24632261441830973163426669659n],
  [32189983436195764453715090439128n, 0n],
])('behavior: owners of the rest of %s stay unknown', (totalRaw, locked) => {
  expect(factsOf(totalRaw, locked)).toMatchObject({ totalRaw, lockedRaw: null, burntRaw: null })
})

test('error: empty, foreign and malformed accounts have no facts', () => {
  expect(factsOf(0n, 0n)).toBeNull()
  expect(factsOf(5n, 6n)).toBeNull()
  expect(factsOf(5n, 5n, 'another')).toBeNull()
  const short = { owner: program, lamports: 1, data: hex('f19a6d0411b16dbc') }
  expect(lockedLiquidity('pool', short)).toBeNull()
})
