import type { JsonSchema } from '../operation.ts'
import { contractRiskSchema } from './contractRisk.ts'
import { extraComponents } from './extraComponents.ts'
import { pairDetailSchema } from './pairDetail.ts'
import { priceEntrySchema } from './priceEntry.ts'
import { tokenDetailSchema, tokenPairSchema } from './tokenDetail.ts'
import { tokenHolderSchema } from './tokenHolder.ts'
import { mainTokenSchema, tokenRowSchema } from './tokenRow.ts'
import { usageSchema } from './usage.ts'

/** Every schema that has a name of its own in the OpenAPI document. */
export const components: Readonly<Record<string, JsonSchema>> = {
  ContractRisk: contractRiskSchema,
  Usage: usageSchema,
  TokenRow: tokenRowSchema,
  MainToken: mainTokenSchema,
  PairDetail: pairDetailSchema,
  PriceEntry: priceEntrySchema,
  TokenDetail: tokenDetailSchema,
  TokenPair: tokenPairSchema,
  TokenHolder: tokenHolderSchema,
  ...extraComponents,
}
