import { strict as assert } from 'node:assert'
import type { ConfigProblem } from '../../kinds/configProblem.ts'
import type { SchemaNode } from '../../lib/schema.ts'
import { expectationOf, memberOfKind, membersByKind } from '../schema/fields.ts'

type ShapeResult = { value: unknown; problems: ConfigProblem[] }

/** Fills in defaults and finds every mismatch: wrong types, unknown and missing keys. */
export function checkShape(schema: SchemaNode, value: unknown): ShapeResult {
  const problems: ConfigProblem[] = []
  return { value: visit(schema, value, '', problems), problems }
}

type Problems = ConfigProblem[]

function visit(node: SchemaNode, given: unknown, path: string, problems: Problems): unknown {
  const value = given === undefined ? structuredClone(node.default) : given
  if (node.properties) return visitObject(node, value, path, problems)
  const kinds = membersByKind(node)
  if (kinds) return visitUnion(kinds, value, path, problems)
  if (node.patternProperties) return visitRecord(node, value, path, problems)
  if (node.type === 'array') return visitArray(node, value, path, problems)
  if (!fits(node, value)) problems.push({ path, message: faultOf(node, value) })
  return value
}

function visitObject(node: SchemaNode, value: unknown, path: string, problems: Problems): unknown {
  if (!isRecord(value)) {
    problems.push({ path: path || 'the whole', message: `must be an object, is ${shown(value)}` })
    return value
  }
  const properties = node.properties!
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(properties, key)) continue
    const near = nearestWord(key, Object.keys(properties))
    const hint = near === null ? '' : `; did you mean ${join(path, near)}?`
    problems.push({ path: join(path, key), message: `is not a known key${hint}` })
  }
  const result: Record<string, unknown> = {}
  for (const [key, child] of Object.entries(properties)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined
    const isMissing = given === undefined && child.default === undefined
    if (!isMissing) result[key] = visit(child, given, join(path, key), problems)
    else if (node.required?.includes(key))
      problems.push({ path: join(path, key), message: `is required: ${expectationOf(child)}` })
  }
  return result
}

function visitUnion(
  kinds: ReadonlyMap<string, SchemaNode>,
  value: unknown,
  path: string,
  problems: Problems,
): unknown {
  const member = memberOfKind(kinds, value)
  if (member || !isRecord(value))
    return visitObject(member ?? [...kinds.values()][0]!, value, path, problems)
  const near = typeof value.kind === 'string' ? nearestWord(value.kind, [...kinds.keys()]) : null
  const hint = near === null ? '' : `; did you mean ${near}?`
  const message = `must be ${[...kinds.keys()].join(' or ')}, is ${shown(value.kind)}${hint}`
  problems.push({ path: join(path, 'kind'), message })
  return value
}

// Describes the pattern of names in words. A hyphen is not allowed: it separates address and
// chain in ids.
const nameForm = 'it must have up to 32 small letters, digits and underscores, a letter first'

function visitRecord(node: SchemaNode, value: unknown, path: string, problems: Problems): unknown {
  if (!isRecord(value)) {
    problems.push({ path, message: `must be an object, is ${shown(value)}` })
    return value
  }
  const [pattern, child] = Object.entries(node.patternProperties!)[0]!
  const result: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const itemPath = join(path, key)
    if (new RegExp(pattern).test(key)) result[key] = visit(child, item, itemPath, problems)
    else problems.push({ path: itemPath, message: `is not a valid name: ${nameForm}` })
  }
  return result
}

function visitArray(node: SchemaNode, value: unknown, path: string, problems: Problems): unknown {
  if (!Array.isArray(value)) {
    problems.push({ path, message: faultOf(node, value) })
    return value
  }
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node
  if (value.length < minItems)
    problems.push({
      path,
      message: `must have at least ${minItems} ${minItems === 1 ? 'entry' : 'entries'}`,
    })
  if (value.length > maxItems)
    problems.push({ path, message: `must have at most ${maxItems} entries` })
  return value.map((item, i) => visit(node.items!, item, `${path}[${i}]`, problems))
}

function fits(node: SchemaNode, value: unknown): boolean {
  if (node.anyOf) return node.anyOf.some((option) => fits(option, value))
  if (node.enum) return typeof value === 'string' && node.enum.includes(value)
  if (node.const !== undefined) return value === node.const
  if (node.type === 'string') return typeof value === 'string' && fitsText(node, value)
  if (node.type === 'boolean') return typeof value === 'boolean'
  assert(node.type === 'integer' || node.type === 'number', 'the config uses no other type')
  if (typeof value !== 'number' || !Number.isFinite(value)) return false
  if (node.type === 'integer' && !Number.isInteger(value)) return false
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = node
  return value >= minimum && value <= maximum
}

function fitsText({ pattern, minLength = 0, maxLength }: SchemaNode, text: string): boolean {
  if (text.length < minLength) return false
  if (maxLength !== undefined && text.length > maxLength) return false
  return pattern === undefined || new RegExp(pattern).test(text)
}

function faultOf(node: SchemaNode, value: unknown): string {
  if (typeof value === 'string' && node.type === 'string') {
    // A value that does not match a pattern may be most of a secret.
    const given = node.secret ? '' : `, is ${shown(value)}`
    if (node.pattern !== undefined) return `must be ${expectationOf(node)}${given}`
    if (value === '') return 'must not be empty'
    return `must have ${node.minLength ?? 0} to ${node.maxLength ?? 'any number of'} characters`
  }
  const near = node.enum && typeof value === 'string' ? nearestWord(value, node.enum) : null
  // A secret of the wrong type must not be shown either.
  const given = node.secret ? typeName(value) : shown(value)
  const hint = near === null ? '' : `; did you mean ${near}?`
  return `must be ${expectationOf(node)}, is ${given}${hint}`
}

const shownCharsMax = 40

function shown(value: unknown): string {
  if (typeof value === 'object') return typeName(value)
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length <= shownCharsMax ? text : `${text.slice(0, shownCharsMax)}...`
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value)
    ? 'a list'
    : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

// A suggestion that differs in more than this part of the word does not help.
const distanceShareMax = 0.5

/** The known word with the fewest edits; null if none is near. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const ofPart = known.find((candidate) => isPart(word, candidate) || isPart(candidate, word))
  if (ofPart !== undefined) return ofPart
  let best: string | null = null
  let bestDistance = Math.floor(word.length * distanceShareMax) + 1
  for (const candidate of known) {
    const distance = editDistance(word, candidate)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** People leave out or add whole parts of a name, as `url` for `http_url`. */
function isPart(short: string, long: string): boolean {
  return short.length > 1 && long.toLowerCase().split('_').includes(short.toLowerCase())
}

/** Levenshtein distance: insertions, deletions and substitutions count one each. */
export function editDistance(a: string, b: string): number {
  /** Distances from the first characters of a to every prefix of b. */
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
