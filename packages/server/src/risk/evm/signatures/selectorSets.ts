import { toFunctionSelector } from 'viem'
import { blacklistSignatures } from './blacklistSignatures.ts'
import { burnSignatures } from './burnSignatures.ts'
import { cooldownSignatures } from './cooldownSignatures.ts'
import { maxAmountSignatures } from './maxAmountSignatures.ts'
import { mintSignatures } from './mintSignatures.ts'
import { ownerSignatures } from './ownerSignatures.ts'
import { pauseSignatures } from './pauseSignatures.ts'
import { personalTaxSignatures } from './personalTaxSignatures.ts'
import { setBalanceSignatures } from './setBalanceSignatures.ts'
import { setMaxAmountSignatures } from './setMaxAmountSignatures.ts'
import { standardSignatures } from './standardSignatures.ts'
import { switchOnSignatures } from './switchOnSignatures.ts'
import { takeBackSignatures } from './takeBackSignatures.ts'
import { taxSignatures } from './taxSignatures.ts'
import { upgradeSignatures } from './upgradeSignatures.ts'
import { whitelistSignatures } from './whitelistSignatures.ts'

/** Selectors of the functions whose names are known, by what they do. */
export const selectorSets = {
  standard: selectorsOf(standardSignatures),
  burn: selectorsOf(burnSignatures),
  owner: selectorsOf(ownerSignatures),
  takeBack: selectorsOf(takeBackSignatures),
  mint: selectorsOf(mintSignatures),
  pause: selectorsOf(pauseSignatures),
  switchOn: selectorsOf(switchOnSignatures),
  blacklist: selectorsOf(blacklistSignatures),
  whitelist: selectorsOf(whitelistSignatures),
  tax: selectorsOf(taxSignatures),
  personalTax: selectorsOf(personalTaxSignatures),
  maxAmount: selectorsOf(maxAmountSignatures),
  setMaxAmount: selectorsOf(setMaxAmountSignatures),
  cooldown: selectorsOf(cooldownSignatures),
  setBalance: selectorsOf(setBalanceSignatures),
  upgrade: selectorsOf(upgradeSignatures),
} as const

export type Power = keyof typeof selectorSets

function selectorsOf(signatures: readonly string[]): ReadonlySet<string> {
  return new Set(signatures.map((signature) => toFunctionSelector(signature)))
}
