import type { CodeFlags, ContractFindings } from '../riskReport.ts'
import { findAuthorities } from './code/authorities.ts'
import { opcode } from './code/instructions.ts'
import { type ContractCode, type ReadContractOptions, readContract } from './code/readContract.ts'
import { runsOtherCode, storageFacts, union } from './code/storageFacts.ts'
import { type HiddenOwnerQuery, hasHiddenOwner } from './control/owner.ts'
import type { ProxyFacts } from './control/proxy.ts'
import type { EvmCheckLimits } from './evmCheckLimits.ts'
import { type Power, selectorSets } from './signatures/selectorSets.ts'

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

// Visits of one place in the code with different constants before the walk forgets them.
const visitsMax = 8

/** Walks the code that runs; null if none exists to walk. */
export async function traceCode(
  { code, facets }: ProxyFacts,
  limits: EvmCheckLimits,
  signal: AbortSignal,
): Promise<ContractCode | null> {
  if (code === null) return null
  const options: ReadContractOptions = {
    stepsMax: limits.functionStepsMax,
    totalStepsMax: limits.codeStepsMax,
    msMax: limits.codeMsMax,
    constantsMax: limits.selectorsMax,
    visitsMax,
    signal,
  }
  const contract = await readContract(code, options)
  if (facets.length === 0) return contract
  const share = {
    ...options,
    totalStepsMax: limits.codeStepsMax / facets.length,
    msMax: limits.codeMsMax / facets.length,
  }
  const functions = new Map(contract.functions)
  for (const facet of facets) {
    const walked = await readContract(facet.code, share)
    for (const selector of facet.selectors) {
      const trace = walked.functions.get(selector)
      if (trace !== undefined) functions.set(selector, trace)
    }
  }
  // The diamond itself names the facet of each function, and its fallback may still run others. So
  // the absence of functions of unknown name proves nothing.
  return { ...contract, functions }
}

type CodeFacts = Pick<ContractFindings, 'isProxy' | 'isUpgradeable' | 'flags'>

export async function readCodeFacts(
  { isProxy, isUpgradeable }: ProxyFacts,
  code: ContractCode | null,
  scene: Omit<HiddenOwnerQuery, 'code' | 'authorities'>,
): Promise<CodeFacts> {
  if (code === null) return { isProxy, isUpgradeable, flags: null }
  const { fallback } = code
  // The fallback passes unknown calls on, in no known proxy form.
  const mayDelegate = !fallback.isComplete || runsOtherCode(fallback.opcodes)
  const flags = codeFlags(code)
  const isHidden = await hasHiddenOwner({ ...scene, code, authorities: findAuthorities(code) })
  return {
    isProxy: isProxy || (mayDelegate ? null : false),
    isUpgradeable: isUpgradeable || (mayDelegate ? null : isUpgradeable),
    flags: isHidden ? { ...flags, hasHiddenOwner: true } : flags,
  }
}
