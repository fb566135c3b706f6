import { strict as assert } from 'node:assert'
import type { Type } from 'typebox'
import type { ChainKind } from './chainKind.ts'
import { evmKind } from './evm/evmKind.ts'

/** Every kind of chain there is. */
export const chainKinds = [evmKind]

/** A chain of the config, whatever its kind. */
export type ChainConfig = Type.Static<(typeof chainKinds)[number]['schema']>

export function chainKindOf({ kind }: { kind: string }): ChainKind {
  const found = chainKinds.find(({ name }) => name === kind)
  assert(found !== undefined, `the config was checked, and ${kind} is no kind of chain`)
  return found
}
