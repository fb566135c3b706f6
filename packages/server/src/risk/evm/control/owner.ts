import { concatHex, type Hex, keccak256, pad, toEventSelector, toHex } from 'viem'
import type { FoundLog } from '../boundedLogs.ts'
import type { Authorities } from '../code/authorities.ts'
import type { ContractCode } from '../code/readContract.ts'
import type { PinnedState } from '../trade/pinnedState.ts'
import { addressOfWord, anyAddressOfWord, uintOfWord } from '../words.ts'

// owner(), getOwner(), _owner(): the first that returns an address counts.
const getters = ['0x8da5cb5b', '0x893d20e8', '0xb2bdfa7b']

export const ownershipTopic = toEventSelector('OwnershipTransferred(address,address)')

/** Null if the contract names no owner. */
export async function readOwner(state: PinnedState, token: string): Promise<string | null> {
  const answers = await state.call(getters.map((data) => ({ to: token, data })))
  for (const answer of answers) {
    const owner = answer.type === 'answered' ? anyAddressOfWord(answer.data) : null
    if (owner !== null) return owner
  }
  return null
}

/**
 * Returns the previous owner from the contract's ownership events; null if they do not show one.
 */
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

export type HiddenOwnerQuery = {
  state: PinnedState
  token: string
  code: ContractCode
  authorities: Authorities
  owner: string | null
  /** Creator and previous owner: looked up in lists that decide. */
  suspects: readonly string[]
  /** Burn addresses, pools, platforms: none of them is somebody. */
  marketContracts: readonly string[]
}

// Argument-free view functions to call; contracts have fewer.
const viewsMax = 64
const accountMask = (1n << 160n) - 1n

/**
 * Does somebody other than the owner have the owner's powers without the contract showing it?
 * Functions with power compare their caller with storage or with the code. An account found there
 * that no view function returns is hidden; so is a creator or previous owner on a list that allows
 * such calls. False if none was found.
 */
export async function hasHiddenOwner(query: HiddenOwnerQuery): Promise<boolean> {
  const { owner, token, marketContracts } = query
  const found = [...query.authorities.accounts, ...(await readStored(query))].filter(
    (account) => account !== owner && account !== token && !marketContracts.includes(account),
  )
  const named = found.length === 0 ? new Set<string>() : await readViewAccounts(query)
  if (found.some((account) => !named.has(account))) return true
  return await isMakerListed(query)
}

async function readStored({ state, token, authorities }: HiddenOwnerQuery): Promise<string[]> {
  const { stored } = authorities
  if (stored.length === 0) return []
  const words = await state.storage(
    token,
    stored.map(({ slot }) => toHex(BigInt(slot), { size: 32 })),
  )
  return stored.flatMap(({ shift }, i) => {
    const word = uintOfWord(words[i]!.padStart(66, '0')) ?? 0n
    const account = toHex((word >> BigInt(shift)) & accountMask, { size: 32 })
    return addressOfWord(account) ?? []
  })
}

/** Accounts that the contract's own view functions return. */
async function readViewAccounts({ state, token, code }: HiddenOwnerQuery): Promise<Set<string>> {
  const views = [...code.functions]
    .filter(([, { writes, isComplete }]) => isComplete && writes.size === 0)
    .map(([selector]) => selector)
    .slice(0, viewsMax)
  const answers = await state.call(views.map((data) => ({ to: token, data })))
  const accounts = answers.map((answer) =>
    answer.type === 'answered' ? addressOfWord(answer.data) : null,
  )
  return new Set(accounts.filter((account) => account !== null))
}

async function isMakerListed(query: HiddenOwnerQuery): Promise<boolean> {
  const { state, token, authorities, owner, suspects, marketContracts } = query
  const makers = [...new Set(suspects)].filter(
    (account) => account !== owner && !marketContracts.includes(account),
  )
  const slots = makers.flatMap((maker) =>
    authorities.lists.map((slot) =>
      keccak256(concatHex([pad(maker as Hex), toHex(BigInt(slot), { size: 32 })])),
    ),
  )
  if (slots.length === 0) return false
  const words = await state.storage(token, slots)
  // Only an exact yes: other numbers are times or amounts.
  return words.some((word) => uintOfWord(word) === 1n)
}
