import { Compile } from 'typebox/schema'
import {
  componentSchemas,
  type JsonSchema,
} from '../../packages/server/src/gateway/ground/schemas.ts'

/**
 * The schema without additional members. Clients accept them, but the service may only send
 * described members.
 */
export function strictSchema(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(strictSchema)
  const entries = Object.entries(schema).map(([word, value]) => [word, strictSchema(value)])
  const copy = Object.fromEntries(entries)
  return 'properties' in copy && copy.type === 'object'
    ? { additionalProperties: false, ...copy }
    : copy
}

/** Paths of object members in a document's schemas that lack a description. */
export function undescribedMembers(document: object): string[] {
  const read = (at: unknown, name: string) => (at as Record<string, unknown> | undefined)?.[name]
  const resolved = (schema: unknown): unknown => {
    const pointer = read(schema, '$ref')
    if (typeof pointer !== 'string') return schema
    return resolved(pointer.slice(2).split('/').reduce<unknown>(read, document))
  }
  const isDescribed = (schema: unknown) =>
    /^[^a-z].{4,}\.$/s.test(String(read(resolved(schema), 'description')))
  function* walk(value: unknown, place: string): Generator<string> {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) yield* walk(member, `${place}/${name}`)
    if (read(value, 'type') !== 'object') return
    for (const [name, member] of Object.entries(read(value, 'properties') ?? {}))
      if (!isDescribed(member)) yield `${place}/${name}`
  }
  return [...walk(document, '')]
}

const validators = new WeakMap<JsonSchema, ReturnType<typeof Compile>>()

type Components = Readonly<Record<string, JsonSchema>>

function validatorOf(schema: JsonSchema, schemas: Components): ReturnType<typeof Compile> {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = Compile(strictSchema({ allOf: [schema], components: { schemas } }) as JsonSchema)
  validators.set(schema, made)
  return made
}

/**
 * Faults of a value by a schema of the OpenAPI document or of another document, as sentences; empty
 * if it is valid. A member without a description is a fault.
 */
export function schemaFaults(
  schema: JsonSchema,
  value: unknown,
  schemas: Components = componentSchemas,
): string[] {
  const validator = validatorOf(schema, schemas)
  if (validator.Check(value)) return []
  const [, errors] = validator.Errors(value)
  const faults = errors.map(
    ({ instancePath, message }) => `${instancePath === '' ? 'the value' : instancePath} ${message}`,
  )
  return faults.length === 0 ? ['the value does not match'] : faults
}
