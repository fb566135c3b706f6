import { Type } from 'typebox'
import { type ChainConfig, chainKinds } from '../kinds/chainKinds.ts'

/**
 * One chain, whose `kind` says which fields it has. A kind is one member, with the literal of its word; the one whose
 * literal has a default is meant where a chain names no kind.
 */
export const chainSchema = Type.Unsafe<ChainConfig>(
  Type.Union(chainKinds.map(({ schema }) => schema)),
)
