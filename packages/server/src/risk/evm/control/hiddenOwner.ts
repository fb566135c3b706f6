import { concatHex, type Hex, keccak256, pad, toHex } from 'viem'
import type { Authorities } from '../code/authorities.ts'
import type { ContractCode } from '../code/readContract.ts'
import type { PinnedState } from '../trade/pinnedState.ts'
import { addressOfWord, uintOfWord } from '../words.ts'

export type HiddenOwnerQuery = {
  state: PinnedState
  token: string
  code: ContractCode
  authorities: Authorities
  owner: string | null
  /** Who made it and who owned it before: looked up in lists that decide. */
  suspects: readonly string[]
  /** Burn addresses, pools, platforms: none of them is somebody. */
  nobodies: readonly string[]
}

// Functions asked whether they tell of an account; contracts have fewer that take nothing and change nothing.
const viewsMax = 64
const accountMask = (1n << 160n) - 1n

/**
 * Does somebody other than the owner have his powers, without the contract saying so? Functions with power compare
 * their caller with what is in storage or in the code itself; an account found there that no view function names is
 * hidden, and so is a maker that stands in a list which lets him call them. False: none was found.
 */
export async function hasHiddenOwner(query: HiddenOwnerQuery): Promise<boolean> {
  const { owner, token, nobodies } = query
  const found = [...query.authorities.accounts, ...(await readStored(query))].filter(
    (account) => account !== owner && account !== token && !nobodies.includes(account),
  )
  const told = found.length === 0 ? new Set<string>() : await readTold(query)
  if (found.some((account) => !told.has(account))) return true
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

/** Accounts that the contract names when it is asked. */
async function readTold({ state, token, code }: HiddenOwnerQuery): Promise<Set<string>> {
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
  const { state, token, authorities, owner, suspects, nobodies } = query
  const makers = [...new Set(suspects)].filter(
    (account) => account !== owner && !nobodies.includes(account),
  )
  const slots = makers.flatMap((maker) =>
    authorities.lists.map((slot) =>
      keccak256(concatHex([pad(maker as Hex), toHex(BigInt(slot), { size: 32 })])),
    ),
  )
  if (slots.length === 0) return false
  const words = await state.storage(token, slots)
  // A yes alone: times and amounts are something else.
  return words.some((word) => uintOfWord(word) === 1n)
}
