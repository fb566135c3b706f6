import type { Tape } from '@chaintape/client'
import type { JsonSchema } from '@chaintape/protocol/descriptions'
import { keptOf, structuredOf, structuredSchema } from './answers.ts'
import { allFields, argumentSchemas, type Place, placeOf, rowsDefault } from './arguments.ts'
import type { OperationFacts } from './operationFacts.ts'
import { operations } from './operations.ts'
import { type Arguments, checkNames, type Tool, ToolError } from './tool.ts'
import { type OperationId, type ToolSpec, toolSpecs } from './toolSpecs.ts'

/** One operation of a tool, in the words of its arguments. */
type Call = {
  id: OperationId
  facts: OperationFacts
  /** Indexed by input. */
  places: readonly (readonly [input: string, place: Place])[]
  names: readonly string[]
  required: readonly string[]
  /** Members that its answer has by default, as `fields` takes them. */
  kept: string | undefined
}

const choice = 'what'

function callOf(id: OperationId): Call {
  const facts: OperationFacts = operations[id]
  const places = Object.entries(facts.inputs).map(
    ([input, schema]) => [input, placeOf(input, schema)] as const,
  )
  return {
    id,
    facts,
    places,
    names: [...new Set(places.map(([, { argument }]) => argument))],
    required: facts.required.map((input) => placeOf(input, facts.inputs[input]!).argument),
    kept: keptOf(facts.answer)?.join(','),
  }
}

/** The REST operation that a call of a tool reaches and that it costs; undefined: none. */
export function operationOfTool(name: unknown, given: unknown): OperationId | undefined {
  const spec = toolSpecs.find((one) => one.name === name)
  return spec && ownOf(spec.operations, choiceIn(spec, Object(given)))
}

/** The value of `what`, or its default. */
function choiceIn({ operations: byChoice }: ToolSpec, given: Arguments): unknown {
  return given[choice] ?? Object.keys(byChoice)[0]
}

/** Names that come from outside must not reach `constructor`. */
function ownOf<value>(record: Readonly<Record<string, value>>, name: unknown): value | undefined {
  return Object.hasOwn(record, String(name)) ? record[String(name)] : undefined
}

export const operationTools: readonly Tool[] = toolSpecs.map(toolOf)

function toolOf(spec: ToolSpec): Tool {
  const { name, title, description, examples } = spec
  const choices = Object.entries(spec.operations).map(([what, id]) => ({ what, call: callOf(id) }))
  const calls = choices.map(({ call }) => call)
  const isAlwaysRequired = (argument: string) =>
    calls.every(({ required }) => required.includes(argument))
  const ofCalls = Object.entries(argumentsOf(calls))
  const hasChoice = choices.length > 1
  const { cost } = calls[0]!.facts
  return {
    name,
    title,
    description: hasChoice ? description : `${description} Costs ${cost} credit units.`,
    inputSchema: {
      type: 'object',
      properties: {
        ...(hasChoice ? { [choice]: choiceSchema(choices) } : {}),
        ...Object.fromEntries(ofCalls),
      },
      required: ofCalls.map(([argument]) => argument).filter(isAlwaysRequired),
      additionalProperties: false,
      examples,
    },
    outputSchema: structuredSchema(calls.map(({ facts }) => facts.answer)),
    async run(tape, given) {
      const what = choiceIn(spec, given)
      const call = choices.find((one) => one.what === what)?.call
      if (call === undefined) {
        const known = Object.keys(spec.operations).join(', ')
        const sent = JSON.stringify(what)
        throw new ToolError(`${choice} of ${name} is one of ${known}; ${sent} is not.`)
      }
      const names = hasChoice ? [choice, ...call.names] : call.names
      checkNames(hasChoice ? `${name} with ${choice}=${what}` : name, given, { ...call, names })
      checkBounds(call, given)
      return structuredOf(await ask(tape, call, given))
    },
  }
}

function choiceSchema(choices: readonly { what: string; call: Call }[]): JsonSchema {
  const lines = choices.map(({ what, call: { facts, required } }) => {
    const needs = required.length === 0 ? '' : ` (${required.join(', ')})`
    return `${what}${needs}: ${facts.summary}, ${facts.cost} credits`
  })
  return {
    type: 'string',
    enum: choices.map(({ what }) => what),
    default: choices[0]!.what,
    description: `${lines.join('. ')}.`,
  }
}

/** Schemas of all arguments that calls of a tool take. */
function argumentsOf(calls: readonly Call[]): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = {}
  for (const { facts, places } of calls)
    for (const [input, { argument, bound }] of places) {
      const schema = facts.inputs[input]!
      const known = found[argument] ?? shownInput(schema, argumentSchemas[argument]!)
      found[argument] = bound === undefined ? widened(known, schema) : withBound(known, bound)
    }
  const { min, max } = found
  // The names are the same: a model needs them once.
  if (min && max) delete (found.max as Record<string, unknown>).propertyNames
  return found
}

/** A type of the argument's own replaces that of the wire, where a flag is a word. */
function shownInput(schema: JsonSchema, said: JsonSchema): JsonSchema {
  return said.type === undefined ? { ...schema, ...said } : said
}

function widened(known: JsonSchema, { enum: words }: JsonSchema): JsonSchema {
  if (!Array.isArray(words) || !Array.isArray(known.enum)) return known
  return { ...known, enum: [...new Set([...known.enum, ...words])] }
}

function withBound(known: JsonSchema, bound: string): JsonSchema {
  const { enum: bounds = [] } = (known.propertyNames ?? {}) as { enum?: readonly string[] }
  return { ...known, propertyNames: { enum: [...new Set([...bounds, bound])] } }
}

/** `min` and `max` have names inside that no schema of a client checks. */
function checkBounds({ places }: Call, given: Arguments): void {
  for (const argument of ['min', 'max']) {
    const bounds = places.flatMap(([, place]) =>
      place.argument === argument && place.bound !== undefined ? [place.bound] : [],
    )
    const unknown = Object.keys(Object(given[argument])).find((name) => !bounds.includes(name))
    if (unknown !== undefined)
      throw new ToolError(`${argument} has no ${unknown}; it has: ${bounds.join(', ')}.`)
  }
}

async function ask(tape: Tape, { id, facts, places, kept }: Call, given: Arguments) {
  const inputs: Record<string, unknown> = {}
  for (const [input, { argument, bound }] of places) {
    const value = given[argument] ?? (argument === 'limit' ? rowsDefault : undefined)
    inputs[input] = bound === undefined ? value : ownOf(Object(value), bound)
  }
  const fields = given.fields ?? kept
  if ('fields' in inputs) inputs.fields = fields === allFields ? undefined : fields
  const ids = facts.ids.map((input) => inputs[input])
  for (const input of facts.ids) delete inputs[input]
  const methods = tape.rest as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>
  return await methods[id]!(...ids, inputs)
}
