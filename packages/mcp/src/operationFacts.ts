import type { JsonSchema } from '@chaintape/protocol/descriptions'

/** A REST operation as tools see it. */
export type OperationFacts = {
  summary: string
  /** Credit units of one successful call. */
  cost: number
  /** Names of inputs in the path, in order. */
  ids: readonly string[]
  required: readonly string[]
  /** Indexed by the name on the wire. */
  inputs: Readonly<Record<string, JsonSchema>>
  answer: JsonSchema
}
