import { toFunctionSelector } from 'viem'
import type { StoredWord } from './evaluateWord.ts'
import type { ContractCode } from './readContract.ts'
import { accountLists, isHarmless, isNamedPower, storageFacts, union } from './storageFacts.ts'
import type { FunctionTrace } from './traceFunction.ts'

/**
 * Accounts and lists, beside the owner, that functions with power over holders check their caller
 * against.
 */
export type Authorities = {
  /** Storage words that hold an account. */
  stored: readonly StoredWord[]
  /** Accounts written into the code. */
  accounts: readonly string[]
  /** Slots of lists by account. */
  lists: readonly string[]
}

// These sell the contract's own tokens; their caller gets no power over tokens of others.
const selling = new Set<string>(
  [
    'manualSwap()',
    'manualswap()',
    'manualSwap(uint256)',
    'manualSend()',
    'manualsend()',
    'manualSwapback()',
    'swapBack()',
    'swapTokensForEth(uint256)',
  ].map((signature) => toFunctionSelector(signature)),
)

const listOfSlot = /^map\((0x[0-9a-f]+)\)$/

/**
 * Collects what each function that writes something transfers depend on compares its caller with.
 */
export function findAuthorities(code: ContractCode): Authorities {
  const { balances, allowances, supply, ownerSlots, scalars, lists } = storageFacts(code)
  const obeyed = union(balances, supply, ownerSlots, scalars, lists)
  const own = accountLists(balances, allowances)
  const checks = new Set<string>()
  const callerLists = new Set<string>()
  for (const [name, trace] of code.functions) {
    if (isHarmless(name) || selling.has(name)) continue
    if (isNamedPower(name) ? trace.writes.size === 0 : !writesAny(trace, obeyed)) continue
    for (const check of trace.callerChecks) checks.add(check)
    // An unnamed function may be a claim or a stake, which look up the caller for another reason.
    if (!isNamedPower(name)) continue
    for (const list of trace.callerLists) if (!own.has(list)) callerLists.add(list)
  }
  const stored: StoredWord[] = []
  const accounts: string[] = []
  for (const check of checks) {
    const [place, rest] = check.split(' ') as [string, string]
    if (place === 'account') accounts.push(rest)
    else if (!ownerSlots.has(place)) stored.push({ slot: place, shift: Number(rest) })
  }
  const slots = [...callerLists].flatMap((list) => listOfSlot.exec(list)?.[1] ?? [])
  return { stored, accounts, lists: slots }
}

/** Ignores what an incomplete walk only might write. */
function writesAny({ writes }: FunctionTrace, keys: ReadonlySet<string>): boolean {
  return [...writes].some((key) => keys.has(key))
}
