import { RequestError } from '../ground/errors.ts'
import { componentSchemas, type JsonSchema } from '../ground/schemas.ts'
import type { Input } from './inputs.ts'
import { type MemberSelection, selectMembers } from './selectJson.ts'

/** Reduces the JSON of an answer to the selected members. */
export type SelectFields = (json: string) => string

/** Schemas of an operation's answer. */
type AnswerSchemas = {
  answer: JsonSchema
  envelopedAnswer?: JsonSchema
  isEnveloped?: boolean
}

type Shape =
  | { type: 'object'; members: ReadonlyMap<string, JsonSchema> }
  | { type: 'list' | 'map'; of: JsonSchema }
  | null

// Maximum number of names in `fields`; no answer has more members.
const fieldsMax = 100
const textCharsMax = 4_000

/**
 * Creates the `fields` parameter of an operation from the schema of its answer. A name selects a
 * member of the answer's object, or of each object in its list. A dot reaches members of nested
 * objects, and selecting a member selects everything in it. For answers that are always enveloped,
 * names refer to members of `data`.
 */
export function fieldsInput(operation: AnswerSchemas): Input<SelectFields | null> {
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
      return (json) => selectMembers(json, kept)
    },
  }
}

/** True when members of an answer with this schema can be selected. */
export function canSelectFields(answer: JsonSchema): boolean {
  const shape = shapeOf(answer)
  if (shape === null) return false
  return shape.type === 'object' ? shape.members.size > 0 : canSelectFields(shape.of)
}

function wantedOf(schema: JsonSchema, paths: readonly (readonly string[])[]): MemberSelection {
  const shape = shapeOf(schema)
  if (shape === null) throw fault(`${shown(paths[0]!.join('.'))} is in no object.`)
  if (shape.type !== 'object') return { type: shape.type, of: wantedOf(shape.of, paths) }
  const rests = new Map<string, string[][] | null>()
  for (const [name = '', ...rest] of paths) {
    if (!shape.members.has(name)) {
      throw fault(`There is no field ${shown(name)}; there are: ${namesOf(shape.members)}.`)
    }
    const others = rests.get(name)
    // A member named both alone and with a dot path is selected completely.
    if (rest.length === 0 || others === null) rests.set(name, null)
    else rests.set(name, [...(others ?? []), rest])
  }
  const members = new Map<string, MemberSelection | null>()
  for (const [name, rest] of rests)
    members.set(name, rest === null ? null : wantedOf(shape.members.get(name)!, rest))
  return { type: 'object', members }
}

function shapeOf(schema: JsonSchema): Shape {
  const { $ref, anyOf, items, properties, additionalProperties } = schema
  if (typeof $ref === 'string') return shapeOf(componentSchemas[$ref.split('/').at(-1)!]!)
  // In `anyOf`, one schema describes the data and the others describe "no data".
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

function aroundData(answer: JsonSchema, wanted: MemberSelection): MemberSelection {
  const shape = shapeOf(answer)
  const names = shape?.type === 'object' ? [...shape.members.keys()] : []
  const members = new Map<string, MemberSelection | null>(names.map((name) => [name, null]))
  return { type: 'object', members: members.set('data', wanted) }
}

// Error messages list at most this many names, because a row may have a hundred.
const namesShownMax = 20

function namesOf(members: ReadonlyMap<string, unknown>): string {
  const names = [...members.keys()]
  const rest = names.length - namesShownMax
  return names.slice(0, namesShownMax).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

function fault(sentence: string): RequestError {
  return new RequestError('invalid_param', sentence, 'fields')
}

// Maximum length of a field name. Error messages cut longer input off.
const shownChars = 40

function shown(name: string): string {
  return JSON.stringify(name.slice(0, shownChars))
}
