import type { CodeFlags } from '../../riskReport.ts'
import { type Power, selectorSets } from '../signatures/selectorSets.ts'
import { opcode } from './instructions.ts'
import type { ContractCode } from './readContract.ts'
import { runsOtherCode, storageFacts, union } from './storageFacts.ts'

const selector = { lock: '0xdd467064', unlock: '0xa69df4b5' } as const

/**
 * Powers that the code gives. True: a function known by name does it. False: no function can,
 * judged by what each writes. Null: a function of unknown name writes where it might.
 */
export function codeFlags(code: ContractCode): CodeFlags {
  const facts = storageFacts(code)
  const has = (power: Power) =>
    [...code.functions.keys()].some((name) => selectorSets[power].has(name))
  const unless = (power: Power, keys: ReadonlySet<string>): boolean | null => {
    if (has(power)) return true
    return facts.isReadable && !facts.isWrittenByUnnamed(keys) ? false : null
  }
  const { balances, scalars, lists, ownerSlots, supply } = facts
  return {
    canMint: unless('mint', union(supply, balances)),
    canPause: unless('pause', scalars),
    canBlacklist: unless('blacklist', lists),
    canWhitelist: unless('whitelist', lists),
    canChangeTax: unless('tax', scalars),
    canChangePersonalTax: unless('personalTax', lists),
    canChangeBalance: unless('setBalance', balances),
    hasMaxAmount: has('maxAmount') || has('setMaxAmount') ? true : facts.readsOnly(ownerSlots),
    canChangeMaxAmount: unless('setMaxAmount', scalars),
    hasCooldown: has('cooldown') ? true : facts.isTimeless,
    canTakeBackOwnership: takesBack(code) ? true : facts.keepsOwner,
    hasHiddenOwner: facts.hasHiddenOwner,
    canSelfDestruct: selfDestructs(code, facts.isReadable),
    callsOutside: facts.callsOutside,
    seesContracts: facts.seesContracts,
  }
}

function takesBack(code: ContractCode): boolean {
  const known = [...code.functions.keys()].filter((name) => selectorSets.takeBack.has(name))
  // Votes and stakes lock too; only unlocking brings an owner back.
  return known.some((name) => name !== selector.lock && name !== selector.unlock)
    ? true
    : known.includes(selector.lock) && known.includes(selector.unlock)
}

function selfDestructs(code: ContractCode, isReadable: boolean): boolean | null {
  const traces = [...code.functions.values(), code.fallback]
  if (traces.some(({ opcodes }) => opcodes.has(opcode.selfDestruct))) return true
  const isWalked = isReadable && traces.every(({ isComplete }) => isComplete)
  if (isWalked) return traces.some(({ opcodes }) => runsOtherCode(opcodes)) ? null : false
  return code.opcodes.has(opcode.selfDestruct) || runsOtherCode(code.opcodes) ? null : false
}
