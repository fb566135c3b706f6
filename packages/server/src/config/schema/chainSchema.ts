import { chainKinds } from '../../kinds/chainKinds.ts'
import type { CommonChainConfig } from '../../kinds/commonChainFields.ts'
import { type Schema, Type } from '../../lib/schema.ts'

/**
 * One chain, whose `kind` says which fields it has. A kind is one member, with the literal of its word; the one whose
 * literal has a default is meant where a chain names no kind. What a kind has beside the common fields only it looks at.
 */
export const chainSchema = Type.Union(
  chainKinds.map(({ schema }) => schema),
) as Schema<CommonChainConfig>
