import { chainKinds } from '../../kinds/chainKinds.ts'
import type { CommonChainConfig } from '../../kinds/commonChainFields.ts'
import { type Schema, Type } from '../../lib/schema.ts'

/**
 * One chain. Its `kind` selects the member with its fields. The member whose literal has a default
 * applies to chains without a kind. Only the kind itself reads its own fields.
 */
export const chainSchema = Type.Union(
  chainKinds.map(({ schema }) => schema),
) as Schema<CommonChainConfig>
