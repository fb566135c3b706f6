import type { ContractFindings } from '../riskReport.ts'
import { findAuthorities } from './code/authorities.ts'
import { codeFlags } from './code/codeFlags.ts'
import { type ContractCode, type ReadContractOptions, readContract } from './code/readContract.ts'
import { runsOtherCode } from './code/storageFacts.ts'
import { type HiddenOwnerQuery, hasHiddenOwner } from './control/owner.ts'
import type { ProxyFacts } from './control/proxy.ts'
import type { EvmCheckLimits } from './evmCheckLimits.ts'

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

export type CodeFacts = Pick<ContractFindings, 'isProxy' | 'isUpgradeable' | 'flags'>

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
