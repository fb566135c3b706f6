import { strict as assert } from 'node:assert'
import type { ChainKind } from './chainKind.ts'
import { evmKind } from './evm/evmKind.ts'
import { solanaKind } from './solana/solanaKind.ts'

/** All supported families of chains. */
export const chainKinds: ChainKind[] = [evmKind, solanaKind]

export function chainKindOf({ kind }: { kind: string }): ChainKind {
  const found = chainKinds.find(({ name }) => name === kind)
  assert(found !== undefined, `the config was checked, and ${kind} is no kind of chain`)
  return found
}
