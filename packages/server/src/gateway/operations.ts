import { extraOperations } from './extraOperations.ts'
import { fieldsInput, hasFields } from './fields.ts'
import type { Operation } from './operation.ts'
import { contractRisk } from './rest/contractRisk.ts'
import { mainTokens } from './rest/mainTokens.ts'
import { pairDetail } from './rest/pairDetail.ts'
import { platformTokens } from './rest/platformTokens.ts'
import { searchTokens } from './rest/searchTokens.ts'
import { tokenBatch } from './rest/tokenBatch.ts'
import { tokenDetail } from './rest/tokenDetail.ts'
import { tokenPrices } from './rest/tokenPrices.ts'
import { topHolders } from './rest/topHolders.ts'
import { trending } from './rest/trending.ts'
import { usageOfKey } from './rest/usageOfKey.ts'

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
