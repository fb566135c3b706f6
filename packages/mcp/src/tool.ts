import type { Tape } from '@chaintape/client'
import type { JsonSchema } from '@chaintape/protocol/descriptions'

export type Arguments = Readonly<Record<string, unknown>>

/** A tool as `tools/list` shows it, and how it answers. */
export type Tool = {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema & { type: 'object' }
  outputSchema: JsonSchema
  run(tape: Tape, given: Arguments): Promise<Record<string, unknown>>
}

/** Why a tool cannot answer. The message goes to the model and says what to change. */
export class ToolError extends Error {}

/**
 * Refuses unknown and missing arguments. Its message lists the known names, by which a model
 * corrects itself.
 */
export function checkNames(
  tool: string,
  given: Arguments,
  { names, required }: { names: readonly string[]; required: readonly string[] },
): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new ToolError(
      `${tool} has no argument ${unknown}; its arguments are: ${names.join(', ') || 'none'}.`,
    )
  const missing = required.find((name) => given[name] === undefined)
  if (missing !== undefined) throw new ToolError(`${tool} needs the argument ${missing}.`)
}
