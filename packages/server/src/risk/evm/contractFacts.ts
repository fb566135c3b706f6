import type { ContractFindings } from '../riskReport.ts'
import { findAuthorities } from './code/authorities.ts'
import { codeFlags } from './code/codeFlags.ts'
import { type ContractCode, type ReadContractOptions, readContract } from './code/readContract.ts'
import { runsOtherCode } from './code/storageFacts.ts'
import { type HiddenOwnerQuery, hasHiddenOwner } from './control/hiddenOwner.ts'
import type { ProxyFacts } from './control/proxy.ts'
import type { EvmCheckLimits } from './evmCheckLimits.ts'

// How often a place in the code is walked with other constants before they are forgotten.
const visitsMax = 8

/** Walks the code that runs; null when there is none to walk. */
export async function walkCode(
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
  // Which function stands where is the diamond's own word, and what it does not list may be run all the same: its
  // fallback, which runs other code, leaves open what no function of a known name does.
  return { ...contract, functions }
}

export type CodeFacts = Pick<ContractFindings, 'isProxy' | 'isUpgradeable' | 'flags'>

export async function readCodeFacts(
  { isProxy, isUpgradeable }: ProxyFacts,
  code: ContractCode | null,
  scene: Omit<HiddenOwnerQuery, 'code' | 'authorities'>,
): Promise<CodeFacts> {
  if (code === null) return { isProxy, isUpgradeable, flags: null }
  const { fallback } = code
  // Hands on what it does not know, in none of the ways that are known.
  const mayDelegate = !fallback.isComplete || runsOtherCode(fallback.opcodes)
  const flags = codeFlags(code)
  const isHidden = await hasHiddenOwner({ ...scene, code, authorities: findAuthorities(code) })
  return {
    isProxy: isProxy || (mayDelegate ? null : false),
    isUpgradeable: isUpgradeable || (mayDelegate ? null : isUpgradeable),
    flags: isHidden ? { ...flags, hasHiddenOwner: true } : flags,
  }
}
