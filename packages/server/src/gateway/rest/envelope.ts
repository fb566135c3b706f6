import type { ResponseEnvelope } from '@chaintape/protocol'
import { type EncodedJson, encodedText } from '../ground/encodedJson.ts'
import { type JsonSchema, openObjectSchema } from '../ground/schemas.ts'
import type { Operation } from './operation.ts'

/**
 * True in compatibility mode, which adds the envelope and everything listed in
 * docs/reference/compat.md for existing clients of the public service.
 */
export function isCompatibilityMode(responseEnvelope: ResponseEnvelope): boolean {
  return responseEnvelope === 'always'
}

/**
 * True when the service wraps this operation's answer in the envelope. Chart operations are never
 * wrapped.
 */
export function hasEnvelope(operation: Operation, responseEnvelope: ResponseEnvelope): boolean {
  return (
    isCompatibilityMode(responseEnvelope) &&
    operation.isEnveloped !== true &&
    operation.path.startsWith('/v2/')
  )
}

export function wrapInEnvelope(json: EncodedJson, msg = 'SUCCESS'): string {
  return `{"status":1,"msg":${JSON.stringify(msg)},"data_type":1,"data":${encodedText(json)}}`
}

type AnswerSchema = (answer: JsonSchema) => JsonSchema

/**
 * Returns the schema of a complete 200 body. `shown` transforms the answer's schema inside the
 * envelope.
 */
export function responseBodySchema(
  operation: Operation,
  responseEnvelope: ResponseEnvelope,
  shown: AnswerSchema = (answer) => answer,
): JsonSchema {
  if (!hasEnvelope(operation, responseEnvelope)) return shown(operation.answer)
  return openObjectSchema({
    status: { const: 1, description: 'The request succeeded.' },
    msg: {
      type: 'string',
      pattern: '^SUCCESS',
      description: '`SUCCESS`, or `SUCCESS: …` with what was not found.',
    },
    data_type: { const: 1, description: 'Always 1.' },
    data: describedAnswer(shown(operation.envelopedAnswer ?? operation.answer)),
  })
}

/** Adds a description to inline schemas. A referenced schema has its own description. */
function describedAnswer(answer: JsonSchema): JsonSchema {
  return '$ref' in answer ? answer : { ...answer, description: 'The answer.' }
}
