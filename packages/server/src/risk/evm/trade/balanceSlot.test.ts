import { encodeAbiParameters, encodePacked, type Hex, keccak256, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { balanceLayouts, findBalanceLayout } from './balanceSlot.ts'
import type { PinnedState } from './pinnedState.ts'

const token = `0x${'1'.repeat(40)}`
const owner = `0x${'2'.repeat(40)}` as Hex

/** A token that keeps balances in one word of its storage; others do not matter to it. */
function tokenAt(slot: Hex): PinnedState {
  return {
    call: async (calls) =>
      calls.map(({ to, overrides }) => {
        const word = overrides?.[to]?.stateDiff?.[slot]
        return { type: 'answered', data: word ?? `0x${'0'.repeat(64)}` }
      }),
    code: async () => [],
    storage: async () => [],
  }
}

const solidity = (slot: bigint) =>
  keccak256(encodeAbiParameters(parseAbiParameters('address, uint256'), [owner, slot]))
const vyper = (slot: bigint) =>
  keccak256(encodeAbiParameters(parseAbiParameters('uint256, address'), [slot, owner]))
const namespace = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n

test.each([
  ['first slot', solidity(0n)],
  ['as in USDC', solidity(9n)],
  ['last slot', solidity(19n)],
  ['of OpenZeppelin 5', solidity(namespace)],
  ['of Vyper', vyper(3n)],
  ['of Solady', keccak256(encodePacked(['address', 'uint96'], [owner, 0x87a211a2n]))],
])('default: the layout %s', async (_, slot) => {
  const layout = await findBalanceLayout(tokenAt(slot), token, owner, balanceLayouts(20))
  expect(layout?.(owner)).toBe(slot)
})

test('behavior: an unusual layout is not found', async () => {
  const state = tokenAt(solidity(20n))
  expect(await findBalanceLayout(state, token, owner, balanceLayouts(20))).toBe(null)
})
