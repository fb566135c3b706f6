import type { Fields, FieldType } from './restContract.ts'

const decimalText = /^(0|-?(0\.\d*[1-9]|[1-9]\d*(\.\d*[1-9])?))$/

const isOf: Record<FieldType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  decimal: (value) => typeof value === 'string' && decimalText.test(value),
  integer: Number.isInteger,
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
}

/** Faults of a row as sentences; empty if the row is valid. */
export function faultsOf(row: unknown, fields: Fields): string[] {
  if (!isOf.object(row)) return [`${JSON.stringify(row)} is no object`]
  const members = row as Record<string, unknown>
  return Object.entries(fields).flatMap(([name, type]) => {
    if (!Object.hasOwn(members, name)) return [`${name} is missing`]
    return isOf[type](members[name])
      ? []
      : [`${name} is ${JSON.stringify(members[name])}, not ${type}`]
  })
}

/** Values at a path; `*` matches every element or member. */
export function valuesAt(body: unknown, path: readonly string[]): unknown[] {
  const [first, ...rest] = path
  if (first === undefined) return [body]
  if (typeof body !== 'object' || body === null) return []
  const next = first === '*' ? Object.values(body) : [(body as Record<string, unknown>)[first]]
  return next.flatMap((value) => valuesAt(value, rest))
}
