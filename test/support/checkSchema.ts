import { Compile } from 'typebox/schema'
import type { JsonSchema } from '../../packages/server/src/gateway/operation.ts'
import { components } from '../../packages/server/src/gateway/schemas/components.ts'

const validators = new WeakMap<JsonSchema, ReturnType<typeof Compile>>()

function validatorOf(schema: JsonSchema): ReturnType<typeof Compile> {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = Compile({ allOf: [schema], components: { schemas: components } })
  validators.set(schema, made)
  return made
}

/** What is wrong with a value by a schema of the OpenAPI document, as sentences; none: it is valid. */
export function schemaFaults(schema: JsonSchema, value: unknown): string[] {
  const validator = validatorOf(schema)
  if (validator.Check(value)) return []
  const [, errors] = validator.Errors(value)
  const faults = errors.map(
    ({ instancePath, message }) => `${instancePath === '' ? 'the value' : instancePath} ${message}`,
  )
  return faults.length === 0 ? ['the value does not match'] : faults
}
