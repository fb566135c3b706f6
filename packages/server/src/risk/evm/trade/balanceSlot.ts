import { concatHex, type Hex, keccak256, pad, toHex } from 'viem'
import { balanceOfData, uintOfWord } from '../words.ts'
import type { PinnedState } from './pinnedState.ts'

// Slot of OpenZeppelin 5's storage for upgradeable tokens (ERC-7201).
const namespacedSlot = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n
// Solady hashes the owner, eight zero bytes and this seed.
const soladySeed = '0x000000000000000087a211a2'
// No token has this amount by chance, and it leaves flags in a packed word untouched.
const sentinel = 0x5eed_5eed_5eed_5eedn

/** Returns the storage slot of an account's balance. */
export type BalanceLayout = (owner: string) => Hex

export function balanceLayouts(slotsMax: number): BalanceLayout[] {
  const slots = Array.from({ length: slotsMax }, (_, slot) => BigInt(slot))
  const solidity = [...slots, namespacedSlot].map(
    (slot): BalanceLayout =>
      (owner) =>
        keccak256(concatHex([pad(owner as Hex), toHex(slot, { size: 32 })])),
  )
  const vyper = slots.map(
    (slot): BalanceLayout =>
      (owner) =>
        keccak256(concatHex([toHex(slot, { size: 32 }), pad(owner as Hex)])),
  )
  const solady: BalanceLayout = (owner) => keccak256(concatHex([owner as Hex, soladySeed]))
  return [...solidity, ...vyper, solady]
}

/** Tries each layout on an empty account; null if none is the token's. */
export async function findBalanceLayout(
  state: PinnedState,
  token: string,
  owner: string,
  layouts: readonly BalanceLayout[],
): Promise<BalanceLayout | null> {
  const value = toHex(sentinel, { size: 32 })
  const answers = await state.call(
    layouts.map((layout) => ({
      to: token,
      data: balanceOfData(owner),
      overrides: { [token]: { stateDiff: { [layout(owner)]: value } } },
    })),
  )
  const at = answers.findIndex(
    (answer) => answer.type === 'answered' && uintOfWord(answer.data) === sentinel,
  )
  return layouts[at] ?? null
}
