import { RequestError } from '../errors.ts'
import type { Input, JsonSchema, Operation } from './operation.ts'
import { components } from './schemas.ts'
import { keptMembers, type Wanted } from './selectJson.ts'

/** Gives the JSON of an answer with the members alone that are wanted. */
export type SelectFields = (json: string) => string

type Shape =
  | { type: 'object'; members: ReadonlyMap<string, JsonSchema> }
  | { type: 'list' | 'map'; of: JsonSchema }
  | null

// More than any answer has.
const fieldsMax = 100
const textCharsMax = 4_000

/**
 * The parameter `fields` of an operation, by the schema of its answer: members of its object, or of each object of its list,
 * and of objects in these behind a dot. What a member holds comes with it. Of an answer that has the envelope by contract,
 * members of `data`.
 */
export function fieldsInput(
  operation: Pick<Operation, 'answer' | 'envelopedAnswer' | 'isEnveloped'>,
): Input<SelectFields | null> {
  const { isEnveloped = false } = operation
  return {
    name: 'fields',
    in: 'query',
    isRequired: false,
    description:
      'Members of the answer to keep, separated by commas: of its object, or of each object of its list; of an object in it ' +
      'with a dot between. All of them unless it is given.',
    schema: { type: 'string', maxLength: textCharsMax },
    parse(text, { isCompatible }) {
      if (text === undefined || text.trim() === '') return null
      const answer = (isCompatible ? operation.envelopedAnswer : null) ?? operation.answer
      if (text.length > textCharsMax) throw fault(`fields has over ${textCharsMax} characters.`)
      const paths = text.split(',').map((path) => path.trim().split('.'))
      if (paths.length > fieldsMax) throw fault(`fields has over ${fieldsMax} names.`)
      const wanted = wantedOf(isEnveloped ? dataOf(answer) : answer, paths)
      const kept = isEnveloped ? aroundData(answer, wanted) : wanted
      return (json) => keptMembers(json, kept)
    },
  }
}

/** Can members of such an answer be selected? */
export function hasFields(answer: JsonSchema): boolean {
  const shape = shapeOf(answer)
  if (shape === null) return false
  return shape.type === 'object' ? shape.members.size > 0 : hasFields(shape.of)
}

function wantedOf(schema: JsonSchema, paths: readonly (readonly string[])[]): Wanted {
  const shape = shapeOf(schema)
  if (shape === null) throw fault(`${shown(paths[0]!.join('.'))} is in no object.`)
  if (shape.type !== 'object') return { type: shape.type, of: wantedOf(shape.of, paths) }
  const rests = new Map<string, string[][] | null>()
  for (const [name = '', ...rest] of paths) {
    if (!shape.members.has(name)) {
      throw fault(`There is no field ${shown(name)}; there are: ${namesOf(shape.members)}.`)
    }
    const others = rests.get(name)
    // Named as a whole once, it is wanted as a whole.
    if (rest.length === 0 || others === null) rests.set(name, null)
    else rests.set(name, [...(others ?? []), rest])
  }
  const members = new Map<string, Wanted | null>()
  for (const [name, rest] of rests)
    members.set(name, rest === null ? null : wantedOf(shape.members.get(name)!, rest))
  return { type: 'object', members }
}

function shapeOf(schema: JsonSchema): Shape {
  const { $ref, anyOf, items, properties, additionalProperties } = schema
  if (typeof $ref === 'string') return shapeOf(components[$ref.split('/').at(-1)!]!)
  // One of them says what is there, the others stand for nothing.
  if (Array.isArray(anyOf)) {
    const shapes = (anyOf as JsonSchema[]).map(shapeOf)
    return shapes.find((shape) => shape !== null) ?? null
  }
  if (isSchema(items)) return { type: 'list', of: items }
  if (isSchema(properties))
    return { type: 'object', members: new Map(Object.entries(properties)) as never }
  return isSchema(additionalProperties) ? { type: 'map', of: additionalProperties } : null
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function dataOf(answer: JsonSchema): JsonSchema {
  const shape = shapeOf(answer)
  return (shape?.type === 'object' ? shape.members.get('data') : undefined) ?? {}
}

function aroundData(answer: JsonSchema, wanted: Wanted): Wanted {
  const shape = shapeOf(answer)
  const names = shape?.type === 'object' ? [...shape.members.keys()] : []
  const members = new Map<string, Wanted | null>(names.map((name) => [name, null]))
  return { type: 'object', members: members.set('data', wanted) }
}

// Enough to see what is meant; a row may have a hundred.
const namesShownMax = 20

function namesOf(members: ReadonlyMap<string, unknown>): string {
  const names = [...members.keys()]
  const rest = names.length - namesShownMax
  return names.slice(0, namesShownMax).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

function fault(sentence: string): RequestError {
  return new RequestError('invalid_param', sentence, 'fields')
}

// What is longer is no name.
const shownChars = 40

function shown(name: string): string {
  return JSON.stringify(name.slice(0, shownChars))
}
