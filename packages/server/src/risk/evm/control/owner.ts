import { toEventSelector } from 'viem'
import type { FoundLog } from '../boundedLogs.ts'
import type { PinnedState } from '../trade/pinnedState.ts'
import { anyAddressOfWord } from '../words.ts'

// owner(), getOwner(), _owner(): the first that answers with an address.
const getters = ['0x8da5cb5b', '0x893d20e8', '0xb2bdfa7b']

export const ownershipTopic = toEventSelector('OwnershipTransferred(address,address)')

/** Null: the contract names none. */
export async function readOwner(state: PinnedState, token: string): Promise<string | null> {
  const answers = await state.call(getters.map((data) => ({ to: token, data })))
  for (const answer of answers) {
    const owner = answer.type === 'answered' ? anyAddressOfWord(answer.data) : null
    if (owner !== null) return owner
  }
  return null
}

/** Who was the owner before the present one, from the events of the contract; null when they do not tell. */
export function previousOwnerOf(logs: readonly FoundLog[], owner: string): string | null {
  for (const { topics } of [...logs].reverse()) {
    const before = anyAddressOfWord(topics[1] ?? '')
    const after = anyAddressOfWord(topics[2] ?? '')
    if (before === null || after === null) continue
    if (after === owner) return /^0x0+$/.test(before) ? null : before
    return null
  }
  return null
}
