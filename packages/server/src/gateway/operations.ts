import { extraOperations } from './extraOperations.ts'
import { fieldsInput, hasFields } from './operation/fields.ts'
import type { Operation } from './operation/operation.ts'
import { pairDetail } from './rest/pairs/pairDetail.ts'
import { platformTokens } from './rest/ranks/platformTokens.ts'
import { trending } from './rest/ranks/trending.ts'
import { contractRisk } from './rest/risk/contractRisk.ts'
import { usageOfKey } from './rest/service/usageOfKey.ts'
import { mainTokens } from './rest/tokens/mainTokens.ts'
import { searchTokens } from './rest/tokens/searchTokens.ts'
import { tokenBatch } from './rest/tokens/tokenBatch.ts'
import { tokenDetail } from './rest/tokens/tokenDetail.ts'
import { tokenPrices } from './rest/tokens/tokenPrices.ts'
import { topHolders } from './rest/tokens/topHolders.ts'

const defined: readonly Operation[] = [
  tokenPrices,
  tokenBatch,
  searchTokens,
  tokenDetail,
  contractRisk,
  topHolders,
  mainTokens,
  trending,
  platformTokens,
  pairDetail,
  ...extraOperations,
  usageOfKey,
]

/** Every operation under /v2 that needs a key, in the order of the OpenAPI document. */
export const operations: readonly Operation[] = defined.map(withFields)

/** Charting libraries know what they want. */
function withFields(operation: Operation): Operation {
  const { path, answer, inputs, isEnveloped = false } = operation
  if (!path.startsWith('/v2/') || !hasFields(answer)) return operation
  return { ...operation, inputs: { ...inputs, fields: fieldsInput(answer, isEnveloped) } }
}
