import { toFunctionSelector } from 'viem'
import { controlSignatures } from './controlSignatures.ts'
import { harmlessSignatures } from './harmlessSignatures.ts'
import { listSignatures } from './listSignatures.ts'
import { taxSignatures } from './taxSignatures.ts'
import { tradingSignatures } from './tradingSignatures.ts'

/** Selectors of the functions known by name, grouped by effect. */
export const selectorSets = {
  ...setsOf(harmlessSignatures),
  ...setsOf(controlSignatures),
  ...setsOf(listSignatures),
  ...setsOf(tradingSignatures),
  ...setsOf(taxSignatures),
}

export type Power = keyof typeof selectorSets

function setsOf<power extends string>(
  signatures: Readonly<Record<power, readonly string[]>>,
): Record<power, ReadonlySet<string>> {
  const sets = Object.entries<readonly string[]>(signatures).map(([power, names]) => [
    power,
    new Set<string>(names.map((signature) => toFunctionSelector(signature))),
  ])
  return Object.fromEntries(sets)
}
