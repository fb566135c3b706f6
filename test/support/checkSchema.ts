import { Compile } from 'typebox/schema'
import type { JsonSchema } from '../../packages/server/src/gateway/operation.ts'
import { components } from '../../packages/server/src/gateway/schemas/components.ts'

const validators = new WeakMap<JsonSchema, ReturnType<typeof Compile>>()

type Components = Readonly<Record<string, JsonSchema>>

function validatorOf(schema: JsonSchema, schemas: Components): ReturnType<typeof Compile> {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = Compile({ allOf: [schema], components: { schemas } })
  validators.set(schema, made)
  return made
}

/** What is wrong with a value by a schema of the OpenAPI document, or of another, as sentences; none: it is valid. */
export function schemaFaults(
  schema: JsonSchema,
  value: unknown,
  schemas: Components = components,
): string[] {
  const validator = validatorOf(schema, schemas)
  if (validator.Check(value)) return []
  const [, errors] = validator.Errors(value)
  const faults = errors.map(
    ({ instancePath, message }) => `${instancePath === '' ? 'the value' : instancePath} ${message}`,
  )
  return faults.length === 0 ? ['the value does not match'] : faults
}
