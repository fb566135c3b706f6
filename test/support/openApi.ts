// An OpenAPI document as clients read it: finds the operation of a request and validates the
// answer.
import { Compile } from 'typebox/schema'
import { strictSchema } from './checkSchema.ts'

type MediaType = { schema: object; example?: unknown }
type Response = { description: string; content?: Record<string, MediaType> }

export type OpenApiOperation = {
  security?: readonly object[]
  operationId: string
  tags: string[]
  parameters: {
    name: string
    in: string
    description: string
    required: boolean
    example?: string
  }[]
  requestBody?: { description: string; content: Record<string, MediaType> }
  responses: Record<string, Response>
}

export type OpenApi = {
  info: { version: string }
  servers: { url: string }[]
  security: unknown
  paths: Record<string, { get?: OpenApiOperation; post?: OpenApiOperation }>
  components: {
    schemas: Record<string, object>
    responses: Record<string, Response>
    securitySchemes: unknown
  }
}

export type PlacedOperation = OpenApiOperation & { method: 'GET' | 'POST'; path: string }

export type OpenApiReader = {
  operations: readonly PlacedOperation[]
  /** The operation of a request; fixed paths take precedence over paths with an id. */
  operationOf(method: string, target: string): PlacedOperation | undefined
  /** Faults of an answer's body, as sentences. */
  faultsOf(operation: PlacedOperation, status: number, body: unknown): string[]
}

/** A request from an operation's examples; `own` overrides inputs and body members. */
export function exampleRequest(
  { path, parameters, requestBody }: OpenApiOperation & { path: string },
  own: Readonly<Record<string, unknown>>,
): { url: string; body: object | undefined } {
  let url = path
  const query = new URLSearchParams()
  for (const { name, in: place, example } of parameters) {
    const value = own[name] ?? example
    if (value === undefined) continue
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(`${value}`))
    else query.set(name, `${value}`)
  }
  const shown = requestBody?.content['application/json']?.example as object | undefined
  const members = Object.entries(shown ?? {}).map(([name, value]) => [name, own[name] ?? value])
  return {
    url: query.size === 0 ? url : `${url}?${query}`,
    body: shown && Object.fromEntries(members),
  }
}

export function readOpenApi({ paths, components }: OpenApi): OpenApiReader {
  const operations = Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : [{ ...get, method: 'GET' as const, path }]),
    ...(post === undefined ? [] : [{ ...post, method: 'POST' as const, path }]),
  ])
  const validators = new Map<object, ReturnType<typeof Compile>>()

  function validatorOf(schema: object) {
    const known = validators.get(schema)
    if (known !== undefined) return known
    const made = Compile(strictSchema({ allOf: [schema], components }) as object)
    validators.set(schema, made)
    return made
  }

  function responseOf({ responses }: PlacedOperation, status: number): Response | undefined {
    const found = responses[status]
    return found !== undefined && '$ref' in found ? components.responses[status] : found
  }

  return {
    operations,
    operationOf(method, target) {
      const path = target.split('?')[0]!
      const matching = operations.filter((operation) => {
        const pattern = operation.path.replace(/\{[^}]+\}/g, '[^/]+')
        return operation.method === method && new RegExp(`^${pattern}$`).test(path)
      })
      return matching.find((operation) => operation.path === path) ?? matching[0]
    },
    faultsOf(operation, status, body) {
      const schema = responseOf(operation, status)?.content?.['application/json']?.schema
      if (schema === undefined) return [`${operation.operationId} has no answer ${status}`]
      const validator = validatorOf(schema)
      if (validator.Check(body)) return []
      const [, errors] = validator.Errors(body)
      return errors.slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message}`)
    },
  }
}
