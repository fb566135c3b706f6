import { RequestError } from '../ground/errors.ts'
import { componentSchemas, type JsonSchema } from '../ground/schemas.ts'
import type { Input } from './inputs.ts'

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
      'Members of the answer to keep, separated by commas: of its object, or of each object in its list. A dot selects ' +
      'inside a nested object. Default: all.',
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
      throw fault(`Unknown field ${shown(name)}. The fields are: ${namesOf(shape.members)}.`)
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

/**
 * The members to keep of a JSON value. A null member is kept completely. `map` is an object whose
 * names are data, such as token ids.
 */
export type MemberSelection =
  | { type: 'object'; members: ReadonlyMap<string, MemberSelection | null> }
  | { type: 'list' | 'map'; of: MemberSelection }

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const listStart = 0x5b
const listEnd = 0x5d
const objectStart = 0x7b
const objectEnd = 0x7d

/**
 * Returns the JSON reduced to the selected members. Works on the text, because parsing and
 * serializing would change numbers (`0.0000001` would become `1e-7`). The text must have no
 * whitespace between tokens, which holds for all answers. A value whose type does not match the
 * selection stays unchanged.
 */
export function selectMembers(json: string, wanted: MemberSelection): string {
  const parts: string[] = []
  copyKept(json, 0, wanted, parts)
  return parts.join('')
}

/** Copies the selected parts of the value at `start`. Returns the index after the value. */
function copyKept(
  json: string,
  start: number,
  wanted: MemberSelection | null,
  parts: string[],
): number {
  const first = json.charCodeAt(start)
  if (wanted?.type === 'list' && first === listStart) return copyList(json, start, wanted.of, parts)
  if (wanted !== null && wanted.type !== 'list' && first === objectStart)
    return copyObject(json, start, wanted, parts)
  const end = endOfValue(json, start)
  parts.push(json.slice(start, end))
  return end
}

function copyList(json: string, start: number, of: MemberSelection, parts: string[]): number {
  let at = start + 1
  parts.push('[')
  while (json.charCodeAt(at) !== listEnd) {
    if (json.charCodeAt(at) === comma) {
      parts.push(',')
      at += 1
    }
    at = copyKept(json, at, of, parts)
  }
  parts.push(']')
  return at + 1
}

function copyObject(json: string, start: number, wanted: MemberSelection, parts: string[]): number {
  let at = start + 1
  let isFirst = true
  parts.push('{')
  while (json.charCodeAt(at) !== objectEnd) {
    if (json.charCodeAt(at) === comma) at += 1
    const nameEnd = endOfText(json, at)
    const isObject = wanted.type === 'object'
    // Member names are compared without unescaping, because names in answers never contain escapes.
    const inside = isObject ? wanted.members.get(json.slice(at + 1, nameEnd - 1)) : wanted.of
    if (inside === undefined) {
      at = endOfValue(json, nameEnd + 1)
      continue
    }
    parts.push(isFirst ? '' : ',', json.slice(at, nameEnd + 1))
    isFirst = false
    at = copyKept(json, nameEnd + 1, inside, parts)
  }
  parts.push('}')
  return at + 1
}

function endOfValue(json: string, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      at = endOfText(json, at)
      if (depth === 0) return at
      continue
    }
    if (code === objectStart || code === listStart) depth += 1
    else if (code === objectEnd || code === listEnd) {
      // This bracket closes the container of a bare number or literal.
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (code === comma && depth === 0) return at
    at += 1
  }
  return json.length
}

/** Returns the index after the JSON string that starts at `start`. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const code = json.charCodeAt(at)
    if (code === quote) return at + 1
    if (code === backslash) at += 1
    else if (Number.isNaN(code)) return json.length
  }
}
