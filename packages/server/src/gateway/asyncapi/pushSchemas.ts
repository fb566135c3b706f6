import { messageRows, rowSchema } from '@chaintape/protocol/descriptions'
import type { JsonSchema } from '../operation/operation.ts'

const described: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  messageRows.map((row) => [row.name, rowSchema(row)]),
)

/** What clients are sent, by the name the document gives it. */
export const pushSchemas: Readonly<Record<string, JsonSchema>> = {
  ...described,
  // Objects may have more members than are named; of a swap these two tell the topics apart.
  TokenSwap: {
    ...described.TokenSwap,
    not: { anyOf: [{ required: ['profile'] }, { required: ['tx_seq'] }] },
  },
}
