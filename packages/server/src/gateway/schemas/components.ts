import { answerRows, rowSchema } from '@chaintape/protocol/descriptions'
import type { JsonSchema } from '../operation/operation.ts'

/** Every schema that has a name of its own in the OpenAPI document. */
export const components: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  answerRows.map((row) => [row.name, rowSchema(row)]),
)
