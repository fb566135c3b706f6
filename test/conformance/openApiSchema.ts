import type { JsonSchema } from '../../packages/server/src/gateway/ground/schemas.ts'

/**
 * A JSON Schema of OpenAPI 3.1 documents, limited to the objects that this service's document uses,
 * each with every member it may have.
 */

const text = { type: 'string', minLength: 1 }
const flag = { type: 'boolean' }
const url = { type: 'string', pattern: '^https?://[^\\s]+$' }
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const mapOf = (value: object) => ({ type: 'object', additionalProperties: value })
const listOf = (items: object) => ({ type: 'array', items })

/** An object with exactly these members, and extensions. */
function closed(properties: Record<string, object>, required: readonly string[] = []): object {
  return {
    type: 'object',
    properties,
    required,
    additionalProperties: false,
    patternProperties: { '^x-': {} },
  }
}

const orReference = (name: string) => ({ anyOf: [ref('reference'), ref(name)] })

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const jsonTypes = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

const operation = closed(
  {
    tags: listOf(text),
    summary: text,
    description: text,
    operationId: text,
    externalDocs: ref('externalDocs'),
    parameters: listOf(orReference('parameter')),
    requestBody: orReference('requestBody'),
    responses: ref('responses'),
    callbacks: mapOf(mapOf(ref('pathItem'))),
    deprecated: flag,
    security: listOf(ref('security')),
    servers: listOf(ref('server')),
  },
  ['operationId', 'summary', 'tags', 'responses', 'x-cu-cost'],
)

/**
 * The keywords of JSON Schema 2020-12 that the document uses. Any other keyword is most likely a
 * mistake.
 */
const schemaObject = {
  type: 'object',
  additionalProperties: false,
  properties: {
    $ref: { type: 'string', pattern: '^#/components/schemas/[A-Za-z0-9._-]+$' },
    type: { anyOf: [{ enum: jsonTypes }, { ...listOf({ enum: jsonTypes }), uniqueItems: true }] },
    title: text,
    description: text,
    default: {},
    const: {},
    examples: listOf({}),
    enum: { type: 'array', minItems: 1, uniqueItems: true },
    properties: mapOf(ref('schema')),
    required: { ...listOf(text), uniqueItems: true },
    additionalProperties: { anyOf: [flag, ref('schema')] },
    patternProperties: mapOf(ref('schema')),
    items: ref('schema'),
    minItems: { type: 'integer' },
    maxItems: { type: 'integer' },
    prefixItems: listOf(ref('schema')),
    minProperties: { type: 'integer' },
    maxProperties: { type: 'integer' },
    minLength: { type: 'integer' },
    maxLength: { type: 'integer' },
    pattern: text,
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    format: text,
    exclusiveMinimum: { type: 'number' },
    exclusiveMaximum: { type: 'number' },
    anyOf: { ...listOf(ref('schema')), minItems: 1 },
    if: ref('schema'),
    // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
    then: ref('schema'),
    oneOf: { ...listOf(ref('schema')), minItems: 1 },
    allOf: { ...listOf(ref('schema')), minItems: 1 },
    not: ref('schema'),
  },
}

export const openApiSchema: JsonSchema = {
  ...closed(
    {
      openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
      info: ref('info'),
      jsonSchemaDialect: url,
      servers: listOf(ref('server')),
      paths: {
        type: 'object',
        patternProperties: { '^/': ref('pathItem') },
        additionalProperties: false,
      },
      webhooks: mapOf(ref('pathItem')),
      components: closed({
        schemas: named(ref('schema')),
        responses: named(orReference('response')),
        parameters: named(orReference('parameter')),
        securitySchemes: named(ref('securityScheme')),
      }),
      security: listOf(ref('security')),
      tags: listOf(ref('tag')),
      externalDocs: ref('externalDocs'),
    },
    ['openapi', 'info', 'servers', 'paths', 'components', 'security', 'tags'],
  ),
  $defs: {
    reference: {
      type: 'object',
      required: ['$ref'],
      additionalProperties: false,
      properties: { $ref: { type: 'string', pattern: '^#/' }, summary: text, description: text },
    },
    info: closed(
      {
        title: text,
        summary: text,
        description: text,
        termsOfService: url,
        version: text,
        contact: closed({ name: text, url, email: text }),
        license: closed({ name: text, identifier: text, url }, ['name']),
      },
      ['title', 'version'],
    ),
    server: closed({ url, description: text }, ['url']),
    tag: closed({ name: text, description: text, externalDocs: ref('externalDocs') }, ['name']),
    externalDocs: closed({ url, description: text }, ['url']),
    security: mapOf(listOf(text)),
    pathItem: closed({
      summary: text,
      description: text,
      servers: listOf(ref('server')),
      parameters: listOf(orReference('parameter')),
      ...Object.fromEntries(methods.map((method) => [method, ref('operation')])),
    }),
    operation,
    parameter: {
      ...closed(
        {
          name: text,
          in: { enum: ['path', 'query', 'header', 'cookie'] },
          description: text,
          required: flag,
          deprecated: flag,
          allowEmptyValue: flag,
          style: text,
          explode: flag,
          allowReserved: flag,
          schema: ref('schema'),
          content: mapOf(ref('mediaType')),
          example: {},
          examples: mapOf({}),
        },
        ['name', 'in', 'description', 'schema'],
      ),
      if: { properties: { in: { const: 'path' } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { properties: { required: { const: true } }, required: ['required'] },
    },
    requestBody: closed({ description: text, required: flag, content: ref('content') }, [
      'content',
    ]),
    responses: {
      ...closed({ default: orReference('response') }),
      patternProperties: { '^[1-5](\\d\\d|XX)$': orReference('response'), '^x-': {} },
      minProperties: 1,
    },
    response: closed(
      {
        description: text,
        content: ref('content'),
        headers: mapOf(closed({ description: text, required: flag, schema: ref('schema') })),
      },
      ['description'],
    ),
    content: {
      type: 'object',
      propertyNames: { pattern: '^[a-z]+/[a-z0-9.+-]+$' },
      additionalProperties: ref('mediaType'),
    },
    mediaType: closed({ schema: ref('schema'), example: {}, examples: mapOf({}) }, ['schema']),
    securityScheme: closed(
      {
        type: { const: 'apiKey' },
        in: { enum: ['header', 'query', 'cookie'] },
        name: text,
        description: text,
      },
      ['type', 'in', 'name'],
    ),
    schema: schemaObject,
  },
}

function named(value: object): object {
  return { ...mapOf(value), propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' } }
}
